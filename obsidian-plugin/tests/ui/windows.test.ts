/** More than one window: a view in a pop-out, tabs that nobody has looked at, and tabs that are closed. */

import type { Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { runCommand } from "./plugin";
import { question } from "./questions";

eachTestHasAWindow();
afterEach(async () => {
	for (const one of page.context().pages()) if (one !== page && (await one.opener()) === page) await one.close();
});

const LOG = "vault-bridge-log";
const queries = (): number => bridge.asked.filter((one) => one.method === "audit.query").length;
/** Open a view of ours in a window of its own, which is then the active one. */
const popOut = async (type: string): Promise<Page> => {
	const opened = page.waitForEvent("popup");
	await page.evaluate(async (name) => {
		const { workspace } = window.host.app;
		const leaf = workspace.openPopoutLeaf();
		await leaf.setViewState({ type: name, active: true });
		await workspace.revealLeaf(leaf);
	}, type);
	return opened;
};

describe("in a window that was popped out", () => {
	it("the log is drawn, filtered and opened as in the main one", async () => {
		const other = await popOut(LOG);
		await other.click('.vault-bridge-log-row:has-text("changed “Welcome.md”") >> nth=-1 >> summary');
		await other.waitForSelector(".vault-bridge-log-detail");
		await other.selectOption('[aria-label="Kind"]', "decision");
		await expect.poll(queries).toBeGreaterThan(1);
	});

	it("a question is asked where the person is, and answered there", async () => {
		const other = await popOut(LOG);
		bridge.ask(question());
		await other.waitForSelector(".vault-bridge-consent");
		await expect.poll(async () => page.$$(".vault-bridge-consent")).toHaveLength(0);
		await other.click('.vault-bridge-answers button:text-is("Deny until the bridge stops")');
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "deny_once" });
		await other.waitForSelector(".vault-bridge-consent", { state: "detached" });
	});

	it("the log is exported", async () => {
		bridge.answers.set("audit.export", () => ({ format: "json", text: "[]", records: 0, truncated: false }));
		const other = await popOut(LOG);
		const saved = Promise.race([page.waitForEvent("download"), other.waitForEvent("download")]);
		await other.click('button:text-is("Export JSON")');
		expect((await saved).suggestedFilename()).toMatch(/^tool-log-.*\.json$/);
	});
});

describe("a tab that nobody has looked at yet", () => {
	it("is shown instead of a second one", async () => {
		await page.evaluate(async (type) => { await window.host.app.workspace.getLeaf("tab").setViewState({ type }); }, LOG);
		expect([queries(), await page.$$(".vault-bridge-log")]).toEqual([0, []]);
		await runCommand(page, "view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		expect(await page.evaluate((type) => window.host.app.workspace.getLeavesOfType(type).length, LOG)).toBe(1);
	});
});

describe("a tab that is closed", () => {
	it.each([["view-tool-logs", ".vault-bridge-log-row"], ["show-changes", ".vault-bridge-change"]])("asks the bridge nothing any more: %s", async (command, row) => {
		await runCommand(page, command);
		await page.waitForSelector(row);
		await page.evaluate(() => {
			window.host.app.workspace.iterateAllLeaves((leaf) => { leaf.detach(); });
		});
		await bridge.request("host.dirty", { paths: [] }); // its answer comes after what was asked before
		const before = bridge.asked.length;
		bridge.notify("audit.appended", { timestamp: new Date().toISOString(), kind: "execution", tool: "grep" });
		bridge.notify("tool.finished", { executionId: "grep-1", tool: "grep", client: "Claude Code", durationMs: 3, success: true });
		// Longer than the view would have waited for more news.
		await page.waitForTimeout(600);
		expect(bridge.asked.slice(before)).toEqual([]);
	});
});
