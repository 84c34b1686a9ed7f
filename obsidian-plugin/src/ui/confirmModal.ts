/** A question of the plugin's own, before something that cannot be taken back or that opens a door. */

import { Modal, type App } from "obsidian";
import { focusAtOpening } from "./firstFocus";
import { showText } from "./text";
import { addBar, addButton } from "./addButton";

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
		const bar = addBar(this.contentEl);
		const cancel = addButton(bar, "Cancel", () => {
			this.close();
		});
		addButton(bar, this.confirmation.action, () => {
			this.answer = true;
			this.close();
		}, "mod-warning");
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.contentEl.empty();
		this.resolve(this.answer);
	}
}
