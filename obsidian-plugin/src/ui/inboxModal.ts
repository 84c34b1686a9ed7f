/** The inbox as a list: a row for each thing that waits, with a button that leads to it. */

import { Modal, Setting, type App } from "obsidian";
import { lineAbout, lineTitle } from "../core/inbox";
import type { Listing } from "../core/listing";
import type { InboxLine } from "../core/wire/contract";
import { showText } from "./text";
import { shorten } from "../core/text/shorten";

const MOST_ROWS = 100;
const LONGEST = 600;

export class InboxModal extends Modal {
	private follow = (): void => undefined;

	constructor(
		app: App,
		private readonly lines: Listing<InboxLine>,
		private readonly now: () => number,
		private readonly show: (line: InboxLine) => void,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClasses(["vault-bridge-window", "vault-bridge-inbox"]);
		this.setTitle("Inbox");
		this.follow = this.lines.changed.on(() => { this.draw(); });
		this.draw();
	}

	override onClose(): void {
		this.follow();
		this.contentEl.empty();
	}

	private draw(): void {
		const { all } = this.lines;
		this.contentEl.empty();
		if (!all?.length) this.contentEl.createDiv({ cls: "vault-bridge-empty", text: all ? "Nothing waits for you." : "The bridge is not connected, so its inbox is not known." });
		for (const line of all?.slice(0, MOST_ROWS) ?? []) {
			const row = new Setting(this.contentEl);
			showText(row.nameEl, shorten(lineTitle(line), LONGEST));
			showText(row.descEl, shorten(lineAbout(line, this.now()), LONGEST));
			row.addButton((button) => button.setButtonText("Show").onClick(() => {
				this.close();
				this.show(line);
			}));
		}
		const more = (all?.length ?? 0) - MOST_ROWS;
		if (more > 0) this.contentEl.createDiv({ cls: "vault-bridge-faint", text: `And ${more} more` });
	}
}
