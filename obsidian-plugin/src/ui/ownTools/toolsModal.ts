/** The window with the user's own tools. */

import { Modal, type App } from "obsidian";
import type { Request } from "../../core/wire/request";
import { ToolList } from "./toolList";

export class ToolsModal extends Modal {
	private list: ToolList | null = null;

	constructor(
		app: App,
		private readonly request: Request,
		private readonly onChange: (listener: () => void) => () => void,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClasses(["vault-bridge-window", "vault-bridge-wide-window"]);
		this.setTitle("Your own tools");
		this.list = new ToolList(this.app, this.contentEl.createDiv(), this.request, this.onChange);
	}

	override onClose(): void {
		this.list?.end();
	}
}
