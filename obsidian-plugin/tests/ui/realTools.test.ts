/** A tool of the user's own, from the editor to an agent's call: the bundle in a real browser against the real bridge. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { questionShown, runCommand } from "./plugin";
import { command, RealBridge } from "./realBridge";

let browser: Browser;
let bridge: RealBridge;
let page: Page;

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
afterEach(async () => {
	await page.close();
	await bridge.end();
});

const CODE = "localStorage.count = Number(localStorage.count ?? 0) + 1; console.log('here'); const note = parameters.path ? await bridge.call('read', { path: parameters.path }) : null; return [Number(localStorage.count), JSON.stringify(note).includes('Welcome')];";
const SCHEMA = '{"type": "object", "properties": {"path": {"type": "string"}}}';
const top = ".modal-container >> nth=-1";
const inTop = (selector: string) => page.locator(top).locator(selector);
const press = async (text: string): Promise<void> => inTop(`button:text-is("${text}")`).click();

async function addTool(): Promise<void> {
	bridge = new RealBridge({ allowedOrigins: [browser.origin], enabledTools: ["read", "counter"] });
	await bridge.start();
	page = await browser.open({ vault: bridge.vault });
	await page.waitForSelector(".vault-bridge-status.is-connected");
	await runCommand(page, "own-tools");
	await press("Allow…");
	await press("Turn on");
	await page.waitForSelector('button:text-is("Allow…")', { state: "detached" });
	await press("Add");
	await inTop('[aria-label="Name"]').fill("counter");
	await inTop('[aria-label="Environment"]').selectOption("browser");
	await inTop('[aria-label="Code"]').fill(CODE);
	await inTop('[aria-label="Parameters"]').fill(SCHEMA);
}

describe.skipIf(command === null)("with the real bridge (skipped where it is not installed: set VAULT_BRIDGE_COMMAND)", () => {
	it("a browser tool is refused, corrected, stored, tried, and called by an agent with a yes", async () => {
		await addTool();
		await press("Save");
		await inTop('.setting-item.is-invalid:has-text("Description") [role="alert"]:has-text("needs a description")').waitFor();
		await inTop('[aria-label="Description"]').fill("Counts its runs.");
		await press("Save");
		const tool = page.locator(".vault-bridge-own-tool");
		await tool.waitFor();
		await expect.poll(async () => tool.locator(".vault-bridge-badge").allTextContents()).toEqual(["Browser", "Enabled"]);

		await press("Test…");
		await press("Run");
		await inTop('.vault-bridge-result:has-text("Execution time")').waitFor();
		expect((await inTop(".vault-bridge-result").textContent())?.replace(/\s+/gu, " ")).toMatch(/Done Execution time: \d+ ms\[ 1, false \]It printedhere/u);
		await inTop('[aria-label="path"]').fill("Welcome.md");
		await press("Run");
		await inTop('.vault-bridge-result:has-text("true")').waitFor();
		await press("Close");
		await page.keyboard.press("Escape");

		const call = await bridge.agent("Claude Code");
		const answer = call("counter", {});
		const allow = '.vault-bridge-answers button:text-is("Allow once")';
		await questionShown(page);
		await page.waitForSelector(`${allow}[aria-disabled="false"]`);
		await expect.poll(async () => page.textContent(".vault-bridge-consent")).toContain("localStorage.count");
		await page.click(allow);
		expect(await answer).toMatchObject({ success: true });
		expect((await answer).text).toContain("3");

		await runCommand(page, "own-tools");
		await press("Remove…");
		await press("Remove");
		await inTop(':text("There is no tool of your own yet.")').waitFor();
	});
});
