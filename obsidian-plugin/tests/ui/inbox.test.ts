/** What waits for the person: the count in the status bar, the list, and a word at the start and when something comes. */

import { describe, expect, it } from "vitest";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";
import { runCommand } from "./plugin";
import { drafted, handedIn, night, question, submitted } from "./questions";

eachTestHasAWindow();

const status = ".vault-bridge-status";
const row = ".vault-bridge-inbox .setting-item";
const two = new Date(new Date().setHours(2, 10, 0, 0)).toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });
const change = (...lines: object[]): void => {
	bridge.inbox = lines;
	bridge.notify("drafts.changed", {});
};
const show = async (name: string): Promise<void> => page.click(`${row}:has-text("${name}") button`);

describe("the status bar", () => {
	it("counts what waits, and opens the list with a click and with a key", async () => {
		change(...night());
		await page.waitForSelector(`${status}.is-asking:has-text("5 waiting")`);
		await page.click(status);
		await expect.poll(async () => page.locator(row).count()).toBe(5);
		await page.keyboard.press("Escape");
		await page.focus(status);
		await page.keyboard.press("Enter");
		await page.waitForSelector(row);
	});

	it("opens the list also where it is drawn anew while it is pressed", async () => {
		change(...night());
		await page.waitForSelector(`${status}.is-asking:has-text("5 waiting")`);
		await page.hover(`${status} .status-bar-item-segment`, { force: true });
		await page.mouse.down();
		change(...night().slice(1));
		await page.waitForSelector(`${status}.is-asking:has-text("4 waiting")`);
		await page.mouse.up();
		await expect.poll(async () => page.locator(row).count()).toBe(4);
	});

	it("leads to the question where nothing but questions waits", async () => {
		bridge.inbox = [handedIn({ kind: "question", ids: ["c-1"], questions: ["c-1"] })];
		bridge.ask(question());
		await page.waitForSelector(".vault-bridge-consent");
		await page.keyboard.press("Escape");
		await page.click(`${status}.is-asking:has-text("1 question")`);
		await page.waitForSelector(".vault-bridge-consent");
	});

	it("does not say of what is handed in that it is being drafted", async () => {
		bridge.drafts = [drafted({ state: "handed_in" })];
		change(handedIn());
		await page.waitForSelector(`${status}:has-text("1 waiting")`);
		await expect.poll(async () => page.isVisible(".vault-bridge-drafting")).toBe(false);
	});

	it("knows of nothing while the bridge is away, and asks again when it is back", async () => {
		change(handedIn());
		await page.waitForSelector(`${status}:has-text("1 waiting")`);
		bridge.stop();
		await page.waitForSelector(`${status}:not(.is-asking)`);
		await bridge.start();
		await page.waitForSelector(`${status}:has-text("1 waiting")`);
	});

	it("is as before where the bridge is older and has no inbox", async () => {
		bridge.answers.delete("inbox.list");
		bridge.notify("drafts.changed", {});
		await page.waitForSelector(`${status}.is-connected`);
		await runCommand(page, "open-inbox");
		await page.waitForSelector(".vault-bridge-inbox .vault-bridge-empty");
	});
});

describe("the list", () => {
	it("says who, how much, what, why, since when and until when", async () => {
		change(...night());
		await page.click(`${status}:has-text("5 waiting")`);
		await expect.poll(async () => page.locator(`${row} .setting-item-name`).allTextContents()).toEqual([
			"Claude Code handed in 12 files",
			"Tablet has left a draft: 3 files",
			"Claude Code: Fetch https://docs.obsidian.md/plugins",
			"A program without a name of its own: 25 questions",
			"Another program: 17 notes changed, 3 deleted",
		]);
		const about = await page.locator(`${row} .setting-item-description`).allTextContents();
		expect(about[0]).toMatch(new RegExp(`^Create Night/One.md with 4 lines, and 11 more\nSince ${two}, kept until .+`, "u"));
		expect(about[2]).toContain("It says: The page says how the folder of a plugin is called.");
	});

	it("leads to each thing", async () => {
		bridge.inbox = night();
		bridge.drafts = [drafted({ draftId: "draft-0a1b2c3d", state: "handed_in" })];
		bridge.ask(submitted({ waiting: true }));
		bridge.notify("drafts.changed", {});
		await page.click(`${status}:has-text("5 waiting")`);
		await show("has left a draft");
		await page.waitForSelector(".vault-bridge-draft");
		await page.click(status);
		await show("Another program");
		await page.waitForSelector('[data-change="outside-2"], .vault-bridge-change');
		bridge.inbox = [handedIn({ questions: ["c-draft"] })];
		bridge.notify("drafts.changed", {});
		await page.click(`${status}:has-text("1 waiting")`);
		await show("handed in 12 files");
		await page.waitForSelector(".vault-bridge-consent");
	});

	it("follows what comes and goes while it is open, and says when nothing waits", async () => {
		await runCommand(page, "open-inbox");
		await page.waitForSelector('.vault-bridge-inbox :text("Nothing waits for you.")');
		change(handedIn(), handedIn({ ids: ["draft-2"] }));
		await expect.poll(async () => page.locator(row).count()).toBe(2);
		change();
		await page.waitForSelector('.vault-bridge-inbox :text("Nothing waits for you.")');
	});

	it("names each button after its row, and leaves the focus on it when the list is another", async () => {
		change(...night());
		await page.waitForSelector(`${status}:has-text("5 waiting")`);
		await page.click(status);
		const names = await page.locator(`${row} button`).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
		expect(new Set(names).size).toBe(5);
		expect(names[1]).toContain("Tablet has left a draft");
		await page.locator(`${row} button`).nth(1).focus();
		change(...night().slice(1));
		await expect.poll(async () => page.locator(row).count()).toBe(4);
		expect(await page.locator(":focus").getAttribute("aria-label")).toBe(names[1]);
	});

	it("draws what comes from outside as text, and of thousands of things only the first", async () => {
		const hostile = "<img src=x onerror='window.hacked = true'>\u001b[31m \u202eevil";
		change(...Array.from({ length: 2_000 }, (_, index) => handedIn({ kind: "question", client: hostile, summary: index < 200 ? hostile.repeat(99) : hostile, reason: hostile, ids: [`c-${index}`] })), handedIn({ client: hostile, summary: hostile, ids: [hostile] }));
		await expect.poll(async () => page.textContent(".notice")).toContain("U+202E");
		expect(await page.locator(".notice img").count()).toBe(0);
		await page.click(`${status}:has-text("2001 waiting")`);
		await expect.poll(async () => page.locator(row).count()).toBe(100);
		await page.waitForSelector('.vault-bridge-inbox :text("And 1901 more")');
		await expect.poll(async () => page.textContent(`${row} >> nth=0`)).toContain("U+202E");
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.locator(`${row} img`).count()).toBe(0);
	});
});

describe("what is handed in", () => {
	const notice = (text: string): string => `.notice:has-text("${text}")`;

	it("is said at the start, with how much else waits, and leads to the list", async () => {
		bridge.inbox = night();
		const later = await browser.open({ vault: bridge.vault });
		await later.waitForSelector(notice(`Claude Code handed in 12 files at ${two}`));
		await later.waitForSelector(notice("5 things wait for you."));
		await later.click('.notice button:text-is("Show")');
		await expect.poll(async () => later.locator(row).count()).toBe(5);
		await later.close();
	});

	it("is said once when it comes, and no longer when it is decided", async () => {
		change(handedIn());
		await page.waitForSelector(notice(`Claude Code handed in 12 files at ${two}`));
		await page.click(".notice");
		change(handedIn(), handedIn({ kind: "left", ids: ["draft-2"] }));
		await page.waitForSelector(`${status}:has-text("2 waiting")`);
		await expect.poll(async () => page.isVisible(notice("handed in"))).toBe(false);
		change(handedIn(), handedIn({ client: "Codex", files: 1, ids: ["draft-3"] }));
		await page.waitForSelector(notice(`Codex handed in 1 file at ${two}`));
		change();
		await page.waitForSelector(notice("handed in"), { state: "detached" });
	});

	it("is not said a second time by its question, which waits quietly", async () => {
		bridge.inbox = [handedIn({ questions: ["c-draft"] })];
		bridge.ask(submitted({ waiting: true, createdAt: new Date().toISOString() }));
		await page.waitForSelector(notice("Claude Code handed in 12 files"));
		await expect.poll(async () => page.locator(".notice").count()).toBe(1);
		await expect.poll(async () => page.isVisible(".vault-bridge-consent")).toBe(false);
	});

	it("is said by the system to a person who is elsewhere, as text, and only where they want it", async () => {
		await page.evaluate(() => {
			const shown: { title: string; body: string }[] = [];
			class FakeNotification {
				static permission = "granted";
				onclick: (() => void) | null = null;
				constructor(title: string, options: { body: string }) { shown.push({ title, body: options.body }); }
				close(): void { /* gone */ }
			}
			Object.assign(window, { Notification: FakeNotification, shown });
			Object.defineProperty(document, "hasFocus", { value: () => false });
		});
		const shown = async (): Promise<{ body: string }[]> => page.evaluate(() => (window as unknown as { shown: { body: string }[] }).shown);
		change(handedIn({ client: "<b>Robot</b>\u202e" }));
		await expect.poll(shown).toEqual([{ title: "Vault Bridge", body: `‹b›Robot‹/b›[U+202E] handed in 12 files at ${two.replace(/\s/u, " ")}` }]);
		await page.evaluate(() => { window.host.app.saveLocalStorage("vault-bridge", { notify: false }); });
		change(handedIn({ ids: ["draft-2"] }));
		await expect.poll(async () => page.locator(notice("Claude Code handed in")).count()).toBe(1);
		await expect.poll(async () => (await shown()).length).toBe(1);
	});
});
