/** What agents stage, before anybody is asked: in the status bar and in the pane, in a real browser. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { questionShown, runCommand } from "./plugin";
import { drafted, staged, submitted } from "./questions";

eachTestHasAWindow();

const status = ".vault-bridge-drafting";
const card = ".vault-bridge-draft";
const previews = (): number => bridge.asked.filter((one) => one.method === "drafts.preview").length;
const change = (...drafts: object[]): void => {
	bridge.drafts = drafts;
	bridge.notify("drafts.changed", {});
};
const review = async (...drafts: object[]): Promise<void> => {
	bridge.answers.set("drafts.preview", () => ({ files: staged, warnings: ["Home.md was changed meanwhile"], conflicts: [] }));
	change(...drafts);
	await page.click(status);
	await page.waitForSelector(card);
};

describe("the status bar", () => {
	it("says who is drafting and how much, while somebody is", async () => {
		await expect.poll(async () => page.isVisible(status)).toBe(false);
		change(drafted());
		await page.waitForSelector(`${status}:has-text("Claude Code is drafting: 8 files")`);
		change(drafted(), drafted({ draftId: "draft-2", clientId: "x", client: "Tablet", files: ["a.md"] }));
		await page.waitForSelector(`${status}:has-text("2 programs are drafting: 9 files")`);
		change();
		await page.waitForSelector(status, { state: "hidden" });
	});

	it("says nothing of drafts while the bridge is away, and knows them when it is back", async () => {
		change(drafted());
		await page.waitForSelector(`${status}:has-text("8 files")`);
		bridge.stop();
		await page.waitForSelector(status, { state: "hidden" });
		await bridge.start();
		await page.waitForSelector(`${status}:has-text("8 files")`);
	});

	it("opens the pane with a key too", async () => {
		change(drafted());
		await page.focus(`${status}:has-text("8 files")`);
		await page.keyboard.press("Enter");
		await page.waitForSelector(card);
	});
});

describe("the review of drafts", () => {
	it("is a pane, and says that there are none", async () => {
		await runCommand(page, "review-drafts");
		await page.waitForSelector(".vault-bridge-empty:has-text('No agent is drafting.')");
		await expect.poll(async () => page.isVisible(".modal")).toBe(false);
	});

	it("shows whose a draft is, since when, its steps, and its files as they would be", async () => {
		await review(drafted());
		await page.waitForSelector(`${card} .vault-bridge-together`);
		await expect.poll(async () => page.textContent(".vault-bridge-draft-head")).toMatch(/^Claude CodeSince .+\. 3 changes staged, in 8 files, last at .+\. Nothing of it is written\./);
		await page.click('summary:has-text("Steps")');
		await expect.poll(async () => page.locator(".vault-bridge-draft-steps .vault-bridge-log-sentence").allTextContents()).toEqual(["Move Plans.md to Archive/Plans.md, with 2 links in 2 notes", "Merge Seeds (copy).md into Seeds.md", "Create New.md with 1 line"]);
		await expect.poll(async () => page.textContent(".vault-bridge-draft-files .is-warning")).toBe("Home.md was changed meanwhile");
		await expect.poll(async () => page.locator(`${card} input[type="checkbox"]`).count()).toBe(0);
	});

	it("asks what a draft would do only when somebody looks", async () => {
		await review(drafted(), drafted({ draftId: "draft-2" }));
		expect(previews()).toBe(0);
		await page.click('summary:has-text("Files") >> nth=1');
		expect(await bridge.until("drafts.preview")).toEqual({ draftId: "draft-2" });
		await page.waitForSelector(`${card} .vault-bridge-row`);
		expect(previews()).toBe(1);
	});

	it("leaves what is read where it is when more is staged, and shows the new when it is wanted", async () => {
		await review(drafted());
		await page.waitForSelector(`${card} .vault-bridge-row`);
		bridge.answers.set("drafts.preview", () => ({ files: staged.slice(-1) }));
		change(drafted({ touched: new Date().toISOString(), files: ["New.md"] }));
		await page.click("text=Show it as it is now");
		await expect.poll(async () => page.locator(`${card} .vault-bridge-file-name`).allTextContents()).toEqual(["New.md"]);
		await expect.poll(async () => page.isVisible("text=Show it as it is now")).toBe(false);
		expect(previews()).toBe(2);
	});

	it("says in words why a draft cannot be taken, or why that is not known", async () => {
		bridge.answers.set("drafts.preview", () => ({ files: [], warnings: [], conflicts: [{ placeId: "a", path: "Home.md", why: "has been edited in the same place meanwhile", line: 3, vault: "a", draft: "b", offers: ["vault"], taken: null }] }));
		change(drafted());
		await page.click(status);
		await page.waitForSelector(`${card} .is-warning:has-text("Home.md has been edited in the same place meanwhile")`);
		bridge.answers.set("drafts.preview", () => { throw new RpcFault(-32000, "Its files are damaged"); });
		change(drafted({ touched: new Date().toISOString() }));
		await page.click("text=Show it as it is now");
		await page.waitForSelector(`${card} .vault-bridge-problem:has-text("Its files are damaged")`);
	});

	it("discards a draft only when the person says so twice", async () => {
		bridge.answers.set("drafts.discard", ({ draftId }) => {
			bridge.drafts = [];
			return { draftId };
		});
		await review(drafted());
		await page.click(`${card} button:text-is("Discard…")`);
		await page.click('.modal button:text-is("Cancel")');
		expect(bridge.asked.filter((one) => one.method === "drafts.discard")).toEqual([]);
		await page.click(`${card} button:text-is("Discard…")`);
		await expect.poll(async () => page.textContent(".modal p")).toContain("Claude Code: 3 changes staged, in 8 files.");
		await page.click('.modal button:text-is("Discard")');
		expect(await bridge.until("drafts.discard")).toEqual({ draftId: "draft-0a1b2c3d" });
		await page.waitForSelector(card, { state: "detached" });
		await page.waitForSelector(".vault-bridge-empty:has-text('No agent is drafting.')");
	});

	it("draws an agent's words as text", async () => {
		const hostile = "<img src=x onerror='window.hacked = true'> \u202eevil";
		await review(drafted({ client: hostile, steps: [{ tool: hostile, summary: hostile, time: hostile }] }));
		await page.click('summary:has-text("Steps")');
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.locator(`${card} img`).count()).toBe(0);
		for (const place of [".vault-bridge-draft-client", ".vault-bridge-draft-steps", status]) await expect.poll(async () => page.textContent(place)).toContain("U+202E");
	});

	it("leads to the question of a draft that is submitted, and says so while it is open", async () => {
		await review(drafted());
		const waits = `${card} .vault-bridge-draft-question`;
		await expect.poll(async () => page.isVisible(waits)).toBe(false);
		bridge.ask(submitted());
		await questionShown(page);
		await page.keyboard.press("Escape");
		await page.waitForSelector(".vault-bridge-consent", { state: "detached" });
		await page.click(`${waits} button`);
		await page.fill(".vault-bridge-consent .vault-bridge-message", "Leave the jam where it is.");
		await page.click('.vault-bridge-consent button:text-is("Deny until the bridge stops")');
		expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-draft", decision: "deny_once", feedback: "Leave the jam where it is." });
		await page.waitForSelector(waits, { state: "hidden" });
	});

	it("gives way to the question when the draft is submitted", async () => {
		await review(drafted());
		bridge.ask(submitted());
		await page.waitForSelector('.vault-bridge-consent, .notice button:text-is("Show")');
	});
});
