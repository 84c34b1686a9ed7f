/** Where the person writes: the message, what goes along with it, and the notes that it mentions. */

import { setIcon, type App } from "obsidian";
import { composed, mentionAt, notesLike, withMention, type Attached, type NoteName } from "../../core/chat/compose";
import { sanitizePlain } from "../../core/text";
import { addButton, addIconButton, showText } from "../elements";
import { attachedNow, noteNames } from "./notes";

export interface ComposerActions {
	/** Send a message. Returns whether it is on its way; otherwise what is written stays. */
	send: (text: string, replaces: number | null) => Promise<boolean>;
	stop: () => void;
	editLast: () => void;
}

export class Composer {
	private readonly input: HTMLTextAreaElement;
	private readonly chipsEl: HTMLElement;
	private readonly listEl: HTMLElement;
	private readonly editingEl: HTMLElement;
	private readonly button: HTMLButtonElement;
	private readonly id = `vault-bridge-chat-notes-${Math.random().toString(36).slice(2)}`;
	private found: readonly NoteName[] = [];
	private chosen = 0;
	private running = false;
	private replaces: number | null = null;
	/** What the person has taken away; something else that is open or selected is offered again. */
	private left: { note: string | null; selection: string | null } = { note: null, selection: null };

	constructor(
		el: HTMLElement,
		private readonly app: App,
		private readonly actions: ComposerActions,
	) {
		this.editingEl = el.createDiv({ cls: "vault-bridge-chat-editing" });
		this.listEl = el.createDiv({ cls: "vault-bridge-chat-notes", attr: { role: "listbox", id: this.id, "aria-label": "Notes" } });
		this.chipsEl = el.createDiv({ cls: "vault-bridge-chat-chips" });
		const row = el.createDiv({ cls: "vault-bridge-chat-row" });
		this.input = row.createEl("textarea", { placeholder: "Ask about your notes. @ mentions one.", attr: { rows: "3", "aria-label": "Message to the model", "aria-controls": this.id, "aria-autocomplete": "list" } });
		this.button = row.createEl("button", { type: "button" });
		this.button.addEventListener("click", () => {
			if (this.running) this.actions.stop();
			else void this.send();
		});
		this.input.addEventListener("input", () => { this.complete(); });
		this.input.addEventListener("click", () => { this.complete(); });
		this.input.addEventListener("blur", () => { this.close(); });
		this.input.addEventListener("focus", () => { this.drawChips(); });
		this.input.addEventListener("keydown", (event) => { this.press(event); });
		this.close();
		this.setRunning(false);
		this.drawEditing();
		this.drawChips();
	}

	focus(): void {
		this.input.focus();
	}

	setRunning(running: boolean): void {
		this.running = running;
		this.button.empty();
		setIcon(this.button.createSpan(), running ? "square" : "arrow-up");
		this.button.createSpan({ text: running ? "Stop" : "Send" });
		this.button.toggleClass("mod-cta", !running);
	}

	/** Put a message of the person's back, to be sent in the place of the old one. */
	edit(replaces: number | null, text: string): void {
		this.replaces = replaces;
		this.input.value = text;
		this.drawEditing();
		this.drawChips();
		this.focus();
	}

	/** Begin a message with a text, above what is written already. What is open and selected does not go along too. */
	begin(text: string): void {
		const { note, selection } = attachedNow(this.app);
		this.left = { note, selection: selection?.text ?? null };
		this.edit(this.replaces, text + this.input.value);
	}

	/** What is open or selected may be something else now. */
	drawChips(): void {
		this.chipsEl.empty();
		const { note, selection } = this.attached();
		if (note !== null && note !== selection?.path) this.drawChip("file-text", `Open: ${note}`, `The model is told that ${note} is open. It reads the note with a tool.`, () => { this.left.note = note; });
		if (selection) this.drawChip("text-select", `Selected: ${selection.text.length.toLocaleString()} characters of ${selection.path}`, "What is selected is sent word for word.", () => { this.left.selection = selection.text; });
	}

	private drawChip(icon: string, label: string, title: string, remove: () => void): void {
		const chip = this.chipsEl.createSpan({ cls: "vault-bridge-chat-chip", title });
		setIcon(chip.createSpan({ cls: "vault-bridge-chat-chip-icon", attr: { "aria-hidden": "true" } }), icon);
		showText(chip.createSpan({ cls: "vault-bridge-chat-chip-label" }), label);
		addIconButton(chip, "x", `Do not send: ${sanitizePlain(label)}`, () => {
			remove();
			this.drawChips();
			this.focus();
		});
	}

	/** What goes along. A message that is edited holds it already. */
	private attached(): Attached {
		if (this.replaces !== null) return { note: null, selection: null };
		const { note, selection } = attachedNow(this.app);
		return {
			note: note === this.left.note ? null : note,
			selection: selection?.text === this.left.selection ? null : selection,
		};
	}

	private drawEditing(): void {
		this.editingEl.empty();
		this.editingEl.toggle(this.replaces !== null);
		if (this.replaces === null) return;
		this.editingEl.createSpan({ text: "This takes the place of the earlier message. What came after it is dropped from the conversation; what was done in the vault stays." });
		addButton(this.editingEl, "Cancel", () => { this.edit(null, ""); });
	}

	private async send(): Promise<void> {
		const text = this.input.value;
		if (text.trim() === "" || this.running) return;
		const { replaces } = this;
		const whole = composed(text, this.attached());
		this.edit(null, "");
		if (await this.actions.send(whole, replaces)) return;
		// What was typed meanwhile stays, below.
		this.edit(replaces, [text, this.input.value].filter((one) => one !== "").join("\n"));
	}

	private press(event: KeyboardEvent): void {
		if (event.isComposing) return;
		if (this.found.length > 0 && this.pressInList(event)) return;
		if (event.key === "Enter" && !event.shiftKey) {
			event.preventDefault();
			void this.send();
		} else if (event.key === "Escape" && this.replaces !== null && !this.running) {
			event.preventDefault();
			this.edit(null, "");
		} else if (event.key === "ArrowUp" && this.input.value === "" && !this.running) {
			event.preventDefault();
			this.actions.editLast();
		}
	}

	private pressInList(event: KeyboardEvent): boolean {
		const { key } = event;
		if (key === "ArrowDown" || key === "ArrowUp") {
			this.chosen = (this.chosen + (key === "ArrowDown" ? 1 : this.found.length - 1)) % this.found.length;
			this.drawList();
		} else if (key === "Enter" || key === "Tab") this.mention(this.found[this.chosen]);
		else if (key === "Escape") this.close();
		else return false;
		event.preventDefault();
		event.stopPropagation();
		return true;
	}

	private complete(): void {
		const mention = mentionAt(this.input.value, this.input.selectionStart);
		this.found = mention ? notesLike(noteNames(this.app), mention.query) : [];
		this.chosen = 0;
		this.drawList();
	}

	private drawList(): void {
		this.listEl.empty();
		this.listEl.toggle(this.found.length > 0);
		for (const [index, note] of this.found.entries()) {
			const option = this.listEl.createDiv({ cls: "vault-bridge-chat-note", attr: { role: "option", id: `${this.id}-${index}`, "aria-selected": String(index === this.chosen) } });
			showText(option.createSpan(), note.name);
			showText(option.createSpan({ cls: "vault-bridge-faint" }), note.path);
			// The focus stays in the message.
			option.addEventListener("mousedown", (event) => {
				event.preventDefault();
				this.mention(note);
			});
		}
		this.input.setAttr("aria-activedescendant", this.found.length > 0 ? `${this.id}-${this.chosen}` : null);
	}

	private mention(note: NoteName | undefined): void {
		const caret = this.input.selectionStart;
		const mention = mentionAt(this.input.value, caret);
		if (note && mention) {
			const done = withMention(this.input.value, caret, mention, note.path);
			this.input.value = done.text;
			this.input.setSelectionRange(done.caret, done.caret);
		}
		this.close();
	}

	private close(): void {
		this.found = [];
		this.drawList();
	}
}
