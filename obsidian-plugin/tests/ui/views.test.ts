/** Log, history, status and getting started, in a real browser. */

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge, RpcFault } from "./fakeBridge";
import { file } from "./files";

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

const run = async (command: string): Promise<void> => page.evaluate((id) => { window.host.app.commands.get(`vault-bridge:${id}`)?.callback?.(); }, command);
const queries = (): unknown[] => bridge.asked.filter((one) => one.method === "audit.query").map((one) => one.params);
const undo = (): void => {
	const recorded: unknown = JSON.parse(readFileSync(file("tests/recorded/preview-undo.json"), "utf8"));
	bridge.answers.set("tools.preview", () => recorded);
	bridge.answers.set("history.undo", () => ({ success: true, text: "Undone: patch-682018be", metadata: {} }));
};

describe("the log", () => {
	it("is filtered and searched by the bridge", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		await page.selectOption('[aria-label="Tool"]', "grep");
		await page.selectOption('[aria-label="Kind"]', "decision");
		await page.fill(".vault-bridge-toolbar input", "TODO");
		await expect.poll(queries).toContainEqual({ tool: "grep", kind: "decision", text: "TODO", limit: 100 });
	});

	it("shows all of a line: checksums, parameters, the diff, and undo", async () => {
		undo();
		await run("view-tool-logs");
		await page.click('.vault-bridge-log-row.is-execution:has-text("apply_patch"):has-text("ok") summary');
		const detail = page.locator(".vault-bridge-log-detail");
		await detail.waitFor();
		expect(await detail.textContent()).toContain("Checksum before");
		await detail.locator(".vault-bridge-row").first().waitFor();
		expect(await detail.locator(".vault-bridge-row.is-added .vault-bridge-line").allTextContents()).toEqual(["# Welcome to the vault"]);
		await detail.locator("text=Undo…").click();
		await page.click('.modal button:text-is("Undo")');
		expect(await bridge.until("history.undo")).toMatchObject({ executionId: expect.stringContaining("patch-") as string });
	});

	it("grows as things happen, but not under an open line", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		const before = queries().length;
		bridge.notify("audit.appended", {});
		await expect.poll(() => queries().length).toBe(before + 1);
		await page.click(".vault-bridge-log-row summary");
		bridge.notify("audit.appended", {});
		await page.waitForSelector("text=Show new lines");
		expect(queries()).toHaveLength(before + 1);
	});

	it.each([["JSON", "json"], ["CSV", "csv"]])("is exported as %s", async (name, ending) => {
		bridge.answers.set("audit.export", ({ format, kind }) => ({ format, text: `${String(format)} of patch-682018be, ${String(kind)}`, records: 1, truncated: false }));
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		await page.selectOption('[aria-label="Kind"]', "decision");
		const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text=Export ${name}`)]);
		expect(download.suggestedFilename()).toMatch(new RegExp(`^tool-log-\\d{4}-\\d\\d-\\d\\d\\.${ending}$`));
		expect(readFileSync(await download.path(), "utf8")).toBe(`${ending} of patch-682018be, decision`);
	});

	it("tells whether its chain is whole, and can be cleared, where the bridge can", async () => {
		bridge.answers.set("audit.verify", () => ({ whole: false, faultCount: 1, faults: [{ message: "Line 7 was changed." }] }));
		bridge.answers.set("audit.stats", () => ({ size: 9 }));
		bridge.answers.set("audit.clear", () => ({}));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await page.waitForSelector(".vault-bridge-status.is-connected");
		await page.waitForTimeout(200);
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-chain.is-broken:has-text('Line 7 was changed.')");
		await page.click('.vault-bridge-toolbar button:text-is("Clear")');
		await page.click('.modal button:text-is("Clear log")');
		await bridge.until("audit.clear");
	});
});

describe("the history", () => {
	it("shows what an undo does before it is done", async () => {
		undo();
		await run("undo-change");
		await page.waitForSelector(".modal .vault-bridge-diff");
		expect(bridge.asked.some((one) => one.method === "history.undo")).toBe(false);
		await page.click('.modal button:text-is("Undo")');
		expect(await bridge.until("history.undo")).toEqual({});
		await page.waitForSelector('.notice:has-text("Undone")');
	});

	it("says why there is nothing to undo", async () => {
		bridge.answers.set("tools.preview", () => ({ success: false, error: "There is nothing to undo", errorType: "not_found", text: "", metadata: {} }));
		await run("undo-change");
		await page.waitForSelector('.notice:has-text("There is nothing to undo")');
	});

	it("says so when the bridge fails", async () => {
		bridge.answers.set("history.list", () => { throw new RpcFault(-32603, "A fault in the bridge"); });
		await run("show-changes");
		await page.waitForSelector(".vault-bridge-empty:has-text('A fault in the bridge')");
	});
});

describe("the status bar", () => {
	it("shows what runs, and when an agent has to wait", async () => {
		bridge.notify("tool.started", { executionId: "x-1", tool: "grep", client: "Claude Code" });
		await page.waitForSelector('.vault-bridge-status:has-text("grep")');
		bridge.notify("tool.finished", { executionId: "x-1", tool: "grep", client: "Claude Code", success: true, durationMs: 3 });
		await page.waitForSelector('.vault-bridge-status:has-text("Bridge")');
		bridge.notify("limits.hit", { tool: "grep", retryAfter: 12, client: "Claude Code", message: "Tool rate limit reached. Please wait 12 seconds." });
		bridge.notify("limits.hit", { tool: "grep", retryAfter: 11, client: "Claude Code", message: "Tool rate limit reached. Please wait 11 seconds." });
		await page.waitForSelector(".notice");
		expect(await page.$$(".notice")).toHaveLength(1);
	});

	it("says when the bridge is lost, and when none is there", async () => {
		bridge.stop();
		await page.waitForSelector('.vault-bridge-status.is-trouble:has-text("Bridge lost")');
		bridge.end();
		await page.waitForSelector('.vault-bridge-status:has-text("No bridge")', { timeout: 15_000 });
	});

	it("opens its menu by keyboard", async () => {
		await page.focus(".vault-bridge-status");
		await page.keyboard.press("Enter");
		await page.click('.menu-item:has-text("Changes by agents")');
		await page.waitForSelector(".vault-bridge-history");
	});
});

describe("getting started", () => {
	it("opens by itself once, and offers the presets", async () => {
		const first = await browser.open({ vault: bridge.vault, welcomed: false });
		bridge.answers.set("settings.update", () => ({ settings: {}, warnings: [] }));
		await first.click('.vault-bridge-preset:has-text("Minimal")');
		expect(await bridge.until("settings.update")).toEqual({ patch: { enabledTools: ["find", "grep", "read"] } });
		expect(await first.evaluate(() => window.localStorage.getItem("vault-bridge"))).toContain('"welcomed":true');
		await first.close();
	});

	it("says in three lines what to do when there is no bridge", async () => {
		bridge.stop();
		await run("getting-started");
		expect(await page.$$(".vault-bridge-steps li")).toHaveLength(3);
		expect(await page.textContent(".vault-bridge-steps code")).toContain(`serve --vault "${bridge.vault}"`);
	});
});

it("leaves nothing behind when the plugin is unloaded", async () => {
	await page.evaluate(() => { window.host.plugin.unload(); });
	expect(await page.$$(".vault-bridge-status")).toHaveLength(0);
	expect(await page.evaluate(() => window.host.app.commands.size)).toBe(0);
});
