/** The question on the screen, in a real browser: what is shown, what answers it and what does not. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { letTimeGoOn, openSettings, stopTime } from "./plugin";
import { create, files, hostile, huge, hunks, many, network, putAgain, question, read, reading, submitted, unnamed } from "./questions";

eachTestHasAWindow();

const modal = ".vault-bridge-consent";
const button = (name: string): string => `.vault-bridge-answers button:text-is("${name}")`;
const ask = async (...questions: object[]): Promise<void> => {
	for (const one of questions) bridge.ask(one);
	await page.waitForSelector(modal);
};
const armed = async (): Promise<void> => { await page.waitForSelector(`${button("Allow once")}[aria-disabled="false"]`); };
const focused = async (): Promise<string> => page.evaluate(() => (document.activeElement?.className === "vault-bridge-body" ? "(the question)" : (document.activeElement?.textContent ?? "")));
const answers = (): unknown[] => bridge.asked.filter((one) => one.method === "consent.respond").map((one) => one.params);
const sizeOf = async (selector: string): Promise<number> => page.$eval(selector, (el) => parseFloat(getComputedStyle(el).fontSize));

describe("what is shown", () => {
	it("is who asks, why, what happens, the words that change, and where the old bytes are kept", async () => {
		await ask(question());
		const text = await page.textContent(modal);
		for (const part of ["Apply patch", "Medium risk", "changes 3 lines", "Claude Code", "You asked me to bring the plan", "Edit Projects/Balcony garden.md", "2 notes link here", "+4", "−3", ".vault-bridge/backups/patch-1f0c9a/"])
			expect(text).toContain(part);
		await expect.poll(async () => page.$$eval(".is-removed .vault-bridge-changed", (all) => all.map((el) => el.textContent))).toEqual(["planned", "go", "Old plan", " "]);
		await expect.poll(async () => page.$$eval(".vault-bridge-facts li", (all) => all.map((el) => el.textContent))).toEqual(["Property status changed from planned to planted", "Link now points to Seeds instead of Old plan"]);
		await expect.poll(async () => page.textContent(".is-added .vault-bridge-escape")).toBe("··");
	});

	it("says what will happen larger than anything else, the tool's name above all", async () => {
		await ask(question());
		const summary = await sizeOf(".vault-bridge-summary");
		const others = await page.$$eval(`${modal} *`, (all) => all.filter((el) => !el.closest(".vault-bridge-summary")).map((el) => parseFloat(getComputedStyle(el).fontSize)));
		expect(summary).toBeGreaterThan(Math.max(...others));
		expect(summary).toBeGreaterThan(await sizeOf(".vault-bridge-tool-name"));
	});

	it("is the picture of an image that comes with a note, drawn and nothing loaded", async () => {
		const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
		const note = "An image of 1,600 by 900 pixels (48,213 bytes)";
		const image = { path: "files/Cat.png", change: "create", newPath: null, added: 0, removed: 0, diff: "", note, picture: { mimeType: "image/png", data, width: 1600, height: 900 } };
		await ask(question({ preview: { files: [image], backup: null, warnings: [], request: null } }));
		const img = page.locator(`${modal} img.vault-bridge-picture`);
		await expect.poll(async () => img.evaluate((el) => (el as HTMLImageElement).naturalWidth)).toBe(1);
		expect([await img.getAttribute("alt"), await page.textContent(`${modal} .vault-bridge-file-body`)]).toEqual(["files/Cat.png", note]);
	});

	it("is two answers, and everything else behind a button", async () => {
		await ask(read());
		await expect.poll(async () => page.$$eval(".vault-bridge-answers > button", (all) => all.map((el) => el.textContent))).toEqual(["Deny until the bridge stops", "Allow once"]);
		await expect.poll(async () => page.$$eval(".vault-bridge-answers-rest button", (all) => all.filter((el) => el.checkVisibility()).map((el) => el.textContent))).toEqual(["Later", "Remember…"]);
		await expect.poll(async () => page.isVisible(".vault-bridge-remember")).toBe(false);
	});

	it("says only “Deny” where the bridge does not say how long that holds", async () => {
		await ask(question({ options: [] }));
		await expect.poll(async () => page.textContent(".vault-bridge-answers .is-deny_once")).toBe("Deny");
	});

	it.each(["", "/"])("is the whole vault where the target is %j", async (target) => {
		await ask(question({ operation: "read", preview: null, targets: [target] }));
		await expect.poll(async () => page.textContent(".vault-bridge-targets")).toBe("The whole vault");
	});

	it("is at most 60 words before the diff of an ordinary edit", async () => {
		await ask(question());
		const before = await page.evaluate((root) => {
			const range = document.createRange();
			range.setStart(document.querySelector(root) as Node, 0);
			range.setEndBefore(document.querySelector(".vault-bridge-row") as Node);
			return range.toString();
		}, modal);
		const words = await page.$$eval(`${modal} *`, (all) => all.filter((el) => el.checkVisibility() && (el.compareDocumentPosition(document.querySelector(".vault-bridge-row") as Node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0).flatMap((el) => [...el.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).flatMap((node) => (node.textContent ?? "").split(/\s+/).filter((word) => /\w/.test(word)))).length);
		expect(before).toContain("Balcony garden");
		expect(words).toBeLessThanOrEqual(60);
	});

	it("is the first changed line and at least eight lines of the diff, in a window of 420 by 700", async () => {
		await page.setViewportSize({ width: 420, height: 700 });
		await ask(question());
		const rows = await page.evaluate(() => {
			const body = document.querySelector(".vault-bridge-body")?.getBoundingClientRect();
			const edge = [...document.querySelectorAll(".vault-bridge-edge")].find((el) => el.checkVisibility())?.getBoundingClientRect();
			const bottom = edge?.top ?? body?.bottom ?? 0;
			const top = document.querySelector(".vault-bridge-head")?.getBoundingClientRect().bottom ?? 0;
			return [...document.querySelectorAll(".vault-bridge-row")].filter((el) => { const { top: from, bottom: to } = el.getBoundingClientRect(); return from >= top - 1 && to <= bottom + 1; }).map((el) => el.className);
		});
		expect(rows.length).toBeGreaterThanOrEqual(8);
		expect(rows.some((name) => /is-added|is-removed/.test(name))).toBe(true);
	});

	it("can be hit: no control is smaller than 24 by 24, and nothing hangs over the window's edge", async () => {
		await page.setViewportSize({ width: 420, height: 700 });
		await ask(hunks());
		await page.click(`${modal} summary:has-text("Parameters")`);
		const small = await page.$$eval(`${modal} :is(button, summary, input, textarea)`, (all) => all.filter((el) => el.checkVisibility() && !el.closest(".modal-close-button")).flatMap((el) => {
			const own = el.getBoundingClientRect();
			const { width, height } = (el.matches("input[type=checkbox]") ? (el.closest("label") ?? el) : el).getBoundingClientRect();
			const spaced = el.matches("input[type=checkbox]") ? Math.max(width, own.width + 6) : width;
			return spaced < 24 || Math.max(height, el.matches("input") ? own.height + 6 : 0) < 24 ? [`${el.textContent} ${width} x ${height}`] : [];
		}));
		expect(small).toEqual([]);
		expect(await page.evaluate((root) => { const box = document.querySelector(`${root} .modal-content`); const outer = document.querySelector(root); return box && outer ? box.getBoundingClientRect().right <= outer.getBoundingClientRect().right && box.scrollWidth <= box.clientWidth : false; }, modal)).toBe(true);
	});

	it("is read out in order: who, what, the files with their numbers, the answers with how long they hold", async () => {
		await ask(question());
		const tree = await page.locator(modal).ariaSnapshot();
		for (const part of ["Claude Code", "Edit Projects/Balcony garden.md: 3 lines changed", 'button "Deny until the bridge stops"', 'button "Allow once"', 'textbox "Message to the agent, sent with your answer"', 'button "Remember…"']) expect(tree).toContain(part);
		expect(tree.indexOf("Edit Projects")).toBeLessThan(tree.indexOf('button "Deny'));
		expect(await page.getAttribute(modal, "role")).toBe("alertdialog");
	});

	it("offers nothing for longer where nothing is offered", async () => {
		await ask({ ...network(), choices: ["allow_once", "deny_once"] });
		await expect.poll(async () => page.isVisible("text=Remember…")).toBe(false);
	});

	it("is the exact request of a tool that leaves the vault", async () => {
		await ask(network());
		await expect.poll(async () => page.textContent(".vault-bridge-request")).toContain("GET https://example.org/tomatoes");
	});

	it("is short where the bridge says that the person wants it so, and the exact request all the same", async () => {
		await ask({ ...network(), brief: true });
		const text = await page.textContent(modal);
		expect(text).toContain("GET https://example.org/tomatoes");
		expect(text).not.toContain("Parameters");
		expect(text).not.toContain("Fetches one page.");
	});

	it("is that other notes link to what is deleted, once", async () => {
		await ask(question({ operation: "delete", preview: null, scope: { kind: "write_delete", hasBacklinks: true } }));
		await expect.poll(async () => page.textContent(modal)).toContain("Other notes link to this.");
		bridge.notify("consent.revised", question({ operation: "delete", planDigest: "sha256:2", scope: { kind: "write_delete", hasBacklinks: true } }));
		await page.waitForSelector("text=2 notes link here");
		await expect.poll(async () => page.textContent(modal)).not.toContain("Other notes link to this.");
	});

	it("is parameters as a table, and as JSON when wanted", async () => {
		await ask(read());
		await expect.poll(async () => page.$$eval(".vault-bridge-parameters th", (all) => all.map((el) => el.textContent))).toEqual(["pattern", "contextLines", "caseSensitive", "filePattern"]);
		await page.click("text=Show as JSON");
		expect(JSON.parse((await page.textContent(".vault-bridge-json")) ?? "")).toMatchObject({ contextLines: 2, filePattern: null });
	});
});

describe("many files", () => {
	it("begin with how many of each kind, and with what is lost, which is open", async () => {
		await ask(files());
		await expect.poll(async () => page.textContent(".vault-bridge-totals")).toBe("1 deleted, 1 moved, 1 changed, 1 new folder");
		await expect.poll(async () => page.$$eval(".vault-bridge-file-change", (all) => all.map((el) => el.textContent))).toEqual(["Deleted", "Moved", "Changed", "New folder"]);
		await expect.poll(async () => page.isVisible(".vault-bridge-file.is-delete .vault-bridge-file-body:has-text('Nothing of worth.')")).toBe(true);
	});

	it("in which only links follow are one line, which can be opened; all of it is on one screen", async () => {
		await ask(many(300));
		await expect.poll(async () => page.textContent(".vault-bridge-totals-text")).toBe("1 deleted, 1 moved, 1 new folder, 300 files whose links follow");
		await expect.poll(async () => page.innerText(".vault-bridge-follows > summary")).toBe("300 links in 300 notes follow");
		const boxes = await Promise.all([".vault-bridge-file.is-delete", ".vault-bridge-file.is-move", ".vault-bridge-follows > summary", button("Allow once")].map(async (one) => page.locator(one).boundingBox()));
		for (const box of boxes) expect(box && box.y + box.height).toBeLessThan(800);
		await page.click(".vault-bridge-follows > summary");
		await page.waitForFunction(() => document.querySelectorAll(".vault-bridge-follows .vault-bridge-file").length === 300);
		await page.click('summary:has-text("Many/N7.md")');
		await page.waitForSelector("text=[[Archive/Plans]].");
	});

	it("can be searched by name, also those in the folded line", async () => {
		await ask(many(300));
		await page.fill(".vault-bridge-totals input", "n29");
		const shown = async (): Promise<string[]> => page.$$eval(".vault-bridge-file", (all) => all.filter((el) => el.checkVisibility()).map((el) => el.querySelector(".vault-bridge-file-name")?.textContent ?? ""));
		await expect.poll(async () => shown()).toEqual(["Many/N29.md", ...Array.from({ length: 10 }, (_, index) => `Many/N29${index}.md`)]);
		await page.fill(".vault-bridge-totals input", "old");
		await expect.poll(async () => shown()).toEqual(["Old plans.md"]);
	});

	it("have a sign that they open, and an edge that says that there is more", async () => {
		await page.setViewportSize({ width: 800, height: 480 });
		await ask(question());
		await expect.poll(async () => page.$$(".vault-bridge-file > summary > .vault-bridge-chevron svg")).toHaveLength(1);
		await expect.poll(async () => page.isVisible("text=More below")).toBe(true);
		await page.$eval(".vault-bridge-body", (el) => { el.scrollTop = el.scrollHeight; });
		await page.waitForSelector("text=More below", { state: "hidden" });
	});
});

describe("a yes", () => {
	it("does not count in the first moments, and then takes the digest along", async () => {
		await stopTime(page);
		await ask(question());
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
		await letTimeGoOn(page);
		await armed();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-1", decision: "allow_once", planDigest: "sha256:0123" });
		await page.waitForSelector(modal, { state: "detached" });
	});

	it("is never given by Enter, and by Space only once Tab or the pointer was used", async () => {
		await ask(question());
		await armed();
		await page.focus(button("Allow once"));
		for (const key of ["Enter", "Space", "Control+Enter"]) await page.keyboard.press(key);
		expect(answers()).toEqual([]);
		await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("Tab");
		await expect.poll(async () => focused()).toBe("Allow once");
		await page.keyboard.press("Enter");
		expect(answers()).toEqual([]);
		await page.keyboard.press("Space");
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once" });
	});

	it("does not count again right after the window came to the front", async () => {
		await ask(question());
		await armed();
		await stopTime(page);
		await page.evaluate(() => { window.dispatchEvent(new Event("focus")); });
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
	});
});

describe("the focus", () => {
	it("begins on what is to be read, where no key answers, and Tab goes to Deny first", async () => {
		await ask(question());
		await armed();
		await expect.poll(async () => focused()).toBe("(the question)");
		for (const key of ["Space", "Enter", "y", "n"]) await page.keyboard.press(key);
		expect(answers()).toEqual([]);
		await page.keyboard.press("Tab");
		await expect.poll(async () => focused()).toBe("Deny until the bridge stops");
		await page.keyboard.press("Tab");
		await expect.poll(async () => focused()).toBe("Allow once");
	});

	it("stays inside the question", async () => {
		await ask(question());
		const inside: boolean[] = [];
		for (let press = 0; press < 20; press++) {
			await page.keyboard.press("Tab");
			inside.push(await page.evaluate(() => document.querySelector(".vault-bridge-consent")?.contains(document.activeElement) ?? false));
		}
		expect(inside).not.toContain(false);
	});

	it.each([[800, 480], [550, 400], [420, 700]])("and the answers are in view in a window of %i by %i", async (width, height) => {
		await page.setViewportSize({ width, height });
		await ask(read());
		for (const name of ["Deny until the bridge stops", "Allow once", "Later", "Remember…"]) {
			const box = await page.locator(button(name)).boundingBox();
			expect(box && box.y >= 0 && box.x >= 0 && box.y + box.height <= height && box.x + box.width <= width).toBe(true);
		}
		const focus = await page.evaluate(() => { const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: -1, bottom: 1e9 }; return [top, bottom]; });
		expect(focus[0]).toBeGreaterThanOrEqual(0);
		expect(focus[1]).toBeLessThanOrEqual(height);
		expect((focus[1] ?? 0) - (focus[0] ?? 0)).toBeGreaterThan(60);
		await armed();
		await page.click("text=Remember…");
		await page.locator(".vault-bridge-option button").last().scrollIntoViewIfNeeded();
		const row = await page.locator(button("Deny until the bridge stops")).boundingBox();
		expect(row && row.y + row.height).toBeLessThanOrEqual(height);
	});
});

describe("Escape", () => {
	it("and the cross put the question off: nothing is sent, and the status bar has it", async () => {
		await ask(question(), question({ requestId: "c-2" }));
		await page.keyboard.press("Escape");
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.innerText(".vault-bridge-status.is-asking")).toBe("2 questions");
		await expect.poll(async () => page.textContent(".notice")).toContain("Still waiting: 2 questions to answer");
		await page.click(".vault-bridge-status.is-asking");
		await page.click(`${modal} .modal-close-button`);
		await page.waitForSelector(modal, { state: "detached" });
		await page.click(".vault-bridge-status.is-asking");
		await page.click(button("Later"));
		await page.waitForSelector(modal, { state: "detached" });
		expect(answers()).toEqual([]);
	});
});

describe("a no", () => {
	it("takes the person's words along", async () => {
		await ask(question());
		await page.fill(".vault-bridge-message", "Leave the shopping list alone.");
		await page.click(button("Deny until the bridge stops"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-1", decision: "deny_once", planDigest: "sha256:0123", feedback: "Leave the shopping list alone." });
	});

	it("or a yes takes them too", async () => {
		await ask(question());
		await armed();
		await page.fill(".vault-bridge-message", "  Good. Shorter next time. ");
		await armed();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-1", decision: "allow_once", planDigest: "sha256:0123", feedback: "Good. Shorter next time." });
	});

	it("is not given by a click beside the question", async () => {
		await ask(question());
		await page.mouse.click(10, 10);
		await expect.poll(async () => page.isVisible(modal)).toBe(true);
		expect(answers()).toEqual([]);
	});
});

describe("a no by key", () => {
	const deny = async (): Promise<void> => {
		await armed();
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.waitForSelector(modal, { state: "detached" });
	};

	it("is not sent for ten seconds, in which it can be undone", async () => {
		await page.clock.install();
		await ask(question());
		await page.clock.runFor(1_000);
		await deny();
		await expect.poll(async () => page.textContent(".notice")).toContain("Denied: Edit Projects/Balcony garden.md");
		await expect.poll(async () => page.isVisible(".vault-bridge-status.is-asking")).toBe(false);
		await page.click('.notice button:text-is("Undo")');
		await page.waitForSelector(modal);
		await page.clock.runFor(20_000);
		expect(answers()).toEqual([]);
	});

	it("is sent after ten seconds", async () => {
		await page.clock.install();
		await ask(question());
		await page.clock.runFor(1_000);
		await deny();
		await page.clock.runFor(9_000);
		expect(answers()).toEqual([]);
		await page.clock.runFor(2_000);
		expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-1", decision: "deny_once" });
		await page.waitForSelector('.notice:has-text("Denied:")', { state: "detached" });
	});

	it("is sent at once when the plugin is unloaded", async () => {
		await ask(question());
		await deny();
		await page.evaluate(() => { window.host.plugin.unload(); });
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "deny_once" });
	});

	it("is sent when the connection is back, where it was lost meanwhile", async () => {
		await page.clock.install();
		await ask(question());
		await page.clock.runFor(1_000);
		await deny();
		bridge.stop();
		await page.waitForSelector(".vault-bridge-status:not(.is-connected)");
		await page.clock.runFor(12_000);
		expect(answers()).toEqual([]);
		await bridge.start();
		await expect.poll(async () => { await page.clock.runFor(1_000); return answers(); }).toMatchObject([{ requestId: "c-1", decision: "deny_once" }]);
	});
});

describe("who asks", () => {
	it("is the name that the person gave; what the program calls itself stands beside it as a claim", async () => {
		await ask(read());
		await expect.poll(async () => page.textContent(".vault-bridge-who strong")).toBe("Claude Code");
		await expect.poll(async () => page.textContent(".vault-bridge-who")).toBe("Claude Code, calls itself “claude-code 2.1” (unverified) wants to:");
	});

	it("is without a name where nobody gave one, whatever the program calls itself", async () => {
		await ask(unnamed());
		await expect.poll(async () => page.textContent(".vault-bridge-who")).toBe("A program without a name of its own, calls itself “Claude Code” (unverified) wants to:");
	});
});

describe("an answer for longer", () => {
	const options = async (): Promise<(string | undefined)[]> => page.$$eval(".vault-bridge-option", (all) => all.map((row) => row.querySelector("button")?.textContent));
	const option = (label: string): string => `.vault-bridge-option button:has(:text-is("${label}"))`;

	it("has its own button, and beside it in full what it holds for; the one that fits comes first", async () => {
		await ask(read());
		await page.click("text=Remember…");
		await expect.poll(async () => page.$$eval(".vault-bridge-remember-title", (all) => all.map((el) => el.textContent))).toEqual(["Allow for longer", "Refuse for longer"]);
		await expect.poll(async () => options()).toEqual(["Allow for session: reading this vault", "Allow for session: Grep", "Always allow: Grep", "Always allow, for every program: Grep", "Deny for session: Grep", "Never allow: Grep"]);
		const sentences = reading.map((one) => (one as { sentence: string }).sentence);
		for (const said of await page.$$eval(".vault-bridge-option-sentence", (all) => all.map((el) => el.textContent))) expect(sentences).toContain(said.replace(/Suggested$/, ""));
		await expect.poll(async () => sizeOf(".vault-bridge-option-sentence")).toBeGreaterThanOrEqual(13);
	});

	it("opens with the focus on no answer, and marks as dangerous what allows much and nothing that refuses", async () => {
		await ask(read());
		await page.click("text=Remember…");
		await expect.poll(async () => page.evaluate(() => document.activeElement?.className)).toBe("vault-bridge-remember");
		await expect.poll(async () => page.$$eval(".vault-bridge-option .mod-warning", (all) => all.map((el) => el.textContent))).toEqual(["Always allow: Grep", "Always allow, for every program: Grep"]);
	});

	it("is sent with its name, and taken back from the notice that says what holds", async () => {
		const [, grep] = reading as [object, { sentence: string }];
		bridge.answers.set("consent.grants", () => [{ grantId: "s-9", kind: "session", who: "client", what: "tool", until: "stop", sentence: grep.sentence, decision: "allow_session" }]);
		bridge.answers.set("consent.revoke", () => ({ revoked: true }));
		await ask(read());
		await page.click("text=Remember…");
		await page.waitForSelector(`${option("Allow for session: Grep")}[aria-disabled="false"]`);
		await page.click(option("Allow for session: Grep"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-read", decision: "allow_session", option: "allow_session.tool.everywhere.client" });
		await expect.poll(async () => page.textContent(".notice:has(button)")).toContain(grep.sentence);
		await page.click('.notice button:text-is("Take back")');
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "s-9" });
	});

	describe("once it is given", () => {
		const [, grep] = reading as [object, { sentence: string }];
		const notice = `.notice:has-text("${grep.sentence}")`;
		const row = `.setting-item:has-text("${grep.sentence}")`;
		const allow = async (): Promise<void> => {
			await ask(read());
			await page.click("text=Remember…");
			await page.waitForSelector(`${option("Allow for session: Grep")}[aria-disabled="false"]`);
			bridge.answers.set("consent.grants", () => [{ grantId: "s-9", kind: "session", who: "client", what: "tool", until: "stop", sentence: grep.sentence, decision: "allow_session" }]);
			await page.click(option("Allow for session: Grep"));
			await bridge.until("consent.respond");
		};

		it("lies over no button of the settings, and is said again when they are closed", async () => {
			await allow();
			await page.waitForSelector(notice);
			await openSettings(page, "Remembered answers");
			await page.waitForSelector(row);
			await expect.poll(async () => page.isVisible(notice)).toBe(false);
			await page.keyboard.press("Escape");
			await page.waitForSelector(notice);
		});

		it("is in the list of answers where that is what one looks at", async () => {
			bridge.answers.set("consent.grants", () => []);
			await openSettings(page, "Remembered answers");
			await page.waitForSelector("text=Nothing is remembered.");
			await allow();
			await page.waitForSelector(notice, { state: "attached" });
			bridge.notify("grants.changed", { bounded: [] });
			await page.waitForSelector(row);
			await expect.poll(async () => page.isVisible(notice)).toBe(false);
		});
	});

	it("does not count in the moment after the answers were opened", async () => {
		await ask(read());
		await armed();
		await stopTime(page);
		await page.click("text=Remember…");
		await page.click(option("Always allow: Grep"), { force: true });
		expect(answers()).toEqual([]);
	});

	it("is given by no single key, and by Ctrl with Enter", async () => {
		await ask(read());
		await page.click("text=Remember…");
		await page.waitForSelector(`${option("Never allow: Grep")}[aria-disabled="false"]`);
		for (const label of await options()) {
			await page.focus(option(label ?? ""));
			for (const key of ["Enter", "Space"]) await page.keyboard.press(key);
		}
		expect(answers()).toEqual([]);
		await page.waitForSelector(`${option("Allow for session: Grep")}[aria-disabled="false"]`);
		await page.focus(option("Allow for session: Grep"));
		await page.keyboard.press("Control+Enter");
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_session", option: "allow_session.tool.everywhere.client" });
	});

	it("is not given to a part of a change", async () => {
		await ask({ ...hunks(), options: [...reading], choices: ["allow_once", "allow_session", "deny_once", "deny_session"] });
		await page.uncheck(".vault-bridge-hunk-header input >> nth=0");
		await page.click("text=Remember…");
		await page.waitForSelector(`${button("Allow 1 of 2")}[aria-disabled="false"]`);
		await expect.poll(async () => page.getAttribute(option("Allow for session: Grep"), "aria-disabled")).toBe("true");
		await expect.poll(async () => page.getAttribute(option("Deny for session: Grep"), "aria-disabled")).toBe("false");
	});
});

describe("several questions", () => {
	it("come one after the other, each with its own moment before a yes counts", async () => {
		await ask(question(), question({ requestId: "c-2", summary: "The second" }));
		await armed();
		await stopTime(page);
		await page.click(button("Allow once"));
		await page.waitForSelector("text=The second");
		await page.click(button("Allow once"), { force: true });
		await expect.poll(() => answers()).toHaveLength(1);
	});

	it("can be left to look at something else, and the status bar brings them back", async () => {
		await ask(question());
		await page.click("text=View audit log");
		await page.waitForSelector(".vault-bridge-log");
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		expect(answers()).toEqual([]);
		await page.click(".vault-bridge-status.is-asking");
		await expect.poll(async () => page.isVisible(modal)).toBe(true);
	});
});

describe("a question that ends elsewhere", () => {
	it.each([
		["was answered in another window", { decision: "allow_once", outcome: "allowed", by: "vault-bridge approve" }, "It was allowed in vault-bridge approve."],
		["ran out of time", { decision: null, outcome: "timed_out", by: null }, "Nobody answered in time, so it was refused."],
		["was withdrawn", { decision: null, outcome: "cancelled", by: null }, "The client withdrew it."],
	])("closes and says so when it %s", async (_, end, sentence) => {
		await ask(question());
		bridge.notify("consent.resolved", { requestId: "c-1", ...end });
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.textContent(".notice")).toContain(sentence);
		expect(answers()).toEqual([]);
	});

	it("cannot be answered any more once its time is up", async () => {
		await page.clock.install();
		// All windows of a browser have one clock, which stays where it was put: well before other questions end.
		await ask(question({ expiresAt: new Date(Date.now() + 60_000).toISOString() }));
		await page.clock.runFor(61_000);
		await page.waitForSelector("text=Time is up");
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
	});

	it("says why when the bridge did not take the answer", async () => {
		bridge.answers.set("consent.respond", () => ({ accepted: false, outcome: "denied", by: "vault-bridge approve", reason: "answered already" }));
		await ask(question());
		await armed();
		await page.click(button("Allow once"));
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.textContent(".notice")).toContain("It was denied in vault-bridge approve.");
	});
});

describe("a bridge that goes", () => {
	it("leaves no question behind that it no longer knows when it is back", async () => {
		await ask(question());
		bridge.stop();
		await page.waitForSelector("text=The connection to the bridge is lost");
		await expect.poll(async () => page.getAttribute(button("Deny until the bridge stops"), "aria-disabled")).toBe("true");
		bridge.pending = [];
		await bridge.start();
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.textContent(".notice")).toContain("The bridge stopped before it was answered, so nothing was done.");
	});

	it("can be answered when it is back and still asks", async () => {
		await ask(question());
		bridge.stop();
		await page.waitForSelector("text=The connection to the bridge is lost");
		await bridge.start();
		await page.waitForSelector("text=The connection to the bridge is lost", { state: "hidden" });
		await armed();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once" });
	});
});

describe("a part of a change", () => {
	it("can be left out where the bridge supports it", async () => {
		await ask(hunks());
		await page.uncheck(".vault-bridge-hunk-header input >> nth=0");
		await page.waitForSelector(`${button("Allow 1 of 2")}[aria-disabled="false"]`);
		await page.click(button("Allow 1 of 2"));
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once", hunks: { "Long.md": [1] } });
	});

	it("is not offered otherwise", async () => {
		await ask({ ...hunks(), hunksSupported: false });
		await expect.poll(async () => page.$$(".vault-bridge-hunk-header input")).toHaveLength(0);
	});
});

describe("a draft that is submitted", () => {
	const unit = (name: string): string => `.vault-bridge-together:has-text("${name}")`;
	const box = (name: string): string => `.vault-bridge-choice:has(.vault-bridge-file-name:text("${name}")) > input`;

	it("shows what belongs together in one place with one box, and everything else by itself, with the totals", async () => {
		await ask(submitted());
		await expect.poll(async () => page.textContent(".vault-bridge-totals")).toBe("1 deleted, 2 moved, 2 changed, 1 new, 1 new folder, 2 files whose links follow");
		await expect.poll(async () => page.locator(`${unit("Archive/Plans.md")} .vault-bridge-together-head`).textContent()).toBe("These 3 files belong together1 moved, 2 files whose links follow");
		await expect.poll(async () => page.locator(`${unit("Seeds (copy).md")} .vault-bridge-file-name`).allTextContents()).toEqual(["Seeds (copy).md", "Seeds.md"]);
		await expect.poll(async () => page.locator(".vault-bridge-together input").count()).toBe(2);
		await expect.poll(async () => page.locator(".vault-bridge-choice .vault-bridge-file-name").allTextContents()).toEqual(["Jam.md → Plum jam.md", "Long.md", "New.md"]);
		await expect.poll(async () => page.locator(".vault-bridge-file.is-move .vault-bridge-file-change").allTextContents()).toEqual(["Moved", "Renamed"]);
	});

	it("is written without what the person leaves out: all files of a unit, a file, a hunk", async () => {
		await ask(submitted());
		await page.uncheck(`${unit("Archive/Plans.md")} .vault-bridge-together-head input`);
		await page.uncheck(box("New.md"));
		await page.click('.vault-bridge-file:has-text("Long.md") > summary');
		await page.uncheck(".vault-bridge-hunk-header input >> nth=1");
		await page.waitForSelector(`${button("Allow 3 of 6")}[aria-disabled="false"]`);
		await page.click(button("Allow 3 of 6"));
		expect((await bridge.until("consent.respond"))["hunks"]).toEqual({ "Plans.md": [], "Home.md": [], "Garden.md": [], "New.md": [], "Long.md": [0] });
	});

	it("is a plain yes where everything is taken after all", async () => {
		await ask(submitted());
		for (const act of ["uncheck", "check"] as const) for (const one of [`${unit("Seeds.md")} label input`, box("Jam.md"), box("Long.md")]) await page[act](one);
		await armed();
		await page.click(button("Allow once"));
		expect((await bridge.until("consent.respond"))["hunks"] ?? null).toBeNull();
	});

	it("leaves a file out with one box, which shows where only a part of it is left out", async () => {
		await ask(submitted());
		await page.uncheck(box("Long.md"));
		await page.click('.vault-bridge-file:has-text("Long.md") > summary');
		await expect.poll(async () => page.isChecked(".vault-bridge-hunk-header input >> nth=0")).toBe(false);
		await page.check(".vault-bridge-hunk-header input >> nth=0");
		expect(await page.locator(box("Long.md")).evaluate((el) => (el as HTMLInputElement).indeterminate)).toBe(true);
	});

	it("cannot be allowed with nothing in it", async () => {
		await ask(submitted());
		for (const one of [...await page.locator(".vault-bridge-together-head input").all(), ...await page.locator(".vault-bridge-choice > input").all()]) await one.uncheck();
		await page.waitForSelector(`${button("Allow 0 of 6")}[aria-disabled="true"]`);
		await page.click(button("Allow 0 of 6"), { force: true });
		expect(answers()).toEqual([]);
	});

	it("offers no boxes where the bridge would take no part of it", async () => {
		await ask({ ...submitted(), hunksSupported: false });
		await expect.poll(async () => page.locator(`${modal} input[type="checkbox"]`).count()).toBe(0);
	});
});

describe("the text of a change", () => {
	const revised = (diff: string): object => ({ ...hunks(), planDigest: "sha256:9", revised: true, summary: "Edit Long.md: 2 lines changed, one by you", preview: { files: [{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, diff }], backup: null, warnings: ["The new text loads something"], request: null } });
	const diff = "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first mine\n b\n@@ -90,3 +90,3 @@ # Two\n c\n-second old\n+second new\n d\n";

	it("can be edited; what the bridge makes of it is then the question, and nothing else can be allowed", async () => {
		bridge.answers.set("consent.revise", () => ({ accepted: true, question: revised(diff), reason: null }));
		await ask(hunks());
		await armed();
		await page.fill(".vault-bridge-message", "Better so");
		await page.click('button:text-is("Edit") >> nth=0');
		await expect.poll(async () => page.inputValue(".vault-bridge-editor-text")).toBe("a\nfirst new\nb");
		await page.fill(".vault-bridge-editor-text", "a\nfirst mine\nb");
		await stopTime(page);
		await page.click("text=Use this text");
		expect(await bridge.until("consent.revise")).toEqual({ requestId: "c-hunks", planDigest: "sha256:0123", path: "Long.md", hunk: 0, text: "a\nfirst mine\nb\n" });
		await page.waitForSelector("text=first mine");
		const text = await page.textContent(modal);
		for (const part of ["one by you", "The new text loads something", "You have changed this text."]) expect(text).toContain(part);
		await expect.poll(async () => page.inputValue(".vault-bridge-message")).toBe("Better so");
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
		await letTimeGoOn(page);
		await armed();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-hunks", decision: "allow_once", planDigest: "sha256:9", feedback: "Better so" });
	});

	it("says why it was not taken, and keeps what was written", async () => {
		bridge.answers.set("consent.revise", () => ({ accepted: false, question: null, reason: "The file has changed meanwhile" }));
		await ask(create());
		await page.click('button:text-is("Edit")');
		await page.fill(".vault-bridge-editor-text", "# Mine");
		await page.click("text=Use this text");
		await page.waitForSelector(".vault-bridge-editor :text('The file has changed meanwhile')");
		await expect.poll(async () => page.inputValue(".vault-bridge-editor-text")).toBe("# Mine");
	});

	it("is left by Escape without leaving the question, and is there when one goes on", async () => {
		await ask(create());
		await page.click('button:text-is("Edit")');
		await page.fill(".vault-bridge-editor-text", "# Mine");
		await page.keyboard.press("Escape");
		await page.waitForSelector(".vault-bridge-editor-text", { state: "detached" });
		await expect.poll(async () => page.isVisible(modal)).toBe(true);
		await page.click('button:text-is("Edit")');
		await expect.poll(async () => page.inputValue(".vault-bridge-editor-text")).toBe("# Mine");
	});

	it("is shown anew, from the same place, when it was edited in another window", async () => {
		await page.setViewportSize({ width: 800, height: 380 });
		await ask(hunks());
		await armed();
		const before = await page.$eval(".vault-bridge-body", (el) => { el.scrollTop = 40; return el.scrollTop; });
		expect(before).toBe(40);
		await stopTime(page);
		bridge.notify("consent.revised", revised(diff));
		await page.waitForSelector("text=first mine");
		await expect.poll(async () => page.$eval(".vault-bridge-body", (el) => el.scrollTop)).toBe(before);
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
	});

	it("cannot be edited where the bridge does not offer it", async () => {
		await ask({ ...hunks(), editable: false });
		await expect.poll(async () => page.isVisible('button:text-is("Edit")')).toBe(false);
	});
});

describe("hostile text", () => {
	it("in every field is drawn as text, and leaves the answers in reach", async () => {
		await ask(hostile());
		await page.click("text=Remember…");
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.$$(`${modal} script, ${modal} img, ${modal} a`)).toHaveLength(0);
		const text = (await page.textContent(modal)) ?? "";
		expect(/\p{Bidi_Control}|\u200b/u.test(text)).toBe(false);
		expect(text).toContain("U+202E");
		expect(text.length).toBeLessThan(100_000);
		for (const name of ["Deny until the bridge stops", "Allow once"]) {
			const box = await page.locator(button(name)).boundingBox();
			expect(box && box.y + box.height).toBeLessThan(800);
		}
		await page.click(`${modal} .vault-bridge-more >> nth=0`);
	});
});

describe("a very long change", () => {
	it("is on the screen at once, and drawing it holds up nothing", async () => {
		await page.evaluate(() => {
			const seen = { long: [] as number[], shown: 0, asked: 0 };
			Object.assign(window, { seen });
			new PerformanceObserver((list) => { seen.long.push(...list.getEntries().map((entry) => entry.duration)); }).observe({ type: "longtask" });
			new MutationObserver(() => { if (!seen.shown && document.querySelector(".vault-bridge-consent .vault-bridge-row")) window.requestAnimationFrame(() => (seen.shown ||= performance.now())); }).observe(document.body, { childList: true, subtree: true });
		});
		const before = await page.evaluate(() => performance.now());
		bridge.ask(huge(5000));
		await page.waitForFunction(() => document.querySelectorAll(".vault-bridge-row").length >= 7500, undefined);
		const seen = await page.evaluate(() => (window as unknown as { seen: { long: number[]; shown: number } }).seen);
		console.warn(`5,000 lines: visible ${Math.round(seen.shown - before)} ms after it was asked (wanted: 150), long tasks over 50 ms: ${JSON.stringify(seen.long)} (wanted: none)`);
		expect(seen.shown).toBeGreaterThan(0);
		await expect.poll(async () => focused()).toBe("(the question)");
	});
});

describe("a draft that is put again", () => {
	const places = `${modal} .vault-bridge-place-note`;

	it("shows what is new, what is the person's, and where others changed the same, which is chosen place by place", async () => {
		bridge.answers.set("consent.resolve", () => ({ accepted: false, question: null, reason: "It has changed again" }));
		await ask(putAgain());
		const text = await page.textContent(modal);
		for (const part of ["edited by you", "changed since you looked", "as you saw it", "What has changed since you looked", "Long.md, line 91 has been edited in the same place meanwhile.", "second theirs", "Gone.md is not there any more."])
			expect(text).toContain(part);
		await expect.poll(async () => page.locator(places).first().locator("button").allTextContents()).toEqual(["Keep what is there", "Take the draft", "Take both"]);
		await page.click(`${places} button:text-is("Take both")`);
		await expect.poll(async () => page.isVisible(`${places} >> text=It has changed again`)).toBe(true);
		expect(bridge.asked.filter((one) => one.method === "consent.resolve").map((one) => one.params)).toMatchObject([{ requestId: "c-again", choices: [{ placeId: "p-1", take: "both" }] }]);
	});

	it("takes a part and sends the rest back, with words about a line", async () => {
		await ask(putAgain());
		await page.click(`${modal} .vault-bridge-hunk-header button:text-is("Comment") >> nth=0`);
		await page.fill(`${modal} textarea[aria-label="Comment on Long.md"]`, "Say **which** <b>one</b>");
		await page.fill(`${modal} .vault-bridge-message`, "Nearly");
		await page.uncheck(`${modal} input[aria-label="Include Long.md"]`);
		await page.waitForSelector(`${button("Allow 1 of 3")}[aria-disabled="false"]`);
		await page.click(button("Allow these, send the rest back"));
		await expect.poll(answers).toMatchObject([{ decision: "allow_once", feedback: "Nearly", hunks: { "Long.md": [] }, sendBack: true, comments: [{ path: "Long.md", line: 4, text: "Say **which** <b>one</b>" }] }]);
	});

	it("goes back as a whole where nothing is left out", async () => {
		await ask(putAgain());
		await armed();
		await page.click(button("Send back"));
		await expect.poll(answers).toMatchObject([{ decision: "deny_once" }]);
	});
});
