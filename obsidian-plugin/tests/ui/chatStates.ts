/** What a person can see of the chat. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { input, kept, message, Model, openChat, say } from "./conversations";
import { RpcFault, type FakeBridge } from "./fakeBridge";
import { connected, runCommand } from "./plugin";
import type { State } from "./states";

const ANSWER = `## What to sow

You have **three** packets left, see [[Seeds]] and [the guide](https://garden.example/sowing).

- Tomatoes, *inside*
- Peas
  - in \`April\`
- [x] Beans

| Plant | When |
|---|---|
| Tomatoes | March |
| Peas | April |

\`\`\`js
const days = 14;
\`\`\`

> Not before the last frost.

![a picture](https://garden.example/a.png) stays text.`;

function garden(bridge: FakeBridge): void {
	mkdirSync(join(bridge.vault, "Garden"), { recursive: true });
	writeFileSync(join(bridge.vault, "Garden/Seeds.md"), "Tomatoes\nPeas\n");
}

async function refreshed(page: Parameters<State["show"]>[0]["page"]): Promise<void> {
	await page.evaluate(async () => { await window.host.app.vault.refresh(); });
}

export const chatStates: State[] = [
	{
		name: "chat-empty",
		show: async ({ page }) => { await openChat(page); },
	},
	{
		name: "chat-answer",
		show: async ({ page, bridge }) => {
			garden(bridge);
			await page.setViewportSize({ width: 1100, height: 1300 });
			const model = new Model(bridge);
			await openChat(page);
			await refreshed(page);
			await say(page, bridge, "What should I sow this week?");
			model.says("They ask about seeds.", "thinking");
			model.calls("c1", "done", { text: "Tomatoes\nPeas\n" });
			model.calls("c2", "failed", { summary: "Read Garden/Plan.md", text: "There is no note 'Garden/Plan.md'" });
			model.says(ANSWER);
			model.done();
			await page.click(".vault-bridge-chat-call summary >> nth=0");
			await page.waitForSelector(".vault-bridge-chat-answer blockquote");
		},
	},
	{
		name: "chat-running",
		show: async ({ page, bridge }) => {
			garden(bridge);
			const model = new Model(bridge);
			await openChat(page);
			await refreshed(page);
			await page.evaluate(async () => { await window.host.app.workspace.openLinkText("Garden/Seeds.md"); });
			await say(page, bridge, "Write a plan");
			model.calls("c1", "running", { summary: "Create Garden/Plan.md with 12 lines", tool: "create_note" });
			await page.waitForSelector('.vault-bridge-chat-call[data-state="running"]');
			await page.focus(input);
			await page.keyboard.type("and @see");
			await page.waitForSelector('[role="option"]');
		},
	},
	{
		name: "chat-failed",
		show: async ({ page, bridge }) => {
			const model = new Model(bridge);
			await openChat(page);
			await say(page, bridge, "Hello");
			model.calls("c1", "denied", { summary: "Write Plan.md", text: "Denied by the user" });
			model.done("failed", "The model 'qwen3:8b' is not there. Pull it: `ollama pull qwen3:8b`");
			await page.waitForSelector(".vault-bridge-note.is-warning");
			await page.press(input, "ArrowUp");
			await page.waitForSelector(".vault-bridge-chat-editing button");
		},
	},
	{
		name: "chat-conversations",
		show: async ({ page, bridge }) => {
			bridge.answers.set("chat.list", () => [kept(), kept({ conversationId: "1".repeat(16), title: "A plan for the balcony, with everything that has to be bought before April", running: true })]);
			bridge.answers.set("chat.read", () => ({ ...kept(), history: [message("user", "Which seeds?"), message("assistant", "Peas")] }));
			await openChat(page);
			await page.click('button[aria-label="Conversations"]');
			await page.click(".vault-bridge-chat-listed >> nth=0");
			await page.waitForSelector(".vault-bridge-chat-answer p");
			await page.click('button[aria-label="Conversations"]');
			await page.waitForSelector(".vault-bridge-chat-listed");
		},
	},
	{
		name: "chat-no-server",
		show: async ({ page, bridge }) => {
			bridge.answers.set("chat.models", () => { throw new RpcFault(-32000, "No Ollama server answers at http://localhost:11434. Start Ollama, or set `chatEndpoint`."); });
			await connected(page);
			await runCommand(page, "open-chat");
			await page.waitForSelector(".vault-bridge-chat-setup .vault-bridge-problem");
		},
	},
	{
		name: "chat-elsewhere",
		show: async ({ page, bridge }) => {
			bridge.answers.set("chat.models", () => ({ endpoint: "https://models.example", allowed: false, sentence: "The model runs at https://models.example, not on this computer. What you write is sent there, and so is everything that the model reads for you.", model: null, models: [] }));
			await connected(page);
			await runCommand(page, "open-chat");
			await page.waitForSelector(".vault-bridge-chat-setup .mod-cta");
		},
	},
	{
		name: "chat-away",
		show: async ({ page, bridge }) => {
			await openChat(page);
			bridge.stop();
			await page.waitForSelector(".vault-bridge-chat-setup:has-text('not connected')");
		},
	},
];
