/** The question on the screen, in a real browser: what is shown, what answers it and what does not. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { files, hostile, huge, hunks, named, network, question, read, unnamed } from "./questions";

let browser: Browser;
let bridge: FakeBridge;
let page: Page;

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
beforeEach(async () => {
	bridge = new FakeBridge();
	await bridge.start();
	page = await browser.open({ vault: bridge.vault });
	await page.waitForSelector(".vault-bridge-status.is-connected");
});
afterEach(async () => {
	await page.close();
	bridge.end();
});

const modal = ".vault-bridge-consent";
const button = (name: string): string => `.vault-bridge-answers button:text-is("${name}")`;
const ask = async (...questions: object[]): Promise<void> => {
	for (const one of questions) bridge.ask(one);
	await page.waitForSelector(modal);
};
const armed = async (): Promise<void> => { await page.waitForSelector(`${button("Allow once")}[aria-disabled="false"]`); };
const focused = async (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? "");
const answers = (): unknown[] => bridge.asked.filter((one) => one.method === "consent.respond").map((one) => one.params);

describe("what is shown", () => {
	it("is who asks, why, what happens, the words that change, and where the old bytes are kept", async () => {
		await ask(question());
		const text = await page.textContent(modal);
		for (const part of ["Apply patch", "High risk", "Claude Code", "You asked me to bring the plan", "Edit Projects/Balcony garden.md", "2 notes link here", "+4", "−3", ".vault-bridge/backups/patch-1f0c9a/"])
			expect(text).toContain(part);
		expect(await page.$$eval(".is-removed .vault-bridge-changed", (all) => all.map((el) => el.textContent))).toEqual(["planned", "go", "Old plan", " "]);
		expect(await page.$$eval(".vault-bridge-facts li", (all) => all.map((el) => el.textContent))).toEqual(["Property status changed from planned to planted", "Link now points to Seeds instead of Old plan"]);
		expect(await page.textContent(".is-added .vault-bridge-escape")).toBe("··");
	});

	it("is only the answers that are offered", async () => {
		await ask(read());
		expect(await page.$$eval(".vault-bridge-answer", (all) => all.map((el) => el.textContent))).toEqual(["Never allow", "Deny for session", "Deny", "Always allow", "Allow for session", "Allow once"]);
		expect(await page.textContent(".vault-bridge-scope")).toContain("every use of Grep by this client");
	});

	it("is the exact request of a tool that leaves the vault", async () => {
		await ask(network());
		expect(await page.textContent(".vault-bridge-request")).toContain("GET https://example.org/tomatoes");
	});

	it("is short where the bridge says that the person wants it so, and the exact request all the same", async () => {
		await ask({ ...network(), brief: true });
		const text = await page.textContent(modal);
		expect(text).toContain("GET https://example.org/tomatoes");
		expect(text).not.toContain("Parameters");
		expect(text).not.toContain("Fetches one page.");
	});

	it("is that other notes link to what is deleted", async () => {
		await ask(question({ operation: "delete", scope: { kind: "write_delete", hasBacklinks: true } }));
		expect(await page.textContent(modal)).toContain("Other notes link to this.");
	});

	it("is every file of a change, each with what happens to it", async () => {
		await ask(files());
		expect(await page.$$eval(".vault-bridge-file-change", (all) => all.map((el) => el.textContent))).toEqual(["Moved", "Changed", "New folder", "Deleted"]);
		await page.click('summary:has-text("Projects/Old.md")');
		await page.waitForSelector(".vault-bridge-file.is-delete .vault-bridge-file-body:has-text('Nothing of worth.')");
	});

	it("is parameters as a table, and as JSON when wanted", async () => {
		await ask(read());
		expect(await page.$$eval(".vault-bridge-parameters th", (all) => all.map((el) => el.textContent))).toEqual(["pattern", "contextLines", "caseSensitive", "filePattern"]);
		await page.click("text=Show as JSON");
		expect(JSON.parse((await page.textContent(".vault-bridge-json")) ?? "")).toMatchObject({ contextLines: 2, filePattern: null });
	});
});

describe("a yes", () => {
	it("does not count in the first moments, and then takes the digest along", async () => {
		await ask(question());
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
		await armed();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-1", decision: "allow_once", planDigest: "sha256:0123" });
		await page.waitForSelector(modal, { state: "detached" });
	});

	it("is never given by Enter, and is by Space", async () => {
		await ask(question());
		expect(await focused()).toBe("Deny");
		await armed();
		await page.focus(button("Allow once"));
		await page.keyboard.press("Enter");
		expect(answers()).toEqual([]);
		await page.keyboard.press("Space");
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once" });
	});

	it("does not count again right after the window came to the front", async () => {
		await ask(question());
		await armed();
		await page.evaluate(() => { window.dispatchEvent(new Event("focus")); });
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toEqual([]);
	});
});

describe("a no", () => {
	it("is what Escape says, once", async () => {
		await ask(question());
		await page.keyboard.press("Escape");
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "deny_once" });
		await page.waitForSelector(modal, { state: "detached" });
		expect(answers()).toHaveLength(1);
	});

	it("takes the person's words along", async () => {
		await ask(question());
		await page.fill(".vault-bridge-message", "Leave the shopping list alone.");
		await page.click(button("Deny"));
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "deny_once", feedback: "Leave the shopping list alone." });
	});

	it("is not given by a key that was meant for the note", async () => {
		await ask(question());
		await page.keyboard.press("Enter");
		await page.keyboard.press("Space");
		expect(answers()).toEqual([]);
	});

	it("is not given by a click beside the question", async () => {
		await ask(question());
		await page.mouse.click(10, 10);
		expect(await page.isVisible(modal)).toBe(true);
		expect(answers()).toEqual([]);
	});

	it("can be said to all that wait", async () => {
		bridge.answers.set("consent.respond", () => ({ accepted: true, outcome: "denied", by: "Obsidian" }));
		await ask(question(), question({ requestId: "c-2" }), question({ requestId: "c-3" }));
		await page.waitForSelector("text=1 of 3");
		await page.click("text=Deny all 3");
		await page.waitForSelector(modal, { state: "detached" });
		await page.waitForFunction(() => !document.querySelector(".vault-bridge-status.is-asking"));
		expect(answers()).toMatchObject([{ requestId: "c-1" }, { requestId: "c-2" }, { requestId: "c-3" }].map((one) => ({ ...one, decision: "deny_once" })));
	});
});

describe("who asks", () => {
	it("is the name that the person gave; what the program calls itself stands beside it as a claim", async () => {
		await ask(named());
		expect(await page.textContent(".vault-bridge-who strong")).toBe("Claude Code");
		expect(await page.textContent(".vault-bridge-who")).toBe("Claude Code, calls itself “claude-code 2.1”Not verified wants to:");
	});

	it("is without a name where nobody gave one, whatever the program calls itself", async () => {
		await ask(unnamed());
		expect(await page.textContent(".vault-bridge-who strong")).toBe("A program without a name of its own");
		expect(await page.textContent(".vault-bridge-claim")).toBe("“Claude Code”");
		expect(await page.textContent(".vault-bridge-who .vault-bridge-badge")).toBe("Not verified");
	});

	it("is nobody known, with a bridge that knows no single programs", async () => {
		await ask(question());
		expect(await page.textContent(".vault-bridge-who strong")).toBe("A program without a name of its own");
		expect(await page.textContent(".vault-bridge-claim")).toBe("“Claude Code”");
	});
});

describe("an answer for longer", () => {
	const options = async (index: number): Promise<string[]> => page.locator(".vault-bridge-extent select").nth(index).locator("option").allTextContents();
	const choose = async (index: number, label: string): Promise<void> => { await page.locator(".vault-bridge-extent select").nth(index).selectOption({ label }); };

	it("is for every use of a tool that reads, by this program; a denial for good is for every program", async () => {
		await ask(named());
		expect(await options(0)).toEqual(["Every use of Grep", "Projects/Balcony garden.md", "The folder Projects/", "The whole vault"]);
		expect(await options(1)).toEqual(["Allow this program, deny all", "Only Claude Code", "Every program"]);
		const said = await page.textContent(".vault-bridge-scope");
		expect(said).toContain("Always allow: every use of Grep by Claude Code until you take it back, or it lapses unused.");
		expect(said).toContain("Never allow: every use of Grep by every program until you take it back.");
		await armed();
		await page.click(button("Always allow"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-named", decision: "allow_always", everyone: false });
	});

	it("says where it reaches and for whom, as the person chooses", async () => {
		await ask(named());
		await choose(0, "The folder Projects/");
		await choose(1, "Every program");
		expect(await page.textContent(".vault-bridge-scope")).toContain("Always allow: reading the folder Projects/ with any tool by every program");
		await armed();
		await page.click(button("Always allow"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-named", decision: "allow_always", reach: "folder", everyone: true });
	});

	it("for the session has a reach and nobody else to hold for", async () => {
		await ask(unnamed({ covers: "target" }));
		expect(await options(0)).toEqual(["Projects/Balcony garden.md", "The folder Projects/", "The whole vault"]);
		expect(await page.textContent(".vault-bridge-scope")).toContain("Allow for session: Grep for Projects/Balcony garden.md by this program until it disconnects.");
		await armed();
		await page.click(button("Allow for session"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-unnamed", decision: "allow_session", reach: "file" });
	});

	it("that denies for good can be for one program", async () => {
		await ask(named());
		await choose(1, "Only Claude Code");
		await page.click(button("Never allow"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-named", decision: "deny_always", everyone: false });
	});

	it("does not count in the moment after something else was chosen", async () => {
		await ask(named());
		await armed();
		await choose(0, "The whole vault");
		await page.click(button("Always allow"), { force: true });
		expect(answers()).toEqual([]);
	});

	it("leaves nothing to choose where there is one possibility, as with an older bridge, which is sent nothing new", async () => {
		await ask(read());
		expect(await page.isVisible(".vault-bridge-extent")).toBe(false);
		await armed();
		await page.click(button("Always allow"));
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-read", decision: "allow_always" });
	});

	it("is taken for once when the question is closed", async () => {
		await ask(named());
		await choose(0, "The whole vault");
		await page.keyboard.press("Escape");
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-named", decision: "deny_once" });
	});
});

describe("several questions", () => {
	it("come one after the other, each with its own moment before a yes counts", async () => {
		await ask(question(), question({ requestId: "c-2", summary: "The second" }));
		await armed();
		await page.click(button("Allow once"));
		await page.waitForSelector("text=The second");
		await page.click(button("Allow once"), { force: true });
		expect(answers()).toHaveLength(1);
	});

	it("can be left for later, and the status bar brings them back", async () => {
		await ask(question());
		await page.click("text=View audit log");
		await page.waitForSelector(".vault-bridge-log");
		expect(await page.isVisible(modal)).toBe(false);
		expect(answers()).toEqual([]);
		await page.click(".vault-bridge-status.is-asking");
		expect(await page.isVisible(modal)).toBe(true);
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
		expect(await page.textContent(".notice")).toContain(sentence);
		expect(answers()).toEqual([]);
	});

	it("cannot be answered any more once its time is up", async () => {
		await ask(question({ expiresAt: new Date(Date.now() + 1500).toISOString() }));
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
		expect(await page.textContent(".notice")).toContain("It was denied in vault-bridge approve.");
	});
});

describe("a bridge that goes", () => {
	it("leaves no question behind that it no longer knows when it is back", async () => {
		await ask(question());
		bridge.stop();
		await page.waitForSelector("text=The connection to the bridge is lost");
		expect(await page.getAttribute(button("Deny"), "aria-disabled")).toBe("true");
		bridge.pending = [];
		await bridge.start();
		await page.waitForSelector(modal, { state: "detached", timeout: 15_000 });
		expect(await page.textContent(".notice")).toContain("The bridge stopped before it was answered, so nothing was done.");
	});

	it("can be answered when it is back and still asks", async () => {
		await ask(question());
		bridge.stop();
		await page.waitForSelector("text=The connection to the bridge is lost");
		await bridge.start();
		await page.waitForSelector("text=The connection to the bridge is lost", { state: "hidden", timeout: 15_000 });
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
		expect(await page.$$(".vault-bridge-hunk-header input")).toHaveLength(0);
	});
});

describe("hostile text", () => {
	it("in every field is drawn as text, and leaves the answers in reach", async () => {
		await ask(hostile());
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		expect(await page.$$(`${modal} script, ${modal} img, ${modal} a`)).toHaveLength(0);
		const text = (await page.textContent(modal)) ?? "";
		expect(/\p{Bidi_Control}|\u200b/u.test(text)).toBe(false);
		expect(text).toContain("U+202E");
		expect(text.length).toBeLessThan(100_000);
		for (const name of ["Deny", "Allow once"]) {
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
		await page.waitForFunction(() => document.querySelectorAll(".vault-bridge-row").length >= 7500, undefined, { timeout: 20_000 });
		const seen = await page.evaluate(() => (window as unknown as { seen: { long: number[]; shown: number } }).seen);
		console.warn(`5,000 lines: visible ${Math.round(seen.shown - before)} ms after it was asked (wanted: 150), long tasks over 50 ms: ${JSON.stringify(seen.long)} (wanted: none)`);
		expect(seen.shown).toBeGreaterThan(0);
		expect(await focused()).toBe("Deny");
	});
});

describe("keyboard and zoom", () => {
	it("keeps the Tab key inside the question", async () => {
		await ask(question());
		const inside: boolean[] = [];
		for (let press = 0; press < 20; press++) {
			await page.keyboard.press("Tab");
			inside.push(await page.evaluate(() => document.querySelector(".vault-bridge-consent")?.contains(document.activeElement) ?? false));
		}
		expect(inside).not.toContain(false);
	});

	it("can be answered at 200 % zoom", async () => {
		await page.setViewportSize({ width: 550, height: 400 });
		await ask(question());
		await armed();
		await page.locator(button("Allow once")).scrollIntoViewIfNeeded();
		await page.click(button("Allow once"));
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once" });
	});
});
