/** A picture of every state, light and dark, in `screenshots/`: for eyes, not for comparing. */

import { mkdirSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";
import { Browser, type Theme } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { file } from "./files";
import { claude, grants, ollama } from "./programs";
import { files, hostile, hunks, named, network, question, read, unnamed } from "./questions";

let browser: Browser;
let bridge: FakeBridge;

beforeAll(async () => {
	mkdirSync(file("screenshots"), { recursive: true });
	browser = await Browser.start();
});
afterAll(async () => { await browser.close(); });
beforeEach(() => { bridge = new FakeBridge(); });
afterEach(() => { bridge.end(); });

const inSettings = async (page: Page, ...pages: string[]): Promise<void> => {
	await page.waitForSelector(".vault-bridge-status.is-connected");
	await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
	await page.waitForSelector(".mod-page");
	for (const name of pages) await page.click(`.mod-page:has-text("${name}")`);
};
const run = async (page: Page, command: string): Promise<void> => page.evaluate((id) => { window.host.app.commands.get(id)?.callback?.(); }, `vault-bridge:${command}`);
const asked = async (page: Page, ...questions: object[]): Promise<void> => {
	await page.waitForSelector(".vault-bridge-status.is-connected");
	for (const one of questions) bridge.ask(one);
	await page.waitForSelector(".vault-bridge-consent");
	await page.waitForTimeout(700);
};

const states: [name: string, show: (page: Page) => Promise<void>][] = [
	["consent-edit", async (page) => asked(page, question())],
	["consent-queue", async (page) => asked(page, question(), { ...question(), requestId: "c-2" }, { ...question(), requestId: "c-3" })],
	["consent-files", async (page) => asked(page, files())],
	["consent-read", async (page) => asked(page, read())],
	["consent-network", async (page) => asked(page, network())],
	["consent-hunks", async (page) => { await asked(page, hunks()); await page.click(".vault-bridge-hunk-header input >> nth=0"); }],
	["consent-hostile", async (page) => asked(page, hostile())],
	["consent-lost", async (page) => { await asked(page, question()); bridge.stop(); await page.waitForSelector(".vault-bridge-status:not(.is-connected)"); await page.waitForTimeout(200); }],
	["consent-soon", async (page) => asked(page, question({ expiresAt: new Date(Date.now() + 20_000).toISOString() }))],
	["consent-small", async (page) => { await page.setViewportSize({ width: 550, height: 400 }); await asked(page, question()); }],
	["consent-named", async (page) => asked(page, named())],
	["consent-unnamed", async (page) => { await asked(page, unnamed({ covers: "target" })); await page.locator(".vault-bridge-extent select").first().selectOption({ index: 1 }); await page.locator(".vault-bridge-extent select").last().selectOption({ index: 2 }); }],
	["consent-edit-named", async (page) => asked(page, { ...question(), client: "Claude Code", clientId: "0a1b2c", verified: true, ladder: [{ reach: "file", keys: ["Projects/Balcony garden.md"], label: "Projects/Balcony garden.md" }, { reach: "folder", keys: ["Projects/"], label: "the folder Projects/" }, { reach: "vault", keys: ["/"], label: "the whole vault" }] })],
	["undo", async (page) => {
		const recorded: unknown = JSON.parse(readFileSync(file("tests/recorded/preview-undo.json"), "utf8"));
		bridge.answers.set("tools.preview", () => recorded);
		await page.waitForSelector(".vault-bridge-status.is-connected");
		await run(page, "undo-change");
		await page.waitForSelector(".modal .vault-bridge-diff");
	}],
	["settings-confirm", async (page) => { await inSettings(page, "Network security"); await page.click('.setting-item:has-text("Allow terminal") .checkbox-container'); await page.waitForTimeout(100); }],
	["settings", async (page) => inSettings(page)],
	["settings-tools", async (page) => inSettings(page, "Tools and consent")],
	["settings-network", async (page) => inSettings(page, "Network security")],
	["settings-performance", async (page) => { await inSettings(page, "Performance"); }],
	["settings-privacy", async (page) => { await inSettings(page, "Privacy and audit"); }],
	["settings-limits", async (page) => { await inSettings(page, "Limits of each tool"); }],
	["settings-grants", async (page) => inSettings(page, "Remembered answers")],
	["settings-programs", async (page) => { bridge.clients = [claude, ollama]; bridge.answers.set("consent.grants", () => grants); await inSettings(page, "Connected programs"); await page.waitForSelector(".vault-bridge-program"); }],
	["settings-programs-none", async (page) => { await inSettings(page, "Connected programs"); await page.waitForSelector(".vault-bridge-empty"); }],
	["settings-programs-token", async (page) => {
		bridge.answers.set("clients.add", () => ({ client: claude, token: "vbc_0a1b2c3d4e5f_3q0Yk1mS8rT5vXzB7nLcPwHdJgFaUeQiOoMmKkZzYy" }));
		await inSettings(page, "Connected programs");
		await page.click('button:text-is("Add")');
		await page.fill(".modal:not(.mod-settings) input", "Claude Code");
		await page.keyboard.press("Enter");
		await page.waitForSelector(".vault-bridge-token");
	}],
	["settings-programs-revoke", async (page) => { bridge.clients = [claude, ollama]; await inSettings(page, "Connected programs"); await page.click('button:text-is("Revoke") >> nth=0'); await page.waitForTimeout(100); }],
	["settings-answers", async (page) => { bridge.answers.set("consent.grants", () => grants); await inSettings(page, "Remembered answers"); await page.waitForTimeout(200); }],
	["log", async (page) => { await page.waitForSelector(".vault-bridge-status.is-connected"); await run(page, "view-tool-logs"); await page.click(".vault-bridge-log-row.is-execution summary"); await page.waitForTimeout(300); }],
	["history", async (page) => { await page.waitForSelector(".vault-bridge-status.is-connected"); await run(page, "show-changes"); await page.waitForSelector(".vault-bridge-change"); }],
	["index", async (page) => {
		const about = { kind: "link", target: "Projects/Balcony garden.md", obsidian: 2, bridge: 1 };
		const differences = [about, { ...about, kind: "unresolved", target: "Seeds" }, { ...about, kind: "tag", target: "#garden/tomatoes" }, { ...about, kind: "tag_order", target: "" }].map((one) => ({ path: "Daily/2025-03-15.md", ...one }));
		bridge.answers.set("index.compare", () => ({ compared: 3120, links: 18221, tags: 5012, differences: [...differences, { path: "Only in Obsidian.md", kind: "note", target: "", obsidian: 1, bridge: 0 }], more: 0, uncompared: [{ path: "Welcome.md", reason: "unsaved" }] }));
		await page.waitForSelector(".vault-bridge-status.is-connected");
		await run(page, "check-index");
		await page.click(".vault-bridge-details summary");
	}],
	["start", async (page) => { await page.waitForSelector(".vault-bridge-status.is-connected"); await run(page, "getting-started"); await page.waitForSelector(".vault-bridge-preset"); }],
	["start-none", async (page) => { bridge.stop(); await run(page, "getting-started"); await page.waitForSelector(".vault-bridge-steps"); await page.waitForTimeout(400); }],
	["menu", async (page) => { await page.waitForSelector(".vault-bridge-status.is-connected"); await page.click(".vault-bridge-status"); }],
];

describe.each<Theme>(["light", "dark"])("screenshots, %s", (theme) => {
	it.each(states)("%s", async (name, show) => {
		await bridge.start();
		const page = await browser.open({ vault: bridge.vault, theme });
		await show(page);
		await page.screenshot({ path: file(`screenshots/${name}-${theme}.png`) });
		await page.close();
	});
});
