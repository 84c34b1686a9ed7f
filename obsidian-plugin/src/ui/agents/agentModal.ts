/** What connecting or disconnecting a program would change on this machine, before it is done. */

import { Modal, type App } from "obsidian";
import type { AgentPlan } from "../../core/wire/contract";
import { sanitizePlain } from "../../core/text/sanitize";
import { drawFiles } from "../diff/fileList";
import { focusAtOpening } from "../firstFocus";
import { showText } from "../text";
import { addBar, addButton } from "../addButton";
import { drawReadingChoice } from "./readingChoice";

export class AgentModal extends Modal {
	private end: () => void = () => undefined;

	constructor(
		app: App,
		private readonly title: string,
		private readonly plan: AgentPlan,
		/** Do it; `reads` are the folders that the program reads without asking. */
		private readonly act: (reads: readonly string[]) => void,
	) {
		super(app);
	}

	override onOpen(): void {
		const { client, files, kept, removes } = this.plan;
		this.modalEl.addClass("vault-bridge-consent");
		this.setTitle(sanitizePlain(removes ? `Disconnect ${this.title}?` : `Connect ${this.title}?`));
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		showText(
			body.createEl("p"),
			removes
				? "Its entry is taken out of the configuration. If connecting had made its token, that is refused from then on."
				: `It is called “${client}” here. You are asked before it changes anything.`,
		);
		const reads = removes ? () => [] : drawReadingChoice(body, this.app);
		for (const sentence of kept) showText(body.createDiv({ cls: "vault-bridge-note" }), sentence);
		if (files.length > 0) body.createDiv({ cls: "vault-bridge-reading-title", text: "What changes on this machine" });
		if (files.length > 0) this.end = drawFiles(body, files, null);
		else body.createDiv({ cls: "vault-bridge-note", text: "No file has to be changed." });
		const bar = addBar(this.contentEl);
		const cancel = addButton(bar, "Cancel", () => {
			this.close();
		});
		addButton(bar, removes ? "Disconnect" : "Connect", () => {
			this.close();
			this.act(reads());
		}, removes ? "mod-warning" : "mod-cta");
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.end();
		this.contentEl.empty();
	}
}
