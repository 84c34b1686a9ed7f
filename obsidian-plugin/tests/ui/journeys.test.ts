/**
 * What a person does, from the installation on, with the real bridge: in the stand-in for Obsidian, and in the app itself where OBSIDIAN_VERSION
 * names one. Only what the app has too is used here, so that nothing but the app is new there.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { input } from "./conversations";
import { takeDesk, type Desk } from "./desk";
import { file } from "./files";
import { OllamaServer } from "./ollamaServer";
import { connected, noteText, openNote, questionShown, runCommand, showSettings } from "./plugin";
import { command, ownCode, RealBridge, type Result } from "./realBridge";

const modal = ".vault-bridge-consent";
const note = "Welcome.md";
const button = (name: string): string => `.vault-bridge-answers button:text-is("${name}")`;
const heading = { path: note, patches: [{ startLine: 5, endLine: 5, newContent: "# Welcome, and come in" }] };
const changed = (text: string): string => text.split("\n").map((line, at) => (at === 4 ? "# Welcome, and come in" : line)).join("\n");

let desk: Desk;
let bridge: RealBridge;
let page: Page;

/** The bridge and the vault in the app, as after `vault-bridge install`. */
async function begin(settings: Record<string, unknown> = {}): Promise<void> {
	bridge = new RealBridge({ allowedOrigins: [desk.origin], ...settings });
	execFileSync(command ?? "", ["install", "--vault", bridge.vault], { env: { ...process.env, ...ownCode }, stdio: "ignore" });
	await bridge.start();
	page = await desk.open(bridge.vault);
	await connected(page);
}
const agent = async (): Promise<(tool: string, args: object) => Promise<Result>> => bridge.agent("Claude Code");
async function answer(label: string): Promise<void> {
	await questionShown(page);
	await page.click(`${button(label)}:not([aria-disabled="true"])`);
}

describe.skipIf(command === null)("a person (skipped where the bridge is not installed: set VAULT_BRIDGE_COMMAND)", () => {
	beforeAll(async () => { desk = await takeDesk(); });
	afterAll(async () => { await desk.end(); });
	afterEach(async () => {
		if (!page.isClosed()) await desk.close(page);
		await bridge.end();
	});

	it("installs the plugin by one command, and it finds the bridge", async () => {
		await begin();
		const { id } = JSON.parse(readFileSync(file("manifest.json"), "utf8")) as { id: string };
		const folder = readdirSync(bridge.vault).find((name) => existsSync(join(bridge.vault, name, "community-plugins.json"))) ?? "none";
		for (const name of ["main.js", "manifest.json", "styles.css"]) expect(existsSync(join(bridge.vault, folder, "plugins", id, name))).toBe(true);
		expect(JSON.parse(bridge.read(`${folder}/community-plugins.json`))).toContain(id);
	});

	it("is shown at the first start what to do", async () => {
		await begin();
		await page.waitForSelector(".vault-bridge-start .vault-bridge-start-head");
		await page.waitForSelector('.vault-bridge-start [aria-label^="Connect "], .vault-bridge-start :text("No program")');
	});

	it("allows a change, which is written as it was shown, and takes it back", async () => {
		await begin();
		const before = bridge.read(note);
		const call = (await agent())("apply_patch", heading);
		await questionShown(page);
		await expect.poll(async () => page.textContent(".vault-bridge-who")).toContain("Claude Code");
		expect(bridge.read(note)).toBe(before);
		await answer("Allow once");
		expect(await call).toMatchObject({ success: true });
		expect(bridge.read(note)).toBe(changed(before));
		await runCommand(page, "show-changes");
		await page.click(".vault-bridge-change-button");
		await page.waitForSelector(".modal .vault-bridge-diff");
		await page.click('.modal button:text-is("Undo")');
		await page.waitForSelector('.vault-bridge-change-button:has-text("Redo")');
		expect(bridge.read(note)).toBe(before);
	});

	it("denies one with words, which the agent gets, and nothing is written", async () => {
		await begin();
		const before = bridge.read(note);
		const call = (await agent())("apply_patch", heading);
		await questionShown(page);
		await page.fill(".vault-bridge-message", "Keep my heading.");
		await answer("Deny until the bridge stops");
		expect(await call).toMatchObject({ success: false, data: { code: "denied_by_user", feedback: "Keep my heading." } });
		expect(bridge.read(note)).toBe(before);
	});

	it("types in a note while an agent wants to change it, and loses no letter", async () => {
		await begin();
		await openNote(page, note);
		await desk.type(page, "my own words ");
		const call = (await agent())("apply_patch", heading);
		await answer("Allow once");
		await call;
		await expect.poll(async () => noteText(page)).toContain("my own words ");
	});

	it("takes a part of what an agent drafted", async () => {
		await begin({ enabledTools: ["*"], consentMode: { read: "always_allow", move_file: "always_allow", create_note: "always_allow" } });
		const call = await agent();
		for (const [tool, args] of [["draft", { action: "begin" }], ["move_file", { source: "Projects/Book club.md", destination: "Archive/Books.md" }], ["create_note", { path: "New.md", content: "new" }]] as const) expect(await call(tool, args)).toMatchObject({ success: true });
		const submitted = call("draft", { action: "submit" });
		await questionShown(page);
		await page.uncheck('.vault-bridge-together:has-text("Archive/Books.md") .vault-bridge-together-head input');
		await answer("Allow 1 of 2");
		expect(await submitted).toMatchObject({ success: true });
		expect(bridge.read("New.md")).toBe("new");
		expect(existsSync(join(bridge.vault, "Projects/Book club.md"))).toBe(true);
	});

	it("is told when the bridge is killed with a question open, and goes on when it is back", async () => {
		await begin();
		const before = bridge.read(note);
		void (await agent())("apply_patch", heading);
		await questionShown(page);
		await bridge.stop("SIGKILL");
		await page.waitForSelector("text=The connection to the bridge is lost");
		await bridge.start();
		await page.waitForSelector(modal, { state: "detached" });
		await connected(page);
		const call = (await agent())("apply_patch", heading);
		await answer("Allow once");
		expect(await call).toMatchObject({ success: true });
		expect(bridge.read(note)).toBe(changed(before));
	});

	it("closes the vault with a question open, and finds it when the vault is open again", async () => {
		await begin();
		const before = bridge.read(note);
		const call = (await agent())("apply_patch", heading);
		await questionShown(page);
		await desk.close(page);
		expect(bridge.read(note)).toBe(before);
		page = await desk.open(bridge.vault);
		await answer("Allow once");
		expect(await call).toMatchObject({ success: true });
		expect(bridge.read(note)).toBe(changed(before));
	});

	it("changes a setting, which holds at once", async () => {
		await begin();
		await showSettings(page);
		for (const name of ["Searching, reading and backups", "More settings"]) await page.getByText(name, { exact: true }).first().click();
		const field = page.locator(".setting-item", { hasText: "Results of find" }).locator("input");
		await field.fill("77");
		await field.blur();
		await expect.poll(() => (JSON.parse(bridge.read(".vault-bridge/settings.json")) as { findMaxResults?: number }).findMaxResults).toBe(77);
	});

	it("compares the app's index with the bridge's", async () => {
		await begin();
		await runCommand(page, "check-index");
		await expect.poll(async () => page.textContent('.modal [role="status"]')).toMatch(/^\d+ notes? compared/u);
	});

	describe("who chats", () => {
		let ollama: OllamaServer;
		beforeEach(async () => { ollama = await OllamaServer.start(); });
		afterEach(() => { ollama.close(); });

		it("lets the model write a note, which it asks for first", async () => {
			await begin({ chatEndpoint: ollama.url, enabledTools: ["find", "read", "create_note"] });
			ollama.follow(["I make a plan. ", { calls: [{ name: "create_note", arguments: { path: "Garden/Plan.md", content: "# Plan\n" } }] }], ["It is in **[[Plan]]**."]);
			await runCommand(page, "open-chat");
			await page.waitForSelector('.vault-bridge-chat select option:text-is("scripted")', { state: "attached" });
			await page.fill(input, "Make a plan");
			await page.press(input, "Enter");
			await answer("Allow once");
			await page.waitForSelector('.vault-bridge-chat-answer strong:has-text("Plan")');
			expect(bridge.read("Garden/Plan.md")).toBe("# Plan\n");
		});
	});
});
