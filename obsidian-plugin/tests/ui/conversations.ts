/** A model that says what a test wants, through a bridge that does: the events of a turn, and what is kept. */

import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { FakeBridge } from "./fakeBridge";
import { connected, runCommand } from "./plugin";

export const CONVERSATION = "0a1b2c3d4e5f6071";
const TIME = "2026-11-22T10:00:00.000Z";

/** The model of a bridge. Its turns begin when the plugin sends something, and end when the test says so. */
export class Model {
	private turns = 0;

	constructor(private readonly bridge: FakeBridge) {
		bridge.answers.set("chat.send", ({ conversationId, model }) => ({ conversationId: conversationId ?? CONVERSATION, turnId: `t${++this.turns}`, model: model ?? "qwen3:8b" }));
		bridge.answers.set("chat.cancel", () => {
			this.done("cancelled");
			return { cancelled: true };
		});
	}

	says(text: string, kind = "text"): void {
		this.bridge.notify("chat.delta", { ...this.turn, kind, text });
	}

	calls(callId: string, state: string, more: object = {}): void {
		this.bridge.notify("chat.tool", { ...this.turn, callId, tool: "read", summary: "Read Garden/Seeds.md", state, text: "", executionId: null, ...more });
	}

	done(end = "answered", message: string | null = null): void {
		this.bridge.notify("chat.done", { ...this.turn, end, message });
	}

	private get turn(): object {
		return { conversationId: CONVERSATION, turnId: `t${this.turns}` };
	}
}

/** A conversation as the bridge lists it. */
export function kept(changes: object = {}): object {
	return { conversationId: CONVERSATION, title: "Which seeds?", model: "qwen3:8b", created: TIME, updated: TIME, messages: 2, running: false, ...changes };
}

/** A message as the bridge keeps it. */
export function message(role: string, text: string, more: object = {}): object {
	return { role, text, time: TIME, thinking: "", calls: [], callId: null, tool: null, summary: "", state: null, executionId: null, ...more };
}

export const input = ".vault-bridge-chat textarea";

export async function openChat(page: Page): Promise<void> {
	await connected(page);
	await runCommand(page, "open-chat");
	await page.waitForSelector('.vault-bridge-chat select option:text-is("llama3.2")', { state: "attached" });
}

/** Say something, and wait until the bridge has it: the window shows *Stop* earlier, when the message is on its way. */
export async function say(page: Page, bridge: FakeBridge, text: string): Promise<void> {
	const messages = (): number => bridge.asked.filter((one) => one.method === "chat.send").length;
	const before = messages();
	await page.fill(input, text);
	await page.press(input, "Enter");
	await page.waitForSelector('.vault-bridge-chat button:has-text("Stop")');
	await expect.poll(messages).toBe(before + 1);
}
