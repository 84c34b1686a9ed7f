/** A question of the plugin's own, before something that cannot be taken back or that opens a door. */

import { Modal, type App } from "obsidian";
import { focusAtOpening } from "./firstFocus";
import { showText } from "./text";
import { addButton } from "./addButton";

export interface Confirmation {
	title: string;
	text: string;
	/** What the button says that does it. */
	action: string;
}

/** True when the person said so; false for every other way to close it. */
export async function confirm(app: App, confirmation: Confirmation): Promise<boolean> {
	return new Promise((resolve) => {
		new ConfirmModal(app, confirmation, resolve).open();
	});
}

class ConfirmModal extends Modal {
	private answer = false;

	constructor(
		app: App,
		private readonly confirmation: Confirmation,
		private readonly resolve: (answer: boolean) => void,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-window");
		this.setTitle(this.confirmation.title);
		showText(this.contentEl.createEl("p"), this.confirmation.text);
		const bar = this.contentEl.createDiv({ cls: "modal-button-container" });
		const cancel = addButton(bar, "Cancel", () => {
			this.close();
		});
		bar.createEl("button", { cls: "mod-warning", text: this.confirmation.action, type: "button" }).addEventListener("click", () => {
			this.answer = true;
			this.close();
		});
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.contentEl.empty();
		this.resolve(this.answer);
	}
}
