/** Every state of starting, light and dark. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { Machine } from "./hostMachine";
import { findings } from "./looks";
import { runCommand, showSettings } from "./plugin";

const OURS = '#!/bin/sh\nif [ "$1" = --version ]; then echo "vault-bridge 0.1.0 (Vault Bridge for Obsidian)"; exit 0; fi\n';

let browser: Browser;
beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });

interface Scene {
	page: Page;
	bridge: FakeBridge;
}
const press = async (page: Page, text: string): Promise<void> => page.click(`.vault-bridge-start button:text-is("${text}")`);
const confirmed = async (page: Page): Promise<void> => {
	await press(page, "Start the bridge");
	await page.click('.modal button:text-is("Start")');
};
const settings = async (page: Page): Promise<void> => {
	await showSettings(page);
	await page.waitForSelector('.setting-item-name:text-is("Program")');
};
const answered = async ({ page, bridge }: Scene, result: object): Promise<void> => {
	bridge.answers.set("demo.ask", () => result);
	bridge.notify("consent.resolved", { requestId: "c-1", decision: "allow_once", outcome: "allow_once", by: "Obsidian" });
	await press(page, "Ask a demo question");
	await page.waitForTimeout(200);
};

/** The program that there is (null: none), whether a bridge runs, and what is done. */
const states: [name: string, program: string | null, runs: boolean, show: (scene: Scene) => Promise<void>][] = [
	["start-missing", null, false, async () => Promise.resolve()],
	["start-found", OURS, false, async () => Promise.resolve()],
	["start-confirm", OURS, false, async ({ page }) => { await press(page, "Start the bridge"); await page.waitForSelector(".modal"); }],
	["start-starting", `${OURS}exec sleep 60\n`, false, async ({ page }) => { await confirmed(page); await page.waitForSelector('.vault-bridge-start-head:has-text("is starting")'); }],
	["start-wrong", '#!/bin/sh\necho "vault-bridge, version 1.0.4"\n', false, async ({ page }) => { await confirmed(page); await page.waitForSelector(".vault-bridge-said"); }],
	["start-failed", `${OURS}echo "The index cannot be kept: No space left on device\nMake room on the disk." >&2; exit 1\n`, false, async ({ page }) => { await confirmed(page); await page.waitForSelector(".vault-bridge-said"); }],
	["start-unreachable", OURS, true, async ({ page, bridge }) => { bridge.stop(); await page.waitForSelector('.vault-bridge-start-head:has-text("cannot be reached")'); }],
	["start-connected", OURS, true, async ({ page }) => { await page.waitForSelector(".vault-bridge-start-own"); }],
	["start-done", OURS, true, async (scene) => answered(scene, { success: true, text: 'Done: Create the demo note "Vault Bridge demo.md"', executionId: "demo-1", metadata: {} })],
	["start-denied", OURS, true, async (scene) => answered(scene, { success: false, text: "", error: "The user denied this", errorType: "permission_denied", metadata: {} })],
	["start-menu", OURS, false, async ({ page }) => { await page.click(".vault-bridge-status"); await page.waitForSelector(".menu"); }],
	["settings-device", OURS, false, async ({ page }) => { await settings(page); await page.click('.setting-item button:text-is("Test")'); await page.waitForSelector(".is-good"); }],
	["start-no-python", "#!/nowhere/python3\n", false, async ({ page }) => { await press(page, "Test the program"); await page.waitForSelector(".vault-bridge-note.is-warning"); }],
	["settings-device-wrong", null, false, async ({ page }) => { await settings(page); await page.fill('[aria-label="Path of the program"]', "~/Downloads"); await page.keyboard.press("Tab"); await page.waitForSelector(".is-error"); }],
];

describe.skipIf(process.platform === "win32")("every text can be read and every control be used, light and dark", () => {
	it.each(states)("%s", async (name, program, runs, show) => {
		const machine = new Machine();
		const bridge = new FakeBridge();
		const empty = mkdtempSync(join(tmpdir(), "Notes "));
		writeFileSync(join(empty, "Ideas.md"), "");
		if (program !== null) machine.install(".local/bin/vault-bridge", program);
		if (runs) await bridge.start();
		const page = await browser.open({ vault: runs ? bridge.vault : empty, machine, size: { width: 1100, height: 1000 } });
		await runCommand(page, "getting-started");
		await page.waitForSelector(".vault-bridge-steps");
		await show({ page, bridge });
		await page.waitForTimeout(200);
		expect(await findings(page, name)).toEqual([]);
		await page.close();
		machine.end();
		bridge.end();
		rmSync(empty, { recursive: true });
	});
});
