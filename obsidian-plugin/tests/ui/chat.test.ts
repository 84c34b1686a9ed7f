/** The chat pane in a real browser: what is said is what is shown, and what is shown is what is sent. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { MarkdownView } from "../host/workspace";
import { CONVERSATION, input, kept, message, Model, openChat, say } from "./conversations";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { noteText, openNote, questionShown, runCommand, selectInNote } from "./plugin";
import { question } from "./questions";

eachTestHasAWindow({
	prepare: () => {
		mkdirSync(join(bridge.vault, "Garden"));
		writeFileSync(join(bridge.vault, "Garden/Seeds.md"), "Tomatoes\nPeas\n");
		writeFileSync(join(bridge.vault, "Seeds to buy.md"), "Beans\n");
	},
});

const answer = ".vault-bridge-chat-answer";
let model: Model;

beforeEach(() => { model = new Model(bridge); });

const sent = (): Record<string, unknown>[] => bridge.asked.filter((one) => one.method === "chat.send").map((one) => one.params);
const words = async (): Promise<string[]> => page.locator(".vault-bridge-chat-words").allTextContents();
const act = async (name: string, nth = 0): Promise<void> => page.click(`.vault-bridge-chat button[aria-label="${name}"] >> nth=${nth}`);

describe("an answer", () => {
	it("appears as it comes, drawn as Markdown", async () => {
		await openChat(page);
		await say(page, bridge, "Which seeds?");
		await expect.poll(() => sent()).toEqual([{ text: "Which seeds?", model: "qwen3:8b" }]);
		for (const piece of ["Sow **to", "matoes** and\n\n- pe", "as\n- beans\n\n```js\nlet x"]) model.says(piece);
		await page.waitForSelector(`${answer} pre:has-text("let x")`);
		model.says(" = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
		model.done();
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await expect.poll(async () => page.locator(`${answer} strong`).textContent()).toBe("tomatoes");
		await expect.poll(async () => page.locator(`${answer} li`).allTextContents()).toEqual(["peas", "beans"]);
		await expect.poll(async () => page.locator(`${answer} pre`).textContent()).toBe("let x = 1;");
		await expect.poll(async () => page.locator(`${answer} td`).allTextContents()).toEqual(["1", "2"]);
		await expect.poll(async () => page.locator(`${answer} p`).first().textContent()).toBe("Sow tomatoes and");
	});

	it("is text where it would be markup, an embed or an image, and loads nothing", async () => {
		const loaded: string[] = [];
		page.on("request", (request) => loaded.push(request.url()));
		await openChat(page);
		await say(page, bridge, "Hello");
		model.says('<img src="http://127.0.0.1:1/a.png" onerror="window.hacked=1"> ![b](http://127.0.0.1:1/c.png) ![[Garden/Seeds]]\n\n<script>window.hacked=1</script>\n\n`​` \u202eevil [x](javascript:window.hacked=1)');
		model.done();
		await page.waitForSelector(`${answer} .vault-bridge-escape`);
		const shown = await page.textContent(answer);
		for (const text of ['<img src="http://127.0.0.1:1/a.png"', "![b](http://127.0.0.1:1/c.png)", "![[Garden/Seeds]]", "<script>", "U+202E", "[x](javascript:window.hacked=1)"]) expect(shown).toContain(text);
		await expect.poll(async () => page.locator(`${answer} :is(img, script, iframe, a)`).count()).toBe(0);
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		expect(loaded).toEqual([]);
	});

	it("says where its links lead, and opens only what is on the web or in the vault", async () => {
		await openChat(page);
		await say(page, bridge, "Hello");
		model.says("[my bank](https://evil.example/?q=1) [[Seeds|the seeds]] [[No such note]] [here](Garden/Seeds.md) [file](file:///etc/passwd) [[.vault-bridge/bridge.json]]");
		model.done();
		await page.waitForSelector(`${answer} .internal-link`);
		await expect.poll(async () => page.textContent(answer)).toBe("my bank (https://evil.example/?q=1) the seeds (Seeds) [[No such note]] here (Garden/Seeds.md) [file](file:///etc/passwd) [[.vault-bridge/bridge.json]]");
		await expect.poll(async () => page.locator(`${answer} a.external-link`).evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.getAttribute("target"), link.getAttribute("rel")]))).toEqual([["https://evil.example/?q=1", "_blank", "noopener noreferrer nofollow"]]);
		await page.click(`${answer} .internal-link >> nth=0`);
		await page.waitForSelector('.workspace-tab-header:has-text("Garden/Seeds.md")');
	});

	it("is drawn a frame at a time, and what is finished is not drawn again", async () => {
		await openChat(page);
		await say(page, bridge, "Write a lot");
		await page.evaluate((selector) => {
			const counts = { added: 0, long: 0, longest: 0 };
			Object.assign(window, { counts });
			new MutationObserver((records) => { for (const { addedNodes } of records) counts.added += addedNodes.length; }).observe(document.querySelector(selector) ?? document, { childList: true, subtree: true });
			new PerformanceObserver((list) => {
				for (const { duration } of list.getEntries()) {
					counts.long += 1;
					counts.longest = Math.max(counts.longest, duration);
				}
			}).observe({ entryTypes: ["longtask"] });
		}, ".vault-bridge-chat-entries");
		const paragraph = ["Some ", "*words* ", "and ", "`code`", ".\n\n", "- one\n", "- two ", "[[Seeds]]\n", "\n", "End.\n\n"];
		for (let piece = 0; piece < 10_000; piece++) model.says(paragraph[piece % 10] ?? "");
		model.done();
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await expect.poll(async () => page.locator(`${answer} p:text-is("End.")`).count()).toBe(1_000);
		await expect.poll(async () => page.locator(`${answer} li`).count()).toBe(2_000);
		const { added, long, longest } = await page.evaluate(() => (window as unknown as { counts: { added: number; long: number; longest: number } }).counts);
		console.warn(`10,000 pieces: ${added} nodes added, ${long} tasks over 50 ms, the longest ${Math.round(longest)} ms`);
		// Each of the 4,000 blocks and items once, and at most one of them again for each frame; not 10,000 times all.
		expect(added).toBeLessThan(20_000);
	});

	it("follows the end for who reads there, and leaves alone who has scrolled up", async () => {
		await openChat(page);
		await say(page, bridge, "Hello");
		const scroll = page.locator(".vault-bridge-chat-scroll");
		const fromEnd = async (): Promise<number> => scroll.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
		model.says("A line\n\n".repeat(100));
		await expect.poll(async () => scroll.evaluate((el) => el.scrollHeight)).toBeGreaterThan(2_000);
		await expect.poll(fromEnd).toBeLessThan(5);
		await scroll.evaluate((el) => { el.scrollTop = 0; });
		await expect.poll(fromEnd).toBeGreaterThan(1_000);
		model.says("More\n\n".repeat(50));
		model.done();
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		expect(await scroll.evaluate((el) => el.scrollTop)).toBe(0);
	});

	it("is announced when it is there, not piece by piece", async () => {
		await openChat(page);
		const spoken = page.locator(".vault-bridge-spoken");
		await say(page, bridge, "Hello");
		await expect.poll(async () => spoken.textContent()).toBe("The model is at it.");
		model.says("Good ");
		model.says("day.");
		await page.waitForSelector(`${answer}:has-text("Good day.")`);
		await expect.poll(async () => spoken.textContent()).toBe("The model is at it.");
		model.done();
		await expect.poll(async () => spoken.textContent()).toBe("The answer is there: Good day.");
		expect([await spoken.getAttribute("aria-live"), await page.getAttribute(".vault-bridge-chat-scroll", "aria-live")]).toEqual(["polite", "off"]);
	});

	it("is copied as it was written, inserted where the caret stands, and taken back with the editor's undo", async () => {
		await browser.allowClipboard();
		await openNote(page, "Garden/Seeds.md");
		await openChat(page);
		await say(page, bridge, "Hello");
		model.says("**Beans**\n");
		model.done();
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await act("Copy", 1);
		await page.waitForSelector('.notice:has-text("Copied.")');
		expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe("**Beans**\n");
		await selectInNote(page, 9);
		await act("Insert into the note");
		await page.waitForSelector('.notice:has-text("Inserted into Garden/Seeds.md.")');
		await expect.poll(async () => noteText(page)).toBe("Tomatoes\n**Beans**\nPeas\n");
		await page.evaluate(() => { (window.host.app.workspace.getMostRecentLeaf()?.view as MarkdownView).editor.undo(); });
		await expect.poll(async () => noteText(page)).toBe("Tomatoes\nPeas\n");
	});

	it("is inserted nowhere while no note is open", async () => {
		await openChat(page);
		await say(page, bridge, "Hello");
		model.says("Beans");
		model.done();
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await act("Insert into the note");
		await page.waitForSelector('.notice:has-text("No note is open.")');
	});
});

describe("the model's calls", () => {
	it("are folded rows that say how they stand, and hold what came of them", async () => {
		await openChat(page);
		await say(page, bridge, "Which seeds?");
		model.says("I look.", "thinking");
		model.calls("c1", "running");
		await page.waitForSelector('.vault-bridge-chat-call[data-state="running"]:has-text("Read Garden/Seeds.md")');
		model.calls("c1", "done", { text: "Tomatoes <b>" });
		model.calls("c2", "denied", { tool: "write_file", summary: "Write Plan.md", text: "Denied by the user" });
		model.done("denied");
		await page.waitForSelector('.vault-bridge-note:has-text("You said no, so the model stopped here.")');
		await expect.poll(async () => page.locator(".vault-bridge-chat-call-state").allTextContents()).toEqual(["done", "refused"]);
		await expect.poll(async () => page.isVisible(".vault-bridge-chat-call pre")).toBe(false);
		await page.click(".vault-bridge-chat-call summary >> nth=0");
		await expect.poll(async () => page.textContent(".vault-bridge-chat-call pre >> nth=0")).toBe("Tomatoes <b>");
		await page.click('summary:has-text("What the model thought")');
		await expect.poll(async () => page.textContent(".vault-bridge-chat-thought")).toBe("I look.");
	});

	it("are asked about as any agent's", async () => {
		await openChat(page);
		await say(page, bridge, "Write a plan");
		bridge.ask(question({ client: "Chat" }));
		await questionShown(page);
		await page.click('.vault-bridge-consent button:text-is("Deny until the bridge stops")');
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "deny_once" });
	});
});

describe("the keyboard", () => {
	it("sends with Enter, begins a line with Shift+Enter, and stops with Escape", async () => {
		await openChat(page);
		await page.focus(input);
		await page.keyboard.type("one");
		await page.keyboard.press("Shift+Enter");
		await page.keyboard.type("two");
		await page.keyboard.press("Enter");
		await page.waitForSelector('.vault-bridge-chat button:has-text("Stop")');
		await expect.poll(() => sent()).toEqual([{ text: "one\ntwo", model: "qwen3:8b" }]);
		await expect.poll(async () => page.inputValue(input)).toBe("");
		// From anywhere in the pane.
		await page.focus(".vault-bridge-chat-scroll");
		await page.keyboard.press("Escape");
		expect(await bridge.until("chat.cancel")).toEqual({ conversationId: CONVERSATION });
		await page.waitForSelector('.vault-bridge-note:has-text("Stopped.")');
	});

	it("edits what was said last with the arrow, and sends it in the place of the old", async () => {
		await openChat(page);
		for (const text of ["First", "Second"]) {
			await say(page, bridge, text);
			model.says("Yes.");
			model.done();
			await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		}
		await page.press(input, "ArrowUp");
		await expect.poll(async () => page.inputValue(input)).toBe("Second");
		await expect.poll(async () => page.textContent(".vault-bridge-chat-editing")).toContain("takes the place of the earlier message");
		await page.keyboard.press("Escape");
		await expect.poll(async () => page.inputValue(input)).toBe("");
		await page.press(input, "ArrowUp");
		await page.keyboard.type(" thought");
		await page.keyboard.press("Enter");
		await expect.poll(() => sent().at(-1)).toEqual({ text: "Second thought", model: "qwen3:8b", conversationId: CONVERSATION, replaces: 1 });
		await expect.poll(words).toEqual(["First", "Second thought"]);
		await expect.poll(async () => page.locator(answer).count()).toBe(1);
	});

	it("mentions a note, chosen from a list", async () => {
		await openChat(page);
		await page.focus(input);
		await page.keyboard.type("What of @see");
		await expect.poll(async () => page.locator('[role="option"]').allTextContents()).toEqual(["Seeds to buySeeds to buy.md", "SeedsGarden/Seeds.md"].reverse());
		await page.keyboard.press("ArrowDown");
		await expect.poll(async () => page.textContent('[role="option"][aria-selected="true"]')).toContain("Seeds to buy");
		await expect.poll(async () => page.getAttribute(input, "aria-activedescendant")).toBe(await page.getAttribute('[role="option"][aria-selected="true"]', "id"));
		await page.keyboard.press("Enter");
		await expect.poll(async () => page.inputValue(input)).toBe("What of [[Seeds to buy]] ");
		await expect.poll(async () => page.isVisible('[role="option"]')).toBe(false);
		expect(sent()).toEqual([]);
		await page.keyboard.press("Enter");
		await expect.poll(sent).toMatchObject([{ text: "What of [[Seeds to buy]]" }]);
	});
});

describe("what goes along", () => {
	it("is shown before it is sent, can be taken away, and is sent as it says", async () => {
		await openNote(page, "Garden/Seeds.md");
		await openChat(page);
		await expect.poll(async () => page.locator(".vault-bridge-chat-chip-label").allTextContents()).toEqual(["Open: Garden/Seeds.md"]);
		await say(page, bridge, "What is it?");
		await expect.poll(() => sent().at(-1)).toMatchObject({ text: "What is it?\n\n(The open note is [[Garden/Seeds]].)" });
		await expect.poll(words).toEqual(["What is it?\n\n(The open note is [[Garden/Seeds]].)"]);
		model.done("answered");
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await selectInNote(page, 0, 8);
		await page.evaluate(() => { (document.activeElement as HTMLElement).blur(); });
		await page.focus(input);
		await expect.poll(async () => page.locator(".vault-bridge-chat-chip-label").allTextContents()).toEqual(["Selected: 8 characters of Garden/Seeds.md"]);
		await say(page, bridge, "And this?");
		await expect.poll(() => sent().at(-1)).toMatchObject({ text: "And this?\n\n(Selected in the open note [[Garden/Seeds]]:)\n> Tomatoes" });
		model.done("answered");
		await page.waitForSelector('.vault-bridge-chat button:has-text("Send")');
		await act("Do not send: Selected: 8 characters of Garden/Seeds.md");
		await act("Do not send: Open: Garden/Seeds.md");
		await say(page, bridge, "Alone");
		await expect.poll(() => sent().at(-1)).toMatchObject({ text: "Alone" });
	});
});

describe("what goes wrong", () => {
	it("is said in words, with a way to try again", async () => {
		await openChat(page);
		await say(page, bridge, "Hello");
		model.done("failed", "The model 'qwen3:8b' is not there. Pull it: `ollama pull qwen3:8b`");
		await page.waitForSelector('.vault-bridge-note.is-warning:has-text("is not there. Pull it")');
		await page.click('.vault-bridge-chat-entry button:text-is("Try again")');
		await expect.poll(() => sent().at(-1)).toEqual({ text: "Hello", model: "qwen3:8b", conversationId: CONVERSATION, replaces: 0 });
		await expect.poll(words).toEqual(["Hello"]);
		await expect.poll(async () => page.locator(".vault-bridge-note.is-warning").count()).toBe(0);
	});

	it("keeps what is written when it cannot be sent", async () => {
		await openChat(page);
		bridge.answers.set("chat.send", () => { throw new RpcFault(-32000, "4 conversations are under way; wait for one of them"); });
		await page.fill(input, "Hello");
		await page.press(input, "Enter");
		await page.waitForSelector('.notice:has-text("4 conversations are under way")');
		await expect.poll(async () => page.inputValue(input)).toBe("Hello");
		await expect.poll(words).toEqual([]);
	});

	it("teaches what to do where there is no server, and asks it again", async () => {
		bridge.answers.set("chat.models", () => { throw new RpcFault(-32000, "No Ollama server answers at http://localhost:11434."); });
		await runCommand(page, "open-chat");
		await page.waitForSelector('.vault-bridge-chat-setup:has-text("No Ollama server answers"):has-text("ollama pull qwen3:8b")');
		await page.fill(input, "Hello");
		await page.press(input, "Enter");
		await page.waitForSelector('.notice:has-text("No Ollama server answers")');
		expect([sent(), await page.inputValue(input)]).toEqual([[], "Hello"]);
		bridge.answers.set("chat.models", () => ({ endpoint: "http://localhost:11434", allowed: true, sentence: null, model: null, models: [{ name: "one", size: 1 }] }));
		await page.click('button:text-is("Try again")');
		await page.waitForSelector('.vault-bridge-chat-setup:has-text("Ask about your notes")');
		await expect.poll(async () => page.inputValue(".vault-bridge-chat select")).toBe("one");
	});

	it("asks which of several models, and sends nothing before", async () => {
		bridge.answers.set("chat.models", () => ({ endpoint: "http://localhost:11434", allowed: true, sentence: null, model: null, models: [{ name: "one", size: 1 }, { name: "two", size: 1 }] }));
		await runCommand(page, "open-chat");
		await page.waitForSelector('.vault-bridge-chat-setup:has-text("There are several models.")');
		await page.fill(input, "Hello");
		await page.press(input, "Enter");
		await page.waitForSelector('.notice:has-text("Choose a model above.")');
		await page.selectOption(".vault-bridge-chat select", "two");
		await page.press(input, "Enter");
		await expect.poll(sent).toEqual([{ text: "Hello", model: "two" }]);
	});

	it("sends nothing to another computer before the person has agreed, twice", async () => {
		const away = { endpoint: "https://models.example", allowed: false, sentence: "What you write here, and what the model reads for you, is sent to https://models.example.", model: null, models: [] };
		bridge.answers.set("chat.models", () => away);
		bridge.answers.set("chat.allow", () => ({ ...away, allowed: true, sentence: null, models: [{ name: "big", size: 0 }] }));
		await runCommand(page, "open-chat");
		await page.waitForSelector('.vault-bridge-chat-setup:has-text("is sent to https://models.example.")');
		await page.click('button:text-is("Allow https://models.example…")');
		await page.click('.modal button:text-is("Cancel")');
		expect(bridge.asked.filter((one) => one.method === "chat.allow")).toEqual([]);
		await page.click('button:text-is("Allow https://models.example…")');
		await page.click('.modal button:text-is("Allow")');
		expect(await bridge.until("chat.allow")).toEqual({ endpoint: "https://models.example" });
		await page.waitForSelector('.vault-bridge-chat-setup:has-text("Ask about your notes")');
	});

	it("says that the bridge is gone, and shows what it has kept when it is back", async () => {
		await openChat(page);
		await say(page, bridge, "Hello");
		model.says("Half of");
		await page.waitForSelector(`${answer}:has-text("Half of")`);
		bridge.answers.set("chat.read", () => ({ ...kept(), history: [message("user", "Hello"), message("assistant", "Half of it and the rest.")] }));
		bridge.stop();
		await page.waitForSelector('.vault-bridge-note.is-warning:has-text("The bridge is gone.")');
		await bridge.start();
		await page.waitForSelector(`${answer}:has-text("Half of it and the rest.")`);
		await expect.poll(words).toEqual(["Hello"]);
	});
});

describe("the conversations", () => {
	const history = [message("user", "Which seeds?"), message("assistant", "", { calls: [{ callId: "c1", tool: "read", arguments: {}, fault: null }] }), message("tool", "Peas", { callId: "c1", tool: "read", summary: "Read Garden/Seeds.md", state: "done" }), message("notice", "The conversation has become long."), message("assistant", "**Peas**")];

	it("are listed, gone on with, and left for a new one", async () => {
		bridge.answers.set("chat.list", () => [kept(), kept({ conversationId: "1".repeat(16), title: "<b>Other</b>", running: true })]);
		bridge.answers.set("chat.read", () => ({ ...kept({ model: "llama3.2" }), history }));
		await openChat(page);
		await act("Conversations");
		await expect.poll(async () => page.locator(".vault-bridge-chat-listed-title").allTextContents()).toEqual(["Which seeds?", "<b>Other</b>"]);
		await page.click('.vault-bridge-chat-listed:has-text("Which seeds?")');
		await page.waitForSelector(`${answer} strong:text-is("Peas")`);
		await expect.poll(async () => page.textContent(".vault-bridge-chat-title")).toBe("Which seeds?");
		await expect.poll(async () => page.locator(".vault-bridge-chat-call summary > span").allInnerTexts()).toEqual(["", "Read Garden/Seeds.md", "done"]);
		await say(page, bridge, "And more?");
		await expect.poll(() => sent()).toEqual([{ text: "And more?", model: "llama3.2", conversationId: CONVERSATION }]);
		model.done();
		await act("New conversation");
		await page.waitForSelector('.vault-bridge-chat-title:text-is("New conversation")');
		await expect.poll(words).toEqual([]);
	});

	it("are deleted when the person says so twice", async () => {
		let all = [kept()];
		bridge.answers.set("chat.list", () => all);
		bridge.answers.set("chat.delete", ({ conversationId }) => {
			all = [];
			return { conversationId };
		});
		await openChat(page);
		await act("Conversations");
		await act("Delete the conversation Which seeds?");
		await page.click('.modal button:text-is("Cancel")');
		expect(bridge.asked.filter((one) => one.method === "chat.delete")).toEqual([]);
		await act("Delete the conversation Which seeds?");
		await page.click('.modal button:text-is("Delete")');
		expect(await bridge.until("chat.delete")).toEqual({ conversationId: CONVERSATION });
		await page.waitForSelector('.vault-bridge-chat-others:has-text("No conversation is kept yet.")');
	});

	it("become notes by way of the bridge, whose words are shown", async () => {
		bridge.answers.set("chat.read", () => ({ ...kept(), history }));
		bridge.answers.set("chat.list", () => [kept()]);
		bridge.answers.set("chat.export", () => ({ success: true, text: "Created Chats/Which seeds.md" }));
		await openChat(page);
		await expect.poll(async () => page.isDisabled('button[aria-label="Make a note of this conversation"]')).toBe(true);
		await act("Conversations");
		await page.click(".vault-bridge-chat-listed");
		await page.waitForSelector(answer);
		await act("Make a note of this conversation");
		expect(await bridge.until("chat.export")).toEqual({ conversationId: CONVERSATION });
		await page.waitForSelector('.notice:has-text("Created Chats/Which seeds.md")');
	});

	it("with hundreds of messages show the last, and the earlier when they are wanted", async () => {
		const long = Array.from({ length: 500 }, (_, number) => message(number % 2 === 0 ? "user" : "assistant", `Message ${number}`));
		bridge.answers.set("chat.list", () => [kept()]);
		bridge.answers.set("chat.read", () => ({ ...kept(), history: long }));
		await openChat(page);
		await act("Conversations");
		await page.click(".vault-bridge-chat-listed");
		await page.waitForSelector(`${answer}:has-text("Message 499")`);
		const entries = page.locator(".vault-bridge-chat-entry");
		await expect.poll(async () => entries.count()).toBe(60);
		await page.click('button:text-is("Show 60 of 440 earlier parts")');
		await expect.poll(async () => entries.count()).toBe(120);
		const texts = await page.locator(".vault-bridge-chat-words, .vault-bridge-chat-answer").allTextContents();
		expect(texts).toEqual(Array.from({ length: 120 }, (_, number) => `Message ${380 + number}`));
		await page.waitForSelector('.vault-bridge-chat-entries > :first-child:text-is("Show 60 of 380 earlier parts")');
	});
});
