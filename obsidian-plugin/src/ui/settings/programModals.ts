/** The two windows of connected programs: one asks for a name, one shows a new token. */

import { Modal, type App } from "obsidian";
import { focusAtOpening } from "../firstFocus";
import { showText } from "../text";
import { addBar, addButton } from "../addButton";

/** Letters that a name may have. */
const LONGEST_NAME = 80;

export interface NameQuestion {
	title: string;
	text: string;
	name: string;
	/** What the button says that takes the name. */
	action: string;
	/** Take the name. Null, or why it cannot be taken: then the person may write another. */
	take: (name: string) => Promise<string | null>;
}

export class NameModal extends Modal {
	constructor(
		app: App,
		private readonly question: NameQuestion,
	) {
		super(app);
	}

	override onOpen(): void {
		const { title, text, name, action } = this.question;
		this.modalEl.addClass("vault-bridge-window");
		this.setTitle(title);
		this.contentEl.createEl("p", { text });
		const input = this.contentEl.createEl("input", { cls: "vault-bridge-wide", type: "text", value: name, attr: { maxlength: String(LONGEST_NAME), "aria-label": "Name", spellcheck: "false" } });
		const problem = this.contentEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
		const bar = addBar(this.contentEl);
		const button = bar.createEl("button", { cls: "mod-cta", text: action, type: "button" });
		const submit = async (): Promise<void> => {
			const wanted = input.value.trim();
			if (wanted === "" || button.disabled) return;
			button.disabled = true;
			const refusal = await this.question.take(wanted);
			button.disabled = false;
			problem.empty();
			if (refusal === null) this.close();
			else showText(problem, refusal);
		};
		button.addEventListener("click", () => void submit());
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.isComposing) void submit();
		});
		addButton(bar, "Cancel", () => { this.close(); });
		input.select();
		focusAtOpening(input);
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}

/** A window of its own, so that nothing that is drawn again behind it takes the token away. */
export class TokenModal extends Modal {
	constructor(
		app: App,
		private readonly name: string,
		private readonly token: string,
		private readonly copy: (text: string) => Promise<void>,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-window");
		this.setTitle("Token of the new program");
		showText(this.contentEl.createEl("p"), `${this.name} was added and may call tools. It connects with this token:`);
		const row = this.contentEl.createDiv({ cls: "vault-bridge-token" });
		const field = row.createEl("input", { type: "text", value: this.token, attr: { readonly: "true", "aria-label": "Token", spellcheck: "false", autocomplete: "off" } });
		field.addEventListener("focus", () => { field.select(); });
		const button = addButton(row, "Copy", () => {
			void this.copy(this.token).then(
				() => { button.setText("Copied"); },
				() => { field.focus(); },
			);
		}, "mod-cta");
		this.contentEl.createEl("p", { cls: "vault-bridge-faint", text: "This is the only time it is shown; it cannot be shown again. If it gets lost, revoke the program and add it again. Keep it out of your notes: whoever has it can connect as this program." });
		const bar = addBar(this.contentEl);
		addButton(bar, "Done", () => { this.close(); });
		focusAtOpening(button);
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}
