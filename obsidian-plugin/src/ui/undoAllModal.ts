/** What undoing several changes will come to, each of them listed, before it is done. */

import { Modal, type App } from "obsidian";
import { leftOf } from "../core/history";
import type { UndoneAll, UndoneChange } from "../core/wire/contract";
import { showText } from "./text";
import { showTime } from "./views/time";
import { addBar, addButton } from "./addButton";
import { counted } from "../core/text/shorten";

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
		this.setTitle(undone === 0 ? "Nothing can be undone" : `Undo ${counted(undone, "change")}?`);
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		showText(body.createDiv({ cls: "vault-bridge-summary" }), `${text}.`);
		if (staying.length > 0) drawList(body, "Stays as it is", staying);
		if (going.length > 0) drawList(body, "Is undone, the newest first", going);
		const bar = addBar(this.contentEl);
		addButton(bar, undone === 0 ? "Close" : "Cancel", () => {
			this.close();
		});
		if (undone === 0) return;
		addButton(bar, `Undo ${counted(undone, "change")}`, () => {
			this.close();
			this.act(going.map((change) => change.executionId));
		}, "mod-warning");
	}

	override onClose(): void {
		this.contentEl.empty();
	}
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
		for (const said of change.why === null ? leftOf(change) : [change.why]) showText(item.createDiv({ cls: "vault-bridge-problem is-warning" }), said);
	}
}
