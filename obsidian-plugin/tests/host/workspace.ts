/** Leaves and views: tabs in the middle, one shown at a time. */

import { Component } from "./component";
import type { App } from "./app";
import { setIcon } from "./icons";
import type { TFile } from "./vault";

export class View extends Component {
	icon = "";
	readonly containerEl = createDiv({ cls: "workspace-leaf-content" });

	constructor(readonly leaf: WorkspaceLeaf) {
		super();
	}

	getViewType(): string {
		return "";
	}

	getDisplayText(): string {
		return "";
	}

	async onOpen(): Promise<void> {
		return Promise.resolve();
	}
}

export class ItemView extends View {
	readonly contentEl = this.containerEl.createDiv({ cls: "view-content" });
}

/** An editor with one file: a plain text area, saved when told to. */
export class TextFileView extends ItemView {
	file: TFile | null = null;
	readonly editorEl = this.contentEl.createEl("textarea", { cls: "markdown-source-view" });

	getViewData(): string {
		return this.editorEl.value;
	}

	override getViewType(): string {
		return "markdown";
	}

	override getDisplayText(): string {
		return this.file?.path ?? "";
	}

	async load_(file: TFile): Promise<void> {
		this.file = file;
		this.editorEl.value = await this.leaf.app.vault.read(file);
	}
}

export class WorkspaceLeaf {
	view: View | null = null;

	constructor(readonly app: App) {}

	async setViewState({ type }: { type: string }): Promise<void> {
		const create = this.app.workspace.viewTypes.get(type);
		if (create) await this.show(create(this));
	}

	async show(view: View): Promise<void> {
		this.view = view;
		view.load();
		this.app.workspace.redraw(this);
		await view.onOpen();
		this.app.workspace.redraw(this);
	}
}

export class Workspace {
	readonly viewTypes = new Map<string, (leaf: WorkspaceLeaf) => View>();
	private readonly leaves: WorkspaceLeaf[] = [];
	private readonly tabsEl: HTMLElement;
	private readonly leafEl: HTMLElement;

	constructor(
		private readonly app: App,
		container: HTMLElement,
	) {
		this.tabsEl = container.createDiv({ cls: "workspace-tab-header-container" });
		this.leafEl = container.createDiv({ cls: "workspace-leaf" });
	}

	onLayoutReady(callback: () => void): void {
		window.setTimeout(callback);
	}

	on(_name: string, _callback: () => void): object {
		return {};
	}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		return this.leaves.filter((leaf) => leaf.view?.getViewType() === type);
	}

	getLeaf(_kind: string): WorkspaceLeaf {
		const leaf = new WorkspaceLeaf(this.app);
		this.leaves.push(leaf);
		return leaf;
	}

	iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => void): void {
		this.leaves.forEach(callback);
	}

	async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
		this.redraw(leaf);
		return Promise.resolve();
	}

	async openLinkText(path: string): Promise<void> {
		const file = this.app.vault.getFileByPath(path);
		if (!file) return;
		const leaf = this.getLeaf("tab");
		const view = new TextFileView(leaf);
		await view.load_(file);
		await leaf.show(view);
	}

	redraw(active: WorkspaceLeaf): void {
		this.tabsEl.empty();
		for (const leaf of this.leaves) {
			const tab = this.tabsEl.createDiv({ cls: "workspace-tab-header" });
			tab.toggleClass("is-active", leaf === active);
			setIcon(tab.createSpan(), leaf.view?.icon || "file-text");
			tab.createSpan({ text: leaf.view?.getDisplayText() ?? "" });
			tab.addEventListener("click", () => { this.redraw(leaf); });
		}
		if (active.view) this.leafEl.replaceChildren(active.view.containerEl);
	}
}
