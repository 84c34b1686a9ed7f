/** The chat with a model: the conversation, what is written next, and the other conversations. */

import { ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import type { Attached, NoteName } from "../../core/chat/compose";
import type { ChatSession, Change } from "../../core/chat/session";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { ChatModels, ConversationInfo } from "../../core/wire/contract";
import { Composer } from "../chat/composer";
import { drawConversations } from "../chat/conversations";
import { Entries } from "../chat/entries";
import type { Links } from "../chat/blocks";
import { drawSetup, modelFor, obstacle, type Server } from "../chat/setup";
import { showText } from "../text";

export const CHAT_VIEW = "vault-bridge-chat";
/** Characters of an answer that are read aloud when it is there. */
const MOST_SPOKEN = 300;

export interface ChatSource extends Links {
	session: ChatSession;
	now: () => number;
	/** Whether there is a bridge. */
	connected: () => boolean;
	/** Be told when it comes or goes, or what it is set to has changed. Returns how to be told no longer. */
	onServer: (changed: () => void) => () => void;
	/** Be told when another note is open. Returns how to be told no longer. */
	onNote: (changed: () => void) => () => void;
	/** The model's server; rejects with why it does not answer. */
	models: () => Promise<ChatModels>;
	/** Agree to its address, when the person says so once more. Null: they did not. */
	allow: (models: ChatModels) => Promise<ChatModels | null>;
	list: () => Promise<ConversationInfo[]>;
	/** Delete a conversation, when the person says so once more. */
	remove: (conversation: ConversationInfo) => Promise<void>;
	/** Make a note of a conversation. */
	export: (conversationId: string) => void;
	notes: () => readonly NoteName[];
	attached: () => Attached;
	copy: (text: string) => void;
	insert: (text: string) => void;
	/** Say what went wrong. */
	complain: (problem: string) => void;
}

export class ChatView extends ItemView {
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

	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: ChatSource,
	) {
		super(leaf);
		this.icon = "message-circle";
	}

	override getViewType(): string {
		return CHAT_VIEW;
	}

	override getDisplayText(): string {
		return "Chat";
	}

	override async onOpen(): Promise<void> {
		const { contentEl, source } = this;
		contentEl.empty();
		contentEl.addClasses(["vault-bridge-view", "vault-bridge-chat"]);
		this.drawHead(contentEl.createDiv({ cls: "vault-bridge-chat-head" }));
		const scrollEl = contentEl.createDiv({ cls: "vault-bridge-chat-scroll", attr: { tabindex: "0", role: "log", "aria-label": "Conversation", "aria-live": "off" } });
		this.listEl = scrollEl.createDiv({ cls: "vault-bridge-chat-others" });
		this.listEl.hide();
		this.setupEl = scrollEl.createDiv({ cls: "vault-bridge-chat-setup", attr: { role: "status" } });
		this.entries = new Entries(scrollEl.createDiv({ cls: "vault-bridge-chat-entries" }), scrollEl, source.session, {
			...source,
			edit: (number, text) => { this.composer?.edit(number, text); },
			retry: (number, text) => void this.send(text, number),
		});
		this.spokenEl = contentEl.createDiv({ cls: "vault-bridge-spoken", attr: { role: "status", "aria-live": "polite" } });
		this.composer = new Composer(contentEl.createDiv({ cls: "vault-bridge-chat-composer" }), {
			send: async (text, replaces) => this.send(text, replaces),
			stop: () => { this.stop(); },
			editLast: () => { this.editLast(); },
			notes: source.notes,
			attached: source.attached,
		});
		this.registerDomEvent(contentEl, "keydown", (event) => {
			if (event.key !== "Escape" || !source.session.running || event.isComposing) return;
			event.preventDefault();
			this.stop();
		});
		this.register(source.session.changed.on((change) => { this.take(change); }));
		this.register(source.onServer(() => void this.ask()));
		this.register(source.onNote(() => { this.composer?.drawChips(); }));
		this.register(() => { this.entries?.end(); });
		this.drawAll();
		this.composer.focus();
		await this.ask();
	}

	private drawHead(el: HTMLElement): void {
		const { session } = this.source;
		this.titleEl = el.createDiv({ cls: "vault-bridge-chat-title" });
		const bar = el.createDiv({ cls: "vault-bridge-chat-bar" });
		this.modelEl = bar.createEl("select", { cls: "dropdown", attr: { "aria-label": "Model" } });
		this.modelEl.addEventListener("change", () => {
			this.chosen = this.modelEl?.value || null;
			this.drawServer();
		});
		const button = (icon: string, name: string, act: () => void): HTMLButtonElement => {
			const made = bar.createEl("button", { cls: "clickable-icon", type: "button", attr: { "aria-label": name } });
			setIcon(made, icon);
			made.addEventListener("click", act);
			return made;
		};
		button("square-pen", "New conversation", () => {
			session.clear();
			this.listEl?.hide();
			this.composer?.focus();
		});
		button("history", "Conversations", () => void this.toggleList());
		this.exportEl = button("file-output", "Make a note of this conversation", () => {
			if (session.conversationId !== null) this.source.export(session.conversationId);
		});
	}

	private async send(text: string, replaces: number | null): Promise<boolean> {
		const model = modelFor(this.server, this.chosen, this.source.session.model);
		const problem = obstacle(this.server, model) ?? (await this.source.session.send(text, model, replaces));
		if (problem === null) return true;
		this.source.complain(problem);
		return false;
	}

	private stop(): void {
		const { session, complain } = this.source;
		void session.stop().catch((error: unknown) => { complain(messageOf(error)); });
	}

	private editLast(): void {
		const { session } = this.source;
		const last = session.entries.filter((one) => one.kind === "user").at(-1);
		if (last) this.composer?.edit(session.numberOf(last), last.text);
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
		const { session } = this.source;
		const { running } = session;
		this.entries?.setRunning(running);
		this.composer?.setRunning(running);
		if (this.titleEl) {
			this.titleEl.empty();
			showText(this.titleEl, session.title || "New conversation");
		}
		if (this.exportEl) this.exportEl.disabled = session.conversationId === null || running;
		if (running !== this.drawnRunning) {
			const last = session.entries.at(-1);
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
		if (!this.source.connected()) this.server = { kind: "away" };
		else {
			if (this.server.kind !== "known") this.server = { kind: "asking" };
			this.drawServer();
			const found = await this.source.models().then(
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
		const { session } = this.source;
		const model = modelFor(server, this.chosen, session.model);
		if (modelEl) {
			modelEl.empty();
			const models = server.kind === "known" ? server.models.models : [];
			if (model === null) modelEl.createEl("option", { text: models.length > 0 ? "Choose a model" : "No model", value: "" });
			for (const { name } of models) modelEl.createEl("option", { text: sanitizePlain(name), value: name });
			modelEl.value = model ?? "";
			modelEl.disabled = models.length === 0;
		}
		if (setupEl) {
			drawSetup(setupEl, server, model, session.entries.length === 0, {
				again: () => void this.ask(),
				allow: (models) => void this.source.allow(models).then((allowed) => {
					if (!allowed) return;
					this.server = { kind: "known", models: allowed };
					this.drawServer();
				}, (error: unknown) => { this.source.complain(messageOf(error)); }),
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
		const { source } = this;
		try {
			const all = await source.list();
			drawConversations(listEl, all, source.session.conversationId, {
				now: source.now,
				open: ({ conversationId }) => {
					this.chosen = null;
					listEl.hide();
					void source.session.open(conversationId).then(() => { this.composer?.focus(); }, (error: unknown) => { source.complain(messageOf(error)); });
				},
				remove: (one) => void source.remove(one).then(async () => this.showList(listEl), (error: unknown) => { source.complain(messageOf(error)); }),
			});
			listEl.show();
			listEl.scrollIntoView({ block: "nearest" });
		} catch (error) {
			source.complain(messageOf(error));
		}
	}
}
