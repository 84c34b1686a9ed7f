/** What an undo or redo will do, before it is done. */

import { Modal, type App } from "obsidian";
import type { Reversal } from "../core/history";
import { drawFiles } from "./diff/fileList";
import { focusAtOpening } from "./firstFocus";
import { showLongText } from "./text";
import { addButton } from "./addButton";

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
		const { direction, summary, files, warnings } = this.reversal;
		this.modalEl.addClass("vault-bridge-consent");
		this.setTitle(direction === "undo" ? "Undo this change?" : "Redo this change?");
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		showLongText(body.createDiv({ cls: "vault-bridge-summary" }), summary);
		for (const warning of warnings) showLongText(body.createDiv({ cls: "vault-bridge-note is-warning" }), warning);
		this.end = drawFiles(body, files, null);
		const bar = this.contentEl.createDiv({ cls: "modal-button-container" });
		const cancel = addButton(bar, "Cancel", () => {
			this.close();
		});
		bar.createEl("button", { cls: "mod-cta", text: direction === "undo" ? "Undo" : "Redo", type: "button" }).addEventListener("click", () => {
			this.close();
			this.act();
		});
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.end();
		this.contentEl.empty();
	}
}
