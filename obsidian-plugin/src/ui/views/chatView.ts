/** The chat with a model: the conversation, what is written next, and the other conversations. */

import type { Change } from "../../core/chat/session";
import { momentWords } from "../../core/drafts";
import { messageOf } from "../../core/settings/store";
import { counted, sanitizePlain } from "../../core/text";
import type { ChatModels, ConversationInfo } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { Composer } from "../chat/composer";
import { Entries } from "../chat/entries";
import { drawSetup, modelFor, obstacle, type Server } from "../chat/setup";
import { addEmpty, addIconButton, showText } from "../elements";
import { tell, tellFailure } from "../notice";
import { confirm } from "../window";
import { Pane, type Face } from "./pane";

export const CHAT: Face = { type: "vault-bridge-chat", title: "Chat", icon: "message-circle", command: ["open-chat", "Chat"], place: "right" };
/** Characters of an answer that are read aloud when it is there. */
const MOST_SPOKEN = 300;

export class ChatView extends Pane {
	private server: Server = { kind: "away" };
	private asked = 0;
	private chosen: string | null = null;
	private drawnRunning = false;
	private titleEl: HTMLElement | null = null;
	private modelEl: HTMLSelectElement | null = null;
	private exportEl: HTMLButtonElement | null = null;
	private listEl: HTMLElement | null = null;
	private setupEl: HTMLElement | null = null;
	private spokenEl: HTMLElement | null = null;
	private entries: Entries | null = null;
	private composer: Composer | null = null;

	protected override async fill(contentEl: HTMLElement): Promise<void> {
		const { app, chat, connection, settings } = this.context;
		contentEl.addClass("vault-bridge-chat");
		this.drawHead(contentEl.createDiv({ cls: "vault-bridge-chat-head" }));
		const scrollEl = contentEl.createDiv({ cls: "vault-bridge-chat-scroll", attr: { tabindex: "0", role: "log", "aria-label": "Conversation", "aria-live": "off" } });
		this.listEl = scrollEl.createDiv({ cls: "vault-bridge-chat-others" });
		this.listEl.hide();
		this.setupEl = scrollEl.createDiv({ cls: "vault-bridge-chat-setup", attr: { role: "status" } });
		this.entries = new Entries(scrollEl.createDiv({ cls: "vault-bridge-chat-entries" }), scrollEl, this.context, {
			edit: (number, text) => { this.composer?.edit(number, text); },
			retry: (number, text) => void this.send(text, number),
		});
		this.spokenEl = contentEl.createDiv({ cls: "vault-bridge-spoken", attr: { role: "status", "aria-live": "polite" } });
		this.composer = new Composer(contentEl.createDiv({ cls: "vault-bridge-chat-composer" }), app, {
			send: async (text, replaces) => this.send(text, replaces),
			stop: () => { this.stop(); },
			editLast: () => { this.editLast(); },
		});
		this.registerDomEvent(contentEl, "keydown", (event) => {
			if (event.key !== "Escape" || !chat.running || event.isComposing) return;
			event.preventDefault();
			this.stop();
		});
		this.on(chat.changed, (change) => { this.take(change); });
		this.on(connection.changed, () => void this.ask());
		this.on(settings.changed, () => void this.ask());
		const drawChips = (): void => { this.composer?.drawChips(); };
		this.registerEvent(app.workspace.on("active-leaf-change", drawChips));
		this.registerEvent(app.workspace.on("file-open", drawChips));
		this.register(() => { this.entries?.end(); });
		this.drawAll();
		this.composer.focus();
		await this.ask();
	}

	begin(text: string): void {
		this.composer?.begin(text);
	}

	private drawHead(el: HTMLElement): void {
		const { chat } = this.context;
		this.titleEl = el.createDiv({ cls: "vault-bridge-chat-title" });
		const bar = el.createDiv({ cls: "vault-bridge-chat-bar" });
		this.modelEl = bar.createEl("select", { cls: "dropdown", attr: { "aria-label": "Model" } });
		this.modelEl.addEventListener("change", () => {
			this.chosen = this.modelEl?.value || null;
			this.drawServer();
		});
		addIconButton(bar, "square-pen", "New conversation", () => {
			chat.clear();
			this.listEl?.hide();
			this.composer?.focus();
		});
		addIconButton(bar, "history", "Conversations", () => { this.toggleList().catch(tellFailure); });
		this.exportEl = addIconButton(bar, "file-output", "Make a note of this conversation", () => {
			if (chat.conversationId !== null) this.export(chat.conversationId).catch(tellFailure);
		});
	}

	private async send(text: string, replaces: number | null): Promise<boolean> {
		const model = modelFor(this.server, this.chosen, this.context.chat.model);
		const problem = obstacle(this.server, model) ?? (await this.context.chat.send(text, model, replaces));
		if (problem === null) return true;
		tell(problem);
		return false;
	}

	private stop(): void {
		this.context.chat.stop().catch(tellFailure);
	}

	private editLast(): void {
		const { chat } = this.context;
		const last = chat.entries.filter((one) => one.kind === "user").at(-1);
		if (last) this.composer?.edit(chat.numberOf(last), last.text);
	}

	private take(change: Change): void {
		switch (change.kind) {
			case "all":
				this.drawAll();
				return;
			case "added":
				this.entries?.add(change.entry);
				if (change.entry.kind === "call") this.speak(change.entry.summary);
				if (change.entry.kind === "notice" || change.entry.kind === "failure") this.speak(change.entry.text);
				return;
			case "grown":
				this.entries?.grow(change.entry, change.more);
				return;
			case "state":
				this.drawState();
		}
	}

	private drawAll(): void {
		this.entries?.redraw();
		this.drawState();
		this.drawServer();
	}

	private drawState(): void {
		const { chat } = this.context;
		const { running } = chat;
		this.entries?.setRunning(running);
		this.composer?.setRunning(running);
		if (this.titleEl) {
			this.titleEl.empty();
			showText(this.titleEl, chat.title || "New conversation");
		}
		if (this.exportEl) this.exportEl.disabled = chat.conversationId === null || running;
		if (running !== this.drawnRunning) {
			const last = chat.entries.at(-1);
			this.speak(running ? "The model is at it." : last?.kind === "model" ? `The answer is there: ${last.text.slice(0, MOST_SPOKEN)}` : "");
		}
		this.drawnRunning = running;
	}

	/** For those who hear the window: never each piece, but what has begun and what is there. */
	private speak(text: string): void {
		if (text !== "") this.spokenEl?.setText(sanitizePlain(text));
	}

	private async ask(): Promise<void> {
		const asked = ++this.asked;
		if (!this.context.connection.connected) this.server = { kind: "away" };
		else {
			if (this.server.kind !== "known") this.server = { kind: "asking" };
			this.drawServer();
			const found = await ask(this.context.request, "chat.models").then(
				(models): Server => ({ kind: "known", models }),
				(error: unknown): Server => ({ kind: "failed", message: messageOf(error) }),
			);
			if (asked !== this.asked) return;
			this.server = found;
		}
		this.drawServer();
	}

	private drawServer(): void {
		const { server, modelEl, setupEl } = this;
		const { chat } = this.context;
		const model = modelFor(server, this.chosen, chat.model);
		if (modelEl) {
			modelEl.empty();
			const models = server.kind === "known" ? server.models.models : [];
			if (model === null) modelEl.createEl("option", { text: models.length > 0 ? "Choose a model" : "No model", value: "" });
			for (const { name } of models) modelEl.createEl("option", { text: sanitizePlain(name), value: name });
			modelEl.value = model ?? "";
			modelEl.disabled = models.length === 0;
		}
		if (setupEl) {
			drawSetup(setupEl, server, model, chat.entries.length === 0, {
				again: () => void this.ask(),
				allow: (models) => { this.allow(models).catch(tellFailure); },
			});
		}
	}

	private async toggleList(): Promise<void> {
		const { listEl } = this;
		if (!listEl) return;
		if (listEl.isShown()) listEl.hide();
		else await this.showList(listEl);
	}

	private async showList(listEl: HTMLElement): Promise<void> {
		const { chat, clock, request } = this.context;
		const all = await ask(request, "chat.list");
		listEl.empty();
		if (all.length === 0) addEmpty(listEl, "No conversation is kept yet. Those that you have are listed here, on this computer only.");
		const list = listEl.createEl("ul", { cls: "vault-bridge-chat-list" });
		list.toggle(all.length > 0);
		for (const one of all) {
			const row = list.createEl("li");
			const open = row.createEl("button", { cls: "vault-bridge-chat-listed", type: "button", attr: { "aria-current": one.conversationId === chat.conversationId ? "true" : null } });
			showText(open.createSpan({ cls: "vault-bridge-chat-listed-title" }), one.title);
			showText(open.createSpan({ cls: "vault-bridge-faint" }), `${one.running ? "The model is at it · " : ""}${momentWords(one.updated, clock.now())} · ${counted(one.messages, "message")} · ${one.model}`);
			open.addEventListener("click", () => {
				this.chosen = null;
				listEl.hide();
				chat.open(one.conversationId).then(() => { this.composer?.focus(); }).catch(tellFailure);
			});
			addIconButton(row, "trash-2", `Delete the conversation ${sanitizePlain(one.title)}`, () => { this.remove(one).then(async () => this.showList(listEl)).catch(tellFailure); });
		}
		listEl.show();
		listEl.scrollIntoView({ block: "nearest" });
	}

	/** Agree to the server's address, when the person says so once more. */
	private async allow({ endpoint, sentence }: ChatModels): Promise<void> {
		if (!(await confirm(this.context.app, { title: "Send conversations to another computer?", text: sentence ?? endpoint, action: "Allow" }))) return;
		this.server = { kind: "known", models: await ask(this.context.request, "chat.allow", { endpoint }) };
		this.drawServer();
	}

	/** Delete a conversation, when the person says so once more. */
	private async remove({ conversationId, title }: ConversationInfo): Promise<void> {
		const { chat, request } = this.context;
		if (!(await confirm(this.context.app, { title: "Delete this conversation?", text: `“${title}” cannot be brought back. What was done in the vault stays, and can be undone as before.`, action: "Delete" }))) return;
		await request("chat.delete", { conversationId });
		if (chat.conversationId === conversationId) chat.clear();
	}

	/** Make a note of a conversation. It is a call like any other: the bridge asks first, and says what became of it. */
	private async export(conversationId: string): Promise<void> {
		tell((await ask(this.context.request, "chat.export", { conversationId })).text);
	}
}
