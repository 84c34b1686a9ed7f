/** A pane with a card for each thing of a list, or a sentence where there is none. */

import { ItemView, type WorkspaceLeaf } from "obsidian";

export abstract class CardsView extends ItemView {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly type: string,
		private readonly title: string,
		override icon: string,
	) {
		super(leaf);
	}

	override getViewType(): string {
		return this.type;
	}

	override getDisplayText(): string {
		return this.title;
	}

	override async onOpen(): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("vault-bridge-view");
		const emptyEl = this.contentEl.createDiv({ cls: "vault-bridge-empty", attr: { role: "status" } });
		const listEl = this.contentEl.createDiv({ cls: "vault-bridge-drafts" });
		const draw = (): void => { this.draw(listEl, emptyEl); };
		this.follow(draw);
		draw();
		return Promise.resolve();
	}

	/** Call back whenever the list is another, until the pane is closed. */
	protected abstract follow(draw: () => void): void;

	protected abstract draw(listEl: HTMLElement, emptyEl: HTMLElement): void;
}
