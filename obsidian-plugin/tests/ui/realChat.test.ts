/** The chat pane with the real bridge and a server that speaks Ollama's API: what the model does to the files is what was allowed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { input } from "./conversations";
import { OllamaServer } from "./ollamaServer";
import { questionShown, runCommand } from "./plugin";
import { command, RealBridge } from "./realBridge";

let browser: Browser;
let ollama: OllamaServer;
let bridge: RealBridge;
let page: Page;

const answer = ".vault-bridge-chat-answer";
const create = { calls: [{ name: "create_note", arguments: { path: "Garden/Plan.md", content: "# Plan\n" } }] };

async function say(text: string): Promise<void> {
	await page.fill(input, text);
	await page.press(input, "Enter");
}
async function decide(label: string): Promise<void> {
	await questionShown(page);
	const button = `.vault-bridge-answers button:text-is("${label}")`;
	await page.waitForSelector(`${button}[aria-disabled="false"], ${button}:not([aria-disabled])`);
	await page.click(button);
}
const atRest = async (): Promise<unknown> => page.waitForSelector('.vault-bridge-chat button:has-text("Send")');

describe.skipIf(command === null)("with the real bridge (skipped where it is not installed: set VAULT_BRIDGE_COMMAND)", () => {
	beforeAll(async () => { browser = await Browser.start(); });
	afterAll(async () => { await browser.close(); });
	beforeEach(async () => {
		ollama = await OllamaServer.start();
		bridge = new RealBridge({ allowedOrigins: [browser.origin], chatEndpoint: ollama.url, enabledTools: ["find", "read", "create_note"] });
		await bridge.start();
		page = await browser.open({ vault: bridge.vault });
		await page.waitForSelector(".vault-bridge-status.is-connected");
		await runCommand(page, "open-chat");
		await page.waitForSelector('.vault-bridge-chat select option:text-is("scripted")', { state: "attached" });
	});
	afterEach(async () => {
		await page.close();
		await bridge.end();
		ollama.close();
	});

	it("streams an answer, asks before the model writes, and shows what came of it", async () => {
		ollama.follow(["I make ", "a plan. ", create], ["It is in **", "[[Plan]]**."]);
		await say("Make a plan");
		await page.waitForSelector('.vault-bridge-chat-call[data-state="running"]');
		expect(existsSync(join(bridge.vault, "Garden/Plan.md"))).toBe(false);
		await decide("Allow once");
		await page.waitForSelector('.vault-bridge-chat-call[data-state="done"]');
		await page.waitForSelector(`${answer} strong:has-text("Plan")`);
		await atRest();
		expect(bridge.read("Garden/Plan.md")).toBe("# Plan\n");
		expect(ollama.asked.map(({ messages }) => messages.at(-1)?.role)).toEqual(["user", "tool"]);
		await expect.poll(async () => page.locator(answer).allTextContents()).toEqual(["I make a plan.", expect.stringContaining("Plan")]);
	});

	it("ends the turn when the person says no, and nothing is written", async () => {
		ollama.follow([create], ["Never said."]);
		await say("Make a plan");
		await decide("Deny until the bridge stops");
		await page.waitForSelector('.vault-bridge-chat-call[data-state="denied"]');
		await page.waitForSelector('.vault-bridge-note:has-text("You said no")');
		expect(existsSync(join(bridge.vault, "Garden/Plan.md"))).toBe(false);
		expect(ollama.asked).toHaveLength(1);
	});

	it("stops the model's server with Escape, and keeps what came", async () => {
		ollama.follow(["Once upon ", { wait: new Promise(() => undefined) }]);
		await say("Tell me a story");
		await page.waitForSelector(`${answer}:has-text("Once upon")`);
		await page.press(input, "Escape");
		await page.waitForSelector('.vault-bridge-note:has-text("Stopped.")');
		await expect.poll(() => ollama.abandoned).toBe(1);
		await page.click('button[aria-label="New conversation"]');
		await page.click('button[aria-label="Conversations"]');
		await page.click('.vault-bridge-chat-listed:has-text("Tell me a story")');
		await page.waitForSelector(`${answer}:has-text("Once upon")`);
	});

	it("says a message anew in the place of the old one, also for the model", async () => {
		ollama.follow(["Green."], ["Black."]);
		await say("Which tea?");
		await page.waitForSelector(`${answer}:has-text("Green.")`);
		await atRest();
		await page.press(input, "ArrowUp");
		await page.fill(input, "Which coffee?");
		await page.press(input, "Enter");
		await page.waitForSelector(`${answer}:has-text("Black.")`);
		await atRest();
		expect(ollama.asked[1]?.messages.filter(({ role }) => role !== "system").map(({ content }) => content)).toEqual(["Which coffee?"]);
		await expect.poll(async () => page.locator(".vault-bridge-chat-words").allTextContents()).toEqual(["Which coffee?"]);
	});

	it("makes a note of the conversation when the person allows it", async () => {
		ollama.follow(["Green."]);
		await say("Which tea?");
		await page.waitForSelector(`${answer}:has-text("Green.")`);
		await atRest();
		await page.click('button[aria-label="Make a note of this conversation"]');
		await decide("Allow once");
		await expect.poll(() => existsSync(join(bridge.vault, "Chats"))).toBe(true);
	});

	it("says in words that the server has gone", async () => {
		ollama.close();
		await page.click('button[aria-label="New conversation"]');
		await say("Hello");
		await page.waitForSelector(".notice, .vault-bridge-note.is-warning");
		for (const text of await page.locator(".notice, .vault-bridge-note.is-warning").allTextContents()) expect(text).toMatch(/Ollama/u);
	});
});
