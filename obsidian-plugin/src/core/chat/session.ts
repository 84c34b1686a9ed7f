/** One conversation as this window knows it: what was said, and what comes while the model is at it. */

import { Emitter } from "../emitter";
import { messageOf } from "../settings/store";
import type { ChatDelta, ChatDone, ChatMessage, ChatToolEvent, Conversation } from "../wire/contract";
import { ask, type MethodParams, type Request } from "../wire/reading";

/** What was said, by whom. The words of `user`, `model` and `thinking` are text; those of the others a sentence. */
export interface Said {
	kind: "user" | "model" | "thinking" | "notice" | "failure";
	text: string;
}

export interface Called {
	kind: "call";
	callId: string;
	tool: string;
	summary: string;
	state: string;
	text: string;
	executionId: string | null;
}

export type Entry = Said | Called;

export type Change =
	| { kind: "all" }
	| { kind: "added"; entry: Entry }
	/** There is more of it, or it has another state. `more` is what came to its text. */
	| { kind: "grown"; entry: Entry; more: string }
	| { kind: "state" };

const ENDINGS: Readonly<Record<string, string>> = {
	denied: "You said no, so the model stopped here.",
	cancelled: "Stopped.",
};

export class ChatSession {
	readonly changed = new Emitter<Change>();
	entries: Entry[] = [];
	conversationId: string | null = null;
	title = "";
	/** The model that the conversation was held with last; empty where there is none yet. */
	model = "";
	/** The turn that goes on; its id is empty until an event says it. Not `whole`: its beginning was not heard here. */
	private turn: { id: string; whole: boolean } | null = null;
	private sending = false;
	/** Over when the bridge has said which turn the message sent last is, or that it is none. */
	private begun: Promise<unknown> = Promise.resolve();
	/** Events that come before the bridge has said which turn they belong to. */
	private early: (() => void)[] = [];
	private generation = 0;

	constructor(private readonly request: Request) {}

	get running(): boolean {
		return this.sending || this.turn !== null;
	}

	/** Begin an empty one. One that the model is at goes on without being watched. */
	clear(): void {
		this.generation++;
		Object.assign(this, { entries: [], conversationId: null, title: "", model: "", turn: null, sending: false, early: [] });
		this.changed.emit({ kind: "all" });
	}

	/** Show a kept one. Rejects with what the bridge says. */
	async open(conversationId: string): Promise<void> {
		const generation = ++this.generation;
		const found = await ask(this.request, "chat.read", { conversationId });
		if (generation === this.generation) this.take(found);
	}

	/**
	 * Say something.
	 *
	 * @param replaces - Which of the person's messages it takes the place of, with all that came after; null: none.
	 * @returns What went wrong, in words; null where the model is at it.
	 */
	async send(text: string, model: string | null, replaces: number | null = null): Promise<string | null> {
		if (this.running) return "The model is still at the last message. Stop it, or wait.";
		const generation = ++this.generation;
		const before = { entries: this.entries, title: this.title };
		if (replaces !== null) this.entries = this.entries.slice(0, this.placeOf(replaces));
		else this.entries = [...this.entries];
		this.entries.push({ kind: "user", text });
		this.sending = true;
		this.changed.emit({ kind: "all" });
		const params: MethodParams<"chat.send"> = { text, ...(model !== null && { model }), ...(replaces !== null && { replaces }), ...(this.conversationId !== null && { conversationId: this.conversationId }) };
		const asked = ask(this.request, "chat.send", params);
		this.begun = asked.catch(() => undefined);
		try {
			const started = await asked;
			if (generation !== this.generation) return null;
			this.conversationId = started.conversationId;
			this.model = started.model;
			this.turn = { id: started.turnId, whole: true };
			if (this.title === "") this.title = text.split("\n", 1)[0]?.slice(0, 80) ?? "";
			this.sending = false;
			for (const event of this.early.splice(0)) event();
			this.changed.emit({ kind: "state" });
			return null;
		} catch (error) {
			if (generation !== this.generation) return null;
			this.sending = false;
			this.early = [];
			Object.assign(this, before);
			this.changed.emit({ kind: "all" });
			return messageOf(error);
		}
	}

	/** Stop the model; where the message is still on its way to it, as soon as it is there. What it has said stays. */
	async stop(): Promise<void> {
		const { generation } = this;
		await this.begun;
		if (generation === this.generation && this.conversationId !== null) await this.request("chat.cancel", { conversationId: this.conversationId });
	}

	/** The bridge is gone, and with it the rest of what the model says. */
	lost(): void {
		if (!this.running) return;
		this.generation++;
		this.sending = false;
		this.turn = null;
		this.early = [];
		this.add({ kind: "failure", text: "The bridge is gone. What it has kept is shown when it is back." });
		this.changed.emit({ kind: "state" });
	}

	/** Read it anew: the bridge is back, and may have more of it. */
	async refresh(): Promise<void> {
		if (this.conversationId !== null && !this.running) await this.open(this.conversationId);
	}

	heard(event: ChatDelta): void {
		this.hear(event, () => {
			const kind = event.kind === "text" ? "model" : event.kind === "thinking" ? "thinking" : "notice";
			const last = this.entries.at(-1);
			if (kind === "notice" || last?.kind !== kind) {
				this.add({ kind, text: event.text });
				return;
			}
			last.text += event.text;
			this.changed.emit({ kind: "grown", entry: last, more: event.text });
		});
	}

	used(event: ChatToolEvent): void {
		this.hear(event, () => {
			const { callId, tool, summary, state, text, executionId } = event;
			const known = this.entries.find((entry): entry is Called => entry.kind === "call" && entry.callId === callId);
			if (known) {
				Object.assign(known, { state, text, executionId });
				this.changed.emit({ kind: "grown", entry: known, more: "" });
			} else this.add({ kind: "call", callId, tool, summary, state, text, executionId });
		});
	}

	ended(event: ChatDone): void {
		this.hear(event, () => {
			const { turn } = this;
			this.turn = null;
			const text = event.message ?? ENDINGS[event.end] ?? null;
			if (text !== null) this.add({ kind: event.end === "failed" || event.end === "limit" ? "failure" : "notice", text });
			this.changed.emit({ kind: "state" });
			if (turn?.whole === false) void this.refresh().catch(() => undefined);
		});
	}

	/** Which of the person's messages an entry is, counted from 0. */
	numberOf(entry: Entry): number {
		return this.entries.filter((one) => one.kind === "user" || one === entry).indexOf(entry);
	}

	/** An event of this conversation: at once, or when it is known whose it is. */
	private hear(event: { conversationId: string; turnId: string }, act: () => void): void {
		if (this.sending) {
			this.early.push(() => { this.hear(event, act); });
			return;
		}
		if (event.conversationId !== this.conversationId) return;
		if (this.turn?.id === "") this.turn.id = event.turnId;
		if (this.turn?.id === event.turnId) act();
		// A turn that another program has begun: what was said before in it is not known here.
		else if (this.turn === null) void this.refresh().catch(() => undefined);
	}

	private take(found: Conversation): void {
		this.entries = found.history.flatMap(entriesOf);
		Object.assign(this, { conversationId: found.conversationId, title: found.title, model: found.model, sending: false, early: [] });
		this.turn = found.running ? { id: "", whole: false } : null;
		const answered = new Map(found.history.filter((one) => one.role === "tool").map((one) => [one.callId, one]));
		for (const entry of this.entries) {
			if (entry.kind !== "call") continue;
			const result = answered.get(entry.callId);
			if (result) Object.assign(entry, { state: result.state ?? "done", text: result.text, summary: result.summary || entry.summary, executionId: result.executionId });
		}
		this.changed.emit({ kind: "all" });
	}

	private add(entry: Entry): void {
		this.entries.push(entry);
		this.changed.emit({ kind: "added", entry });
	}

	private placeOf(number: number): number {
		const entry = this.entries.filter((one) => one.kind === "user")[number];
		return entry ? this.entries.indexOf(entry) : this.entries.length;
	}
}

function entriesOf(message: ChatMessage): Entry[] {
	if (message.role === "user") return [{ kind: "user", text: message.text }];
	if (message.role === "notice") return [{ kind: "notice", text: message.text }];
	if (message.role !== "assistant") return [];
	return [
		...(message.thinking === "" ? [] : [{ kind: "thinking" as const, text: message.thinking }]),
		...(message.text.trim() === "" ? [] : [{ kind: "model" as const, text: message.text }]),
		...message.calls.map(({ callId, tool }): Called => ({ kind: "call", callId, tool, summary: tool, state: "running", text: "", executionId: null })),
	];
}
