/** The chat pane: a conversation with a model, which works in the vault under the same rules as an agent. */

import { Component } from "obsidian";
import { ChatSession } from "../core/chat/session";
import { readable, ShapeError, type JsonObject } from "../core/json";
import { messageOf } from "../core/settings/store";
import type { ChatModels, ConversationInfo } from "../core/wire/contract";
import { handleEvent, type EventHandlers } from "../core/wire/events";
import { readChatModels, readConversationInfo } from "../core/wire/readers";
import { attachedNow, insertIntoNote, noteFor, noteNames } from "../platform/notes";
import { confirm } from "../ui/confirmModal";
import { CHAT_VIEW, ChatView } from "../ui/views/chatView";
import type { Context } from "./context";
import { showView } from "./views";
import { tell } from "../ui/notice";

export class Chatting extends Component {
	private readonly session: ChatSession;

	constructor(private readonly context: Context) {
		super();
		this.session = new ChatSession(context.request);
	}

	override onload(): void {
		const { plugin, connection, settings, app, clock } = this.context;
		const { workspace } = app;
		plugin.registerView(
			CHAT_VIEW,
			(leaf) => new ChatView(leaf, {
				session: this.session,
				now: () => clock.now(),
				connected: () => connection.connected,
				onServer: (changed) => {
					const ends = [connection.changed.on(changed), settings.changed.on(changed)];
					return () => { for (const end of ends) end(); };
				},
				onNote: (changed) => {
					const refs = [workspace.on("active-leaf-change", changed), workspace.on("file-open", changed)];
					return () => { for (const ref of refs) workspace.offref(ref); };
				},
				models: async () => readChatModels(await this.context.request("chat.models"), "chat.models"),
				allow: async (models) => this.allow(models),
				list: async () => readable(readConversationInfo)(await this.context.request("chat.list"), "chat.list"),
				remove: async (conversation) => this.remove(conversation),
				export: (conversationId) => void this.export(conversationId),
				notes: () => noteNames(app),
				attached: () => attachedNow(app),
				copy: (text) => void this.copy(text),
				insert: (text) => { this.tell(insertIntoNote(app, text)); },
				complain: (problem) => { this.tell(problem); },
				isNote: (target) => noteFor(app, target) !== null,
				openNote: (target) => void this.openNote(target),
			}),
		);
		plugin.addCommand({ id: "open-chat", name: "Chat", callback: () => { this.open(); } });
		this.register(connection.notified.on(({ method, params }) => { this.hear(method, params); }));
		this.register(connection.changed.on(({ kind }) => {
			if (kind === "connected") void this.session.refresh().catch(() => undefined);
			else this.session.lost();
		}));
	}

	open(): void {
		void showView(this.context.app, CHAT_VIEW, "right");
	}

	private readonly handlers: EventHandlers = {
		"chat.delta": (event) => { this.session.heard(event); },
		"chat.tool": (event) => { this.session.used(event); },
		"chat.done": (event) => { this.session.ended(event); },
	};

	private hear(method: string, params: JsonObject): void {
		try {
			handleEvent(this.handlers, method, params);
		} catch (error) {
			if (!(error instanceof ShapeError)) throw error;
			console.warn("Vault Bridge:", error);
		}
	}

	private tell(text: string): void {
		tell(text);
	}

	private async allow({ endpoint, sentence }: ChatModels): Promise<ChatModels | null> {
		const sure = await confirm(this.context.app, { title: "Send conversations to another computer?", text: sentence ?? endpoint, action: "Allow" });
		return sure ? readChatModels(await this.context.request("chat.allow", { endpoint }), "chat.allow") : null;
	}

	private async remove({ conversationId, title }: ConversationInfo): Promise<void> {
		const sure = await confirm(this.context.app, { title: "Delete this conversation?", text: `“${title}” cannot be brought back. What was done in the vault stays, and can be undone as before.`, action: "Delete" });
		if (!sure) return;
		await this.context.request("chat.delete", { conversationId });
		if (this.session.conversationId === conversationId) this.session.clear();
	}

	/** A call like any other: the bridge asks first, and its answer says what became of it. */
	private async export(conversationId: string): Promise<void> {
		try {
			const result = await this.context.request("chat.export", { conversationId });
			const text = typeof result === "object" && result !== null && "text" in result && typeof result.text === "string" ? result.text : "";
			this.tell(text);
		} catch (error) {
			this.tell(messageOf(error));
		}
	}

	private async copy(text: string): Promise<void> {
		try {
			await activeWindow.navigator.clipboard.writeText(text);
			this.tell("Copied.");
		} catch {
			this.tell("The clipboard could not be written.");
		}
	}

	/** Obsidian would make a note that is not there, so it is looked for once more. */
	private async openNote(target: string): Promise<void> {
		const { app } = this.context;
		if (noteFor(app, target) === null) this.tell(`There is no note ${target} any more.`);
		else await app.workspace.openLinkText(target, "", "tab");
	}
}
