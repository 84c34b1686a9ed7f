/** What an undo, a redo or mending links will do, before it is done. */

import { Modal, type App } from "obsidian";
import type { Reversal } from "../core/history";
import { drawFiles } from "./diff/fileList";
import { focusAtOpening } from "./firstFocus";
import { showLongText } from "./text";
import { addBar, addButton } from "./addButton";

const WORDS = {
	undo: ["Undo this change?", "Undo"],
	redo: ["Redo this change?", "Redo"],
	mend: ["Mend these links?", "Mend"],
} as const;

export class ReversalModal extends Modal {
	private end: () => void = () => undefined;

	constructor(
		app: App,
		private readonly reversal: Reversal,
		private readonly act: () => void,
	) {
		super(app);
	}

	override onOpen(): void {
		const { direction, summary, files, warnings, outside } = this.reversal;
		this.modalEl.addClass("vault-bridge-consent");
		const [title, label] = WORDS[direction];
		this.setTitle(title);
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		showLongText(body.createDiv({ cls: "vault-bridge-summary" }), summary);
		for (const warning of warnings) showLongText(body.createDiv({ cls: "vault-bridge-note is-warning" }), warning);
		if (outside) body.createDiv({ cls: "vault-bridge-note", text: "If this vault is synced, your other devices get this too." });
		this.end = drawFiles(body, files, null);
		const bar = addBar(this.contentEl);
		const cancel = addButton(bar, "Cancel", () => {
			this.close();
		});
		addButton(bar, label, () => {
			this.close();
			this.act();
		}, "mod-cta");
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.end();
		this.contentEl.empty();
	}
}
