/** Questions and the person's attention: while they write, while they are elsewhere, and what else waits. */

import { beforeEach, describe, expect, it } from "vitest";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";
import { create, many, question, read } from "./questions";
import { letTimeGoOn, noteText, stopTime } from "./plugin";

eachTestHasAWindow();

const modal = ".vault-bridge-consent";
const answers = (method = "consent.respond"): unknown[] => bridge.asked.filter((one) => one.method === method).map((one) => one.params);
const notice = async (text: string): Promise<void> => { await page.waitForSelector(`.notice:has-text("${text}")`); };

/** A note in an editor, with the caret in it. */
async function write(): Promise<void> {
	await page.evaluate(() => {
		const editor = document.body.createEl("textarea", { cls: "a-note" });
		editor.focus();
	});
}

describe("a question that comes while the person types", () => {
	it("takes no key and no focus, answers nothing, and opens when they ask for it", async () => {
		await write();
		const text = "Yesterday we sat on the balcony and spoke of tomatoes and of string. ";
		let typed = 0;
		for (const letter of text) {
			await page.keyboard.press(letter === " " ? "Space" : letter, { delay: 20 });
			await page.waitForTimeout(40);
			if (++typed === 20) bridge.ask(question());
			if (typed === 40) bridge.ask(question({ requestId: "c-2" }));
		}
		await expect.poll(async () => page.inputValue(".a-note")).toBe(text);
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		await notice("2 questions to answer");
		await expect.poll(async () => page.innerText(".vault-bridge-status.is-asking")).toBe("2 questions");
		await page.click('.notice button:text-is("Show")');
		await page.waitForSelector(modal);
		await expect.poll(async () => page.isVisible(".notice")).toBe(false);
		expect(answers()).toEqual([]);
	});

	it("does not open while the caret is in a text, even when they pause", async () => {
		await page.clock.install();
		await write();
		await page.clock.runFor(60_000);
		bridge.ask(question());
		await notice("Edit Projects/Balcony garden.md");
		await page.clock.runFor(60_000);
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		await page.keyboard.press("Enter");
		await expect.poll(async () => page.inputValue(".a-note")).toBe("\n");
	});

	it("does not open in the two seconds after a key, wherever the key went", async () => {
		await page.clock.setFixedTime(new Date());
		await page.keyboard.press("ArrowDown");
		bridge.ask(question());
		await notice("Edit Projects/Balcony garden.md");
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
	});

	it("does not open while a letter is being composed", async () => {
		await page.clock.install();
		await page.evaluate(() => document.body.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true })));
		await page.clock.runFor(10_000);
		bridge.ask(question());
		await notice("Edit Projects/Balcony garden.md");
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
	});

	it("opens at once where nobody is writing", async () => {
		bridge.ask(question());
		await page.waitForSelector(modal);
	});

	it("follows at once where the person has just answered another, though the caret was in a text before", async () => {
		await write();
		bridge.ask(question());
		bridge.ask(question({ requestId: "c-2", summary: "The second" }));
		await page.waitForSelector(".vault-bridge-status.is-asking:has-text('2 questions')");
		await page.click(".vault-bridge-status.is-asking");
		await page.click(`${modal} .vault-bridge-answers button:text-is("Deny until the bridge stops")`);
		await page.waitForSelector(`${modal} :text("The second")`);
	});
});

describe("a person who is elsewhere", () => {
	beforeEach(async () => {
		await page.evaluate(() => {
			const shown: { title: string; body: string; silent: boolean; click: () => void }[] = [];
			class FakeNotification {
				static permission = "granted";
				onclick: (() => void) | null = null;
				constructor(title: string, options: { body: string; silent: boolean }) {
					shown.push({ title, ...options, click: () => this.onclick?.() });
				}
				close(): void { /* gone */ }
			}
			Object.assign(window, { Notification: FakeNotification, shown });
			Object.defineProperty(document, "hasFocus", { value: () => false });
		});
	});
	const shown = async (): Promise<{ title: string; body: string; silent: boolean }[]> => page.evaluate(() => (window as unknown as { shown: { title: string; body: string; silent: boolean }[] }).shown);

	it("is told by the system: the tool and the file's name, nothing that is markup, and no sound", async () => {
		bridge.ask(question({ summary: "<b>Free</b>", reason: "<i>Click</i>", tool: { name: "x", title: "<b>Edit</b> & go", description: "", icon: "x" }, preview: { files: [{ path: "Projects/<img src=x>\u202egarden.md", change: "delete", diff: "" }] } }));
		await expect.poll(shown).toMatchObject([{ title: "Vault Bridge asks: ‹b›Edit‹/b› ＆ go", body: "‹img src=x›[U+202E]garden.md", silent: true }]);
	});

	it("comes to the question with a click, also where they were writing before", async () => {
		await write();
		bridge.ask(question());
		await expect.poll(shown).toHaveLength(1);
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		await page.evaluate(() => { (window as unknown as { shown: { click: () => void }[] }).shown[0]?.click(); });
		await page.waitForSelector(modal);
	});

	it("is told once where many questions come at the same time", async () => {
		for (let index = 0; index < 30; index++) bridge.ask(question({ requestId: `c-${index}` }));
		await page.waitForSelector(".vault-bridge-status.is-asking:has-text('30 questions')");
		await expect.poll(async () => shown()).toHaveLength(1);
	});

	it("is told nothing where they do not want it", async () => {
		await page.evaluate(() => { window.host.app.saveLocalStorage("vault-bridge", { notify: false }); });
		bridge.ask(question());
		await page.waitForSelector(modal);
		await expect.poll(async () => shown()).toEqual([]);
	});
});

describe("the last minute of a question", () => {
	it("is said in a notice that stays, and goes with the question", async () => {
		await page.clock.install();
		await page.keyboard.press("ArrowDown");
		bridge.ask(question({ expiresAt: new Date(Date.now() + 65_000).toISOString() }));
		await notice("Claude Code: Edit Projects/Balcony garden.md");
		await page.clock.runFor(6_000);
		await notice("One minute left to answer: Claude Code: Edit Projects/Balcony garden.md");
		await page.clock.runFor(12_000);
		await notice("One minute left");
		bridge.notify("consent.resolved", { requestId: "c-1", decision: null, outcome: "timed_out", by: null });
		await page.waitForSelector('.notice:has-text("One minute left")', { state: "detached" });
	});
});

describe("the note beside the question", () => {
	it("opens, and the question waits", async () => {
		await page.evaluate(async () => {
			await window.hostDisk("write", "Garden.md", "# Garden");
			await window.host.app.vault.refresh();
		});
		bridge.ask(question({ preview: { files: [{ path: "Garden.md", change: "modify", added: 1, removed: 0, diff: "@@ -1 +1,2 @@\n # Garden\n+x\n" }] } }));
		await page.waitForSelector(modal);
		await page.click("text=Open the note beside");
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => noteText(page)).toBe("# Garden");
		await notice("Still waiting: Claude Code: Edit Projects/Balcony garden.md");
		expect(answers()).toEqual([]);
		await page.click('.notice button:text-is("Show")');
		await page.waitForSelector(modal);
	});

	it("is not offered where there is no such note yet", async () => {
		bridge.ask(create());
		await page.waitForSelector(modal);
		await expect.poll(async () => page.isVisible("text=Open the note beside")).toBe(false);
	});
});

describe("several questions of one client", () => {
	const together = async (): Promise<void> => {
		bridge.answers.set("consent.respondAll", (params) => (params["answers"] as unknown[]).map(() => ({ accepted: true, outcome: "allowed", by: "Obsidian" })));
		for (const one of [question(), question({ requestId: "c-2", summary: "The second", planDigest: "sha256:2" }), many(3), read({ requestId: "c-x", clientId: "other", client: "Other" })]) bridge.ask(one);
		await page.waitForSelector(modal);
		await page.click("text=Answer 3 together");
		await page.waitForSelector(".vault-bridge-group");
	};
	const allow = '.vault-bridge-answers button:text-matches("^Allow \\\\d+ once")';

	it("are in one list, what deletes something open, each with its diff on demand", async () => {
		await together();
		await expect.poll(async () => page.$$eval(".vault-bridge-group-row > details > summary .vault-bridge-file-name", (all) => all.map((el) => el.textContent))).toEqual(["Edit Projects/Balcony garden.md: 3 lines changed", "The second", "Move Plans.md to Archive/Plans.md, with 3 links in 3 notes, and delete Old plans.md"]);
		await expect.poll(async () => page.isVisible("text=All of last year.")).toBe(true);
		await expect.poll(async () => page.$$(".vault-bridge-group-row:first-child .vault-bridge-row")).toHaveLength(0);
		await page.click(".vault-bridge-group-row:first-child summary");
		await page.waitForSelector(".vault-bridge-group-row:first-child .vault-bridge-row");
	});

	it("are allowed together, each with the digest of what was shown; the others then come", async () => {
		await together();
		await page.uncheck('.vault-bridge-group-row:has-text("The second") > input');
		await page.waitForSelector(`${allow}[aria-disabled="false"]`);
		await expect.poll(async () => page.textContent(allow)).toBe("Allow 2 once");
		await page.click(allow);
		expect(await bridge.until("consent.respondAll")).toEqual({ answers: [{ requestId: "c-1", decision: "allow_once", planDigest: "sha256:0123" }, { requestId: "c-many", decision: "allow_once", planDigest: "sha256:0123" }] });
		await expect.poll(async () => page.$$eval(".vault-bridge-group-row", (all) => all.length)).toBe(1);
		await page.check(".vault-bridge-group-row > input");
		await page.click('.vault-bridge-answers button:text-is("Deny 1 until the bridge stops")');
		await page.waitForSelector('.vault-bridge-tool-name:text-is("Grep")');
	});

	it("are not allowed by a key without Tab, by Enter, or in the first moment", async () => {
		await stopTime(page);
		await together();
		await page.click(allow, { force: true });
		for (const key of ["Enter", "Space"]) await page.keyboard.press(key);
		await letTimeGoOn(page);
		await page.waitForSelector(`${allow}[aria-disabled="false"]`);
		await page.focus(allow);
		await page.keyboard.press("Enter");
		expect(answers("consent.respondAll")).toEqual([]);
	});

	it("are put off by Escape", async () => {
		await together();
		await page.keyboard.press("Escape");
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.innerText(".vault-bridge-status.is-asking")).toBe("4 questions");
		expect(answers("consent.respondAll")).toEqual([]);
	});

	it("take in no question that comes later, nor one that somebody edits, without being asked", async () => {
		await together();
		bridge.ask(question({ requestId: "c-9", summary: "The late one" }));
		await page.waitForSelector("text=1 more question has come. Show it.");
		await expect.poll(async () => page.$$(".vault-bridge-group-row")).toHaveLength(3);
		bridge.notify("consent.revised", question({ requestId: "c-2", summary: "Another text", planDigest: "sha256:3" }));
		await page.waitForSelector("text=Another text");
		await expect.poll(async () => page.textContent(allow)).toBe("Allow 2 once");
		await page.click("text=1 more question has come. Show it.");
		await expect.poll(async () => page.textContent(allow)).toBe("Allow 3 once");
	});
});

describe("a question that comes while the plugin asks what is open", () => {
	it("is not taken for one that the bridge no longer knows", async () => {
		const letGo = await bridge.delay("consent.pending", []);
		bridge.ask(question());
		await page.waitForSelector(modal);
		await letGo();
		await expect.poll(async () => page.isVisible(modal)).toBe(true);
		await expect.poll(() => bridge.asked.filter((one) => one.method === "consent.pending").length).toBe(3);
	});

	it("does not come back after it was answered", async () => {
		const letGo = await bridge.delay("consent.pending", [question()]);
		bridge.notify("consent.requested", question());
		await page.waitForSelector(modal);
		bridge.notify("consent.resolved", { requestId: "c-1", decision: "deny_once", outcome: "denied", by: "Claude Code" });
		await page.waitForSelector(modal, { state: "detached" });
		await letGo();
		await expect.poll(() => bridge.asked.filter((one) => one.method === "consent.pending").length).toBe(3);
		expect(await page.isVisible(modal)).toBe(false);
	});
});

describe("permissions that are counted", () => {
	const grant = { grantId: "s-7", kind: "session", who: "client", what: "adding", until: "time", client: "Claude Code", decision: "allow_session", mostFiles: 50, usedFiles: 12, sentence: "Claude Code may add in Ideas/, up to 50 files." };
	const counter = ".vault-bridge-counter";

	it("show how much of them is used, and nothing where there are none", async () => {
		await expect.poll(async () => page.isVisible(counter)).toBe(false);
		bridge.notify("grants.changed", { bounded: [grant] });
		await page.waitForSelector(`${counter}:has-text("12 of 50")`);
		await expect.poll(async () => page.getAttribute(counter, "aria-label")).toContain(grant.sentence);
		bridge.notify("grants.changed", { bounded: [{ ...grant, usedFiles: 13 }, { ...grant, grantId: "s-8", mostFiles: 20, usedFiles: 1 }] });
		await page.waitForSelector(`${counter}:has-text("14 of 70")`);
		bridge.notify("grants.changed", { bounded: [] });
		await page.waitForSelector(counter, { state: "hidden" });
	});

	it("are there when the plugin connects", async () => {
		bridge.answers.set("consent.grants", () => [grant]);
		bridge.stop();
		await bridge.start();
		await page.waitForSelector(`${counter}:has-text("12 of 50")`);
	});

	it("are not hidden by an answer from before", async () => {
		const letGo = await bridge.delay("consent.grants", []);
		bridge.notify("grants.changed", { bounded: [grant] });
		await page.waitForSelector(`${counter}:has-text("12 of 50")`);
		await letGo();
		expect(await page.isVisible(counter)).toBe(true);
	});

	it("can be ended", async () => {
		bridge.answers.set("consent.revoke", () => ({ revoked: true }));
		bridge.notify("grants.changed", { bounded: [grant] });
		await page.click(counter);
		await page.click("text=End this permission now");
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "s-7" });
	});

	it("can be undone as a whole, after a list of what is undone; the permission ends first", async () => {
		const change = { executionId: "new-1", tool: "create_note", client: "Claude Code", clientId: "0a1b2c", time: "2026-11-22T15:00:00Z", state: "applied", files: ["Ideas/One.md"], added: 1, removed: 0, canUndo: true, summary: "Create Ideas/One.md", undone: true, why: null };
		bridge.answers.set("consent.revoke", () => ({ revoked: true }));
		bridge.answers.set("history.undoAll", ({ preview }) => ({ changes: [change], undone: 1, skipped: 0, files: 1, text: preview === true ? "Would undo 1 change in 1 file" : "Undid 1 change in 1 file" }));
		bridge.notify("grants.changed", { bounded: [grant] });
		await page.click(counter);
		await page.click("text=Undo everything added");
		await page.waitForSelector("text=Would undo 1 change in 1 file");
		expect(answers("consent.revoke")).toEqual([]);
		await page.click('.modal button:text-is("Undo 1 change")');
		await notice("Undid 1 change in 1 file");
		await expect.poll(() => answers("history.undoAll")).toEqual([{ grant: "s-7", preview: true }, { executionIds: ["new-1"] }]);
		await expect.poll(() => bridge.asked.map((one) => one.method).filter((one) => one === "consent.revoke" || one === "history.undoAll")).toEqual(["history.undoAll", "consent.revoke", "history.undoAll"]);
	});
});

describe("a question that nobody sits and waits for", () => {
	const until = new Date(Date.now() + 24 * 3_600_000);
	const time = until.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });
	const goesOn = `Claude Code goes on when you answer; until tomorrow ${time}`;
	const ticket = { requestId: "c-1", expiresAt: until.toISOString() };
	const waiting = (changes: object = {}): object => ({ ...question(), waiting: true, expiresAt: until.toISOString(), ...changes });

	it("closes its window where the person has not touched it, and is in the list", async () => {
		bridge.ask(question());
		await page.waitForSelector(modal);
		bridge.notify("consent.waiting", ticket);
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.innerText(".vault-bridge-status.is-asking")).toBe("1 question");
		await expect.poll(async () => page.isVisible(".notice")).toBe(false);
		expect(answers()).toEqual([]);
		await page.click(".vault-bridge-status.is-asking");
		await page.waitForSelector(`${modal} :text("${goesOn}")`);
		await expect.poll(async () => page.innerText(".vault-bridge-time")).toBe(`Until tomorrow ${time}`);
	});

	it("stays where the person is at it, and says that there is time", async () => {
		bridge.ask(question());
		await page.waitForSelector(modal);
		await page.keyboard.press("PageDown");
		bridge.notify("consent.waiting", ticket);
		await page.waitForSelector(`${modal} :text("${goesOn}")`);
		await page.click(`${modal} .vault-bridge-answers button:text-is("Deny until the bridge stops")`);
		expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-1", decision: "deny_once" });
	});

	it("lets the next question come that somebody waits for", async () => {
		bridge.ask(question());
		await page.waitForSelector(modal);
		bridge.ask(question({ requestId: "c-2", summary: "The second" }));
		bridge.notify("consent.waiting", ticket);
		await page.waitForSelector(`${modal} :text("The second")`);
		await expect.poll(async () => page.innerText(".vault-bridge-status.is-asking")).toBe("2 questions");
	});

	it("is said once where it comes with a ticket, and opens no window", async () => {
		bridge.ask(waiting({ createdAt: await page.evaluate(() => new Date().toISOString()) }));
		await notice("Claude Code: Edit Projects/Balcony garden.md");
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		await page.click('.notice button:text-is("Show")');
		await page.waitForSelector(modal);
	});

	it("is quiet where it was asked long ago, as after a restart of the bridge", async () => {
		bridge.ask(waiting({ createdAt: new Date(Date.now() - 3_600_000).toISOString() }));
		await page.waitForSelector(".vault-bridge-status.is-asking:has-text('1 question')");
		await expect.poll(async () => page.isVisible(modal)).toBe(false);
		await expect.poll(async () => page.isVisible(".notice")).toBe(false);
	});

	it("is quiet in its last minute", async () => {
		await page.clock.install();
		bridge.ask(question({ expiresAt: new Date(Date.now() + 65_000).toISOString() }));
		await page.waitForSelector(modal);
		bridge.notify("consent.waiting", ticket);
		await page.waitForSelector(modal, { state: "detached" });
		await page.clock.runFor(70_000);
		await expect.poll(async () => page.isVisible(".notice")).toBe(false);
	});

	it("says so in the list of one client's questions", async () => {
		for (const one of [question(), waiting({ requestId: "c-2", summary: "The second" })]) bridge.ask(one);
		await page.waitForSelector(modal);
		await page.click("text=Answer 2 together");
		await page.waitForSelector(`.vault-bridge-group-row:has-text("The second") :text("${goesOn}")`);
	});

	it("is greeted with once when the window opens", async () => {
		bridge.pending.push(waiting({ createdAt: new Date(Date.now() - 3_600_000).toISOString() }));
		const later = await browser.open({ vault: bridge.vault });
		await later.waitForSelector('.notice:has-text("Still waiting: Claude Code: Edit Projects/Balcony garden.md")');
		await expect.poll(async () => later.isVisible(modal)).toBe(false);
		await later.close();
	});
});
