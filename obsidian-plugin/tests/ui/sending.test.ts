/** From the note: asked of the chat, or sent to a program, always after the person has seen the very text. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { input } from "./conversations";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { openNote, runCommand, selectInNote } from "./plugin";
import { claude, ollama } from "./programs";

const PLAN = "# Plan\n\n| a | b |\n| 1 |\n";
const QUOTED = "Plan.md, lines 3 to 4:\n> | a | b |\n> | 1 |";
const note = { path: "Plan.md", view: "source" };
const selection = { text: "| a | b |\n| 1 |", cut: false, start: { line: 3, column: 0 }, end: { line: 4, column: 5 }, before: "# Plan\n\n", after: "\n" };

eachTestHasAWindow({ prepare: () => { writeFileSync(join(bridge.vault, "Plan.md"), PLAN); } });

const asked = (method: string): unknown[] => bridge.asked.filter((one) => one.method === method).map(({ params }) => params);
const notice = async (text: string): Promise<unknown> => page.waitForSelector(`.notice:has-text("${text}")`);

beforeEach(() => { bridge.answers.set("screen.compose", ({ clientId }) => ({ text: clientId === "chat" ? `About ${QUOTED}\n\n` : `[Sent]\n${QUOTED}` })); });

describe("asking about what is open", () => {
	it("begins a message, which the person goes on with, and nothing goes along twice", async () => {
		await openNote(page, "Plan.md");
		await selectInNote(page, 8, 23);
		await runCommand(page, "ask-about-selection");
		await expect.poll(async () => page.inputValue(input)).toBe(`About ${QUOTED}\n\n`);
		expect(asked("screen.compose")).toEqual([{ clientId: "chat", open: { ...note, selection } }]);
		expect([asked("chat.send"), await page.locator(".vault-bridge-chat-chip").count()]).toEqual([[], 0]);
		await runCommand(page, "ask-about-note");
		await expect.poll(() => asked("screen.compose").at(-1)).toEqual({ clientId: "chat", open: { ...note, selection: null } });
	});

	it("says so where nothing is open, nothing selected, or the note closed", async () => {
		await runCommand(page, "ask-about-note");
		await notice("No note is open.");
		await openNote(page, "Plan.md");
		await runCommand(page, "ask-about-selection");
		await notice("Nothing is selected.");
		bridge.answers.set("screen.compose", () => { throw new RpcFault(-32602, "Invalid params", { hint: "'Plan.md' is closed to Chat" }); });
		await runCommand(page, "ask-about-note");
		await notice("closed to Chat");
		expect(await page.locator(input).count()).toBe(0);
	});
});

describe("sending to a program", () => {
	const choose = async (): Promise<void> => {
		await openNote(page, "Plan.md");
		await selectInNote(page, 8, 23);
		await runCommand(page, "send-to-agent");
	};

	it("offers those that are connected by name, shows the very text, and sends it after a yes", async () => {
		bridge.clients = [claude, ollama];
		bridge.answers.set("screen.send", () => ({ text: "" }));
		await choose();
		await page.waitForSelector(".suggestion-item");
		expect(await page.locator(".suggestion-item").allTextContents()).toEqual(["Claude Code"]);
		await page.keyboard.press("Enter");
		await page.waitForSelector(".modal pre");
		expect([await page.textContent(".modal-title"), await page.textContent(".modal pre")]).toEqual(["Send to Claude Code?", `[Sent]\n${QUOTED}`]);
		expect(asked("screen.send")).toEqual([]);
		await page.click('.modal button:text-is("Send")');
		expect(await bridge.until("screen.send")).toEqual({ clientId: "0a1b2c", open: { ...note, selection } });
		await notice("Claude Code gets it with its next answer.");
		bridge.notify("screen.sent", { client: "Claude Code", path: "Plan.md", became: "delivered", message: "Claude Code has got what you sent of Plan.md." });
		await notice("Claude Code has got what you sent of Plan.md.");
	});

	it("sends nothing without a yes, and says so where nobody is connected", async () => {
		bridge.clients = [claude];
		await choose();
		await page.click('.suggestion-item:has-text("Claude Code")');
		await page.click('.modal button:text-is("Cancel")');
		await page.waitForSelector(".modal", { state: "detached" });
		bridge.clients = [ollama];
		await choose();
		await notice("No program with a name of its own is connected.");
		expect(asked("screen.send")).toEqual([]);
	});
});
