/** What was said in a conversation, from top to bottom: messages, answers, and calls with what came of them. */

import { setIcon } from "obsidian";
import type { Called, Entry } from "../../core/chat/session";
import { copyText } from "../clipboard";
import type { Context } from "../context";
import { addButton, addDetails, addIconButton, showLongText, showText } from "../elements";
import { Answer } from "./blocks";
import { insertIntoNote } from "./notes";

/** Entries that are drawn at once. Earlier ones come at the press of a button. */
const PAGE = 60;
/** Pixels from the end within which the reader counts as being at it. */
const AT_END = 48;

export interface EntryActions {
	/** Let the person change one of their messages and send it again. */
	edit: (number: number, text: string) => void;
	retry: (number: number, text: string) => void;
}

interface Drawn {
	el: HTMLElement;
	answer?: Answer;
	/** Takes more text, or another state. */
	grow?: (more: string) => void;
}

const STATES: Readonly<Record<string, { icon: string; word: string }>> = {
	running: { icon: "loader", word: "running" },
	done: { icon: "check", word: "done" },
	failed: { icon: "circle-alert", word: "failed" },
	denied: { icon: "ban", word: "refused" },
};

export class Entries {
	private readonly drawn = new Map<Entry, Drawn>();
	private first = 0;
	private isAtEnd = true;
	private lastTop = 0;

	/** @param scrollEl - What scrolls; the entries are drawn into `el`, inside it. */
	constructor(
		private readonly el: HTMLElement,
		private readonly scrollEl: HTMLElement,
		private readonly context: Context,
		private readonly actions: EntryActions,
	) {
		// Looked at only when it scrolls: to ask while pieces come would lay out the page for each of them.
		scrollEl.addEventListener("scroll", () => {
			const { scrollHeight, scrollTop, clientHeight } = scrollEl;
			const isNear = scrollHeight - scrollTop - clientHeight < AT_END;
			// What grows below moves nobody away from the end: only who scrolls up leaves it.
			this.isAtEnd = isNear || (this.isAtEnd && scrollTop >= this.lastTop);
			this.lastTop = scrollTop;
		});
	}

	redraw(): void {
		this.end();
		this.el.empty();
		const { entries } = this.context.chat;
		this.first = Math.max(0, entries.length - PAGE);
		this.offerEarlier();
		for (const entry of entries.slice(this.first)) this.add(entry, true);
		this.isAtEnd = true;
		this.follow();
	}

	add(entry: Entry, whole = false): void {
		this.draw(entry, whole);
		if (!whole) this.follow();
	}

	grow(entry: Entry, more: string): void {
		this.drawn.get(entry)?.grow?.(more);
		if (entry.kind === "call") this.follow();
	}

	setRunning(running: boolean): void {
		this.el.toggleClass("is-running", running);
	}

	/** Draw no more. */
	end(): void {
		for (const { answer } of this.drawn.values()) answer?.end();
		this.drawn.clear();
	}

	private offerEarlier(): void {
		if (this.first === 0) return;
		const button = this.el.createEl("button", { cls: "vault-bridge-chat-earlier", text: `Show ${Math.min(PAGE, this.first)} of ${this.first} earlier parts`, type: "button" });
		button.addEventListener("click", () => {
			const from = Math.max(0, this.first - PAGE);
			const { scrollHeight, scrollTop } = this.scrollEl;
			const after = button.nextElementSibling;
			for (const entry of this.context.chat.entries.slice(from, this.first)) {
				this.draw(entry, true);
				const el = this.drawn.get(entry)?.el;
				if (el) this.el.insertBefore(el, after);
			}
			button.remove();
			this.first = from;
			this.offerEarlier();
			const again = this.el.querySelector(".vault-bridge-chat-earlier");
			if (again) this.el.prepend(again);
			this.scrollEl.scrollTop = scrollTop + this.scrollEl.scrollHeight - scrollHeight;
		});
	}

	private draw(entry: Entry, whole: boolean): void {
		const el = this.el.createDiv({ cls: `vault-bridge-chat-entry is-${entry.kind}` });
		this.drawn.set(entry, { el, ...this.fill(el, entry, whole) });
	}

	private fill(el: HTMLElement, entry: Entry, whole: boolean): Omit<Drawn, "el"> {
		switch (entry.kind) {
			case "call":
				return { grow: drawCall(el, entry) };
			case "model":
				return this.drawAnswer(el, entry, whole);
			case "thinking": {
				const text = addDetails(el, "What the model thought").createDiv({ cls: "vault-bridge-chat-thought" });
				showText(text, entry.text);
				return { grow: (more) => { showText(text, more); } };
			}
			case "user":
				showLongText(el.createDiv({ cls: "vault-bridge-chat-words" }), entry.text);
				this.drawActions(el, [
					["pencil", "Edit and send again", () => { this.actions.edit(this.context.chat.numberOf(entry), entry.text); }, true],
					["copy", "Copy", () => { void copyText(entry.text); }],
				]);
				return {};
			case "failure":
				el.addClasses(["vault-bridge-note", "is-warning"]);
				showText(el.createDiv(), entry.text);
				addButton(el, "Try again", () => { this.retry(entry); }, "mod-waits");
				return {};
			case "notice":
				el.addClass("vault-bridge-note");
				showText(el, entry.text);
				return {};
		}
	}

	private drawAnswer(el: HTMLElement, entry: Entry, whole: boolean): Omit<Drawn, "el"> {
		const words = el.createDiv({ cls: "vault-bridge-chat-answer" });
		const answer = new Answer(words, this.context.app, () => { this.follow(); });
		answer.add(entry.text);
		if (whole) answer.draw();
		this.drawActions(el, [
			["copy", "Copy", () => { void copyText(entry.text); }],
			["between-horizontal-start", "Insert into the note", () => { insertIntoNote(this.context.app, entry.text); }],
			["rotate-cw", "Answer again", () => { this.retry(entry); }, true],
		]);
		return { answer, grow: (more) => { answer.add(more); } };
	}

	/** @param actions - Icon, name, what it does, and whether it has to wait until the model has ended. */
	private drawActions(el: HTMLElement, actions: readonly (readonly [string, string, () => void, boolean?])[]): void {
		const bar = el.createDiv({ cls: "vault-bridge-chat-actions" });
		for (const [icon, name, act, waits] of actions) {
			addIconButton(bar, icon, name, act).toggleClass("mod-waits", waits === true);
		}
	}

	/** Say again what the person said before an entry. */
	private retry(entry: Entry): void {
		const { entries } = this.context.chat;
		const said = entries.slice(0, entries.indexOf(entry)).filter((one) => one.kind === "user").at(-1);
		if (said) this.actions.retry(this.context.chat.numberOf(said), said.text);
	}

	/** Who reads at the end stays there; who has scrolled up is left alone. */
	private follow(): void {
		if (this.isAtEnd) this.scrollEl.scrollTop = this.scrollEl.scrollHeight;
	}
}

/** A call, folded: what it does and how it stands; inside, what came of it. Returns what draws it again. */
function drawCall(el: HTMLElement, call: Called): () => void {
	const details = el.createEl("details", { cls: "vault-bridge-chat-call" });
	const draw = (): void => {
		const { icon, word } = STATES[call.state] ?? { icon: "circle-help", word: call.state };
		details.empty();
		details.dataset["state"] = call.state;
		const head = details.createEl("summary");
		setIcon(head.createSpan({ cls: "vault-bridge-chat-call-icon", attr: { "aria-hidden": "true" } }), icon);
		showText(head.createSpan({ cls: "vault-bridge-chat-call-summary" }), call.summary || call.tool);
		showText(head.createSpan({ cls: "vault-bridge-chat-call-state" }), word);
		showText(details.createDiv({ cls: "vault-bridge-faint" }), `Tool: ${call.tool}`);
		if (call.text !== "") showLongText(details.createEl("pre", { cls: "vault-bridge-json", attr: { tabindex: "0" } }), call.text);
	};
	draw();
	return draw;
}
