/** What undoing several changes will come to, each of them listed, before it is done. */

import { Modal, type App } from "obsidian";
import type { UndoneAll, UndoneChange } from "../core/wire/contract";
import { showText } from "./text";
import { showTime } from "./views/time";

export class UndoAllModal extends Modal {
	constructor(
		app: App,
		private readonly foreseen: UndoneAll,
		private readonly act: (executionIds: string[]) => void,
	) {
		super(app);
	}

	override onOpen(): void {
		const { changes, undone, text } = this.foreseen;
		const going = changes.filter((change) => change.undone);
		const staying = changes.filter((change) => !change.undone);
		this.modalEl.addClasses(["vault-bridge-window", "vault-bridge-undo-all"]);
		this.setTitle(undone === 0 ? "Nothing can be undone" : `Undo ${counted(undone)}?`);
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		showText(body.createDiv({ cls: "vault-bridge-summary" }), `${text}.`);
		if (staying.length > 0) drawList(body, "Stays as it is", staying);
		if (going.length > 0) drawList(body, "Is undone, the newest first", going);
		const bar = this.contentEl.createDiv({ cls: "modal-button-container" });
		bar.createEl("button", { text: undone === 0 ? "Close" : "Cancel", type: "button" }).addEventListener("click", () => {
			this.close();
		});
		if (undone === 0) return;
		bar.createEl("button", { cls: "mod-warning", text: `Undo ${counted(undone)}`, type: "button" }).addEventListener("click", () => {
			this.close();
			this.act(going.map((change) => change.executionId));
		});
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}

export function counted(changes: number): string {
	return changes === 1 ? "1 change" : `${changes} changes`;
}

function drawList(body: HTMLElement, title: string, changes: readonly UndoneChange[]): void {
	body.createDiv({ cls: "vault-bridge-day", text: title, attr: { role: "heading", "aria-level": "3" } });
	const list = body.createEl("ul", { cls: "vault-bridge-undo-list" });
	for (const change of changes) {
		const item = list.createEl("li");
		showText(item.createDiv(), change.summary || change.files.join(", "));
		const about = item.createDiv({ cls: "vault-bridge-faint" });
		showTime(about, change.time);
		about.appendText(" · ");
		showText(about, change.who);
		if (change.why === null) continue;
		showText(item.createDiv({ cls: "vault-bridge-problem is-warning" }), change.why);
	}
}
