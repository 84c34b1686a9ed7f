/** Leaves and views: tabs in the middle, one shown at a time. */

import type { Extension } from "@codemirror/state";
import { Component } from "./component";
import type { App } from "./app";
import { installDomHelpers, setActiveWindow, type HostWindow } from "./dom";
import { Events } from "./events";
import { setIcon } from "./icons";
import type { Keymap } from "./keymap";
import { parseLinktext } from "./metadata";
import { NoteEditor } from "./noteEditor";
import { TFile } from "./vault";

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

	async onClose(): Promise<void> {
		return Promise.resolve();
	}
}

/** What stands in a tab that nobody has looked at yet: of the right type, and not the plugin's view. */
class DeferredView extends View {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly type: string,
		/** The file that it is of, where it is of one. */
		readonly path: string | null = null,
	) {
		super(leaf);
	}

	override getViewType(): string {
		return this.type;
	}
}

export class ItemView extends View {
	readonly contentEl = this.containerEl.createDiv({ cls: "view-content" });
}

/** Where text is written. */
interface TextField {
	value: string;
}

/** A view of one file. */
export class FileView extends ItemView {
	file: TFile | null = null;
}

/** An editor with one file: a plain text area, saved when told to. */
export class TextFileView extends FileView {
	readonly editorEl: TextField = this.makeField();

	getViewData(): string {
		return this.editorEl.value;
	}

	override getViewType(): string {
		return "markdown";
	}

	override getDisplayText(): string {
		return this.file?.path ?? "";
	}

	/** What Obsidian does two seconds after a key, and when a note is closed. */
	async save(clear = false): Promise<void> {
		const text = this.getViewData();
		if (clear) this.editorEl.value = "";
		if (this.file) await this.leaf.app.vault.modify(this.file, text);
	}

	async load_(file: TFile): Promise<void> {
		this.file = file;
		this.editorEl.value = await this.leaf.app.vault.read(file);
	}

	protected makeField(): TextField {
		return this.contentEl.createEl("textarea", { attr: { "aria-label": "Text" } });
	}
}

interface Position {
	line: number;
	ch: number;
}

/** An editor for a note. What is put into it can be taken back with the editor's own undo. */
export class MarkdownView extends TextFileView {
	declare readonly editorEl: NoteEditor;
	readonly editor = {
		getCursor: (side: "from" | "to"): Position => this.position(side === "from" ? this.editorEl.selectionStart : this.editorEl.selectionEnd),
		getLine: (line: number): string => this.lines[line] ?? "",
		lastLine: (): number => this.lines.length - 1,
		getRange: (from: Position, to: Position): string => this.editorEl.value.slice(this.offset(from), this.offset(to)),
		getSelection: (): string => this.editorEl.value.slice(this.editorEl.selectionStart, this.editorEl.selectionEnd),
		replaceSelection: (text: string): void => {
			const { value, selectionStart, selectionEnd } = this.editorEl;
			this.undone.push(value);
			this.editorEl.setRangeText(text, selectionStart, selectionEnd, "end");
		},
		undo: (): void => {
			const value = this.undone.pop();
			if (value !== undefined) this.editorEl.value = value;
		},
	};
	private get lines(): string[] {
		return this.editorEl.value.split("\n");
	}

	private position(offset: number): Position {
		const before = this.editorEl.value.slice(0, offset).split("\n");
		return { line: before.length - 1, ch: before.at(-1)?.length ?? 0 };
	}

	private offset({ line, ch }: Position): number {
		return this.lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, ch);
	}

	/** The text before each step of the editor. */
	private readonly undone: string[] = [];
	private readonly readingEl = this.contentEl.createDiv({ cls: "markdown-reading-view" });
	private mode: "source" | "live" | "preview" = "source";
	/** What was on the disk when it was looked at last. */
	private known = "";

	getMode(): string {
		return this.mode === "preview" ? "preview" : "source";
	}

	/** Show it as its source, in Live Preview, or for reading. */
	show(mode: "source" | "live" | "preview"): void {
		this.mode = mode;
		this.editorEl.setLivePreview(mode === "live");
		this.editorEl.el.toggle(mode !== "preview");
		this.readingEl.setText(mode === "preview" ? this.getViewData() : "");
		this.leaf.app.workspace.trigger("layout-change");
	}

	override async load_(file: TFile): Promise<void> {
		this.file = file;
		this.known = await this.leaf.app.vault.read(file);
		this.editorEl.begin(this.known);
	}

	/** The file has changed. What is typed and not saved stays. */
	async reload(): Promise<void> {
		if (!this.file) return;
		const saved = this.getViewData() === this.known;
		this.known = await this.leaf.app.vault.read(this.file);
		if (saved) this.editorEl.read(this.known);
	}

	override async onClose(): Promise<void> {
		this.editorEl.destroy();
		return Promise.resolve();
	}

	protected override makeField(): NoteEditor {
		return new NoteEditor(this.contentEl, this, this.leaf.app.workspace.editorExtensions);
	}
}

export class WorkspaceLeaf {
	view: View | null = null;
	pinned = false;

	constructor(
		readonly app: App,
		/** The window it is in. */
		readonly place: WorkspaceWindow,
	) {}

	get isDeferred(): boolean {
		return this.view instanceof DeferredView;
	}

	/** A leaf that is not shown gets its view only when it is. */
	async setViewState({ type, active = false }: { type: string; active?: boolean }): Promise<void> {
		if (!this.app.workspace.viewTypes.has(type)) return;
		if (active) await this.load(type);
		else await this.show(new DeferredView(this, type), false);
	}

	async loadIfDeferred(): Promise<void> {
		if (this.view instanceof DeferredView) await this.load(this.view.getViewType());
	}

	async openFile(file: TFile, { eState = {} }: { eState?: { line?: number } } = {}): Promise<void> {
		const view = new MarkdownView(this);
		await view.load_(file);
		await this.show(view);
		const start = view.getViewData().split("\n").slice(0, eState.line ?? 0).reduce((sum, one) => sum + one.length + 1, 0);
		view.editorEl.setSelectionRange(start, start);
	}

	/** A tab of a note that nobody has looked at since the app was opened. */
	async defer(path: string): Promise<void> {
		await this.show(new DeferredView(this, "markdown", path), false);
	}

	getViewState(): { type: string; state: Record<string, unknown>; pinned: boolean } {
		const { view } = this;
		const file = view instanceof DeferredView ? view.path : view instanceof FileView ? view.file?.path : null;
		return { type: view?.getViewType() ?? "empty", state: file === null || file === undefined ? {} : { file }, pinned: this.pinned };
	}

	/** Close the tab. */
	detach(): void {
		void this.end();
		this.place.remove(this);
		this.app.workspace.trigger("layout-change");
	}

	async show(view: View, active = true): Promise<void> {
		await this.end();
		this.view = view;
		view.load();
		if (active) this.place.redraw(this);
		await view.onOpen();
		if (active) this.place.redraw(this);
	}

	private async load(type: string): Promise<void> {
		const create = this.app.workspace.viewTypes.get(type);
		if (create) await this.show(create(this));
	}

	private async end(): Promise<void> {
		const { view } = this;
		this.view = null;
		if (!view) return;
		await view.onClose();
		view.unload();
		view.containerEl.remove();
	}
}

/** The main window, or one that was popped out: tabs, one of which is shown. */
export class WorkspaceWindow {
	readonly leaves: WorkspaceLeaf[] = [];
	readonly win: Window;
	private readonly tabsEl: HTMLElement;
	private readonly leafEl: HTMLElement;

	constructor(readonly containerEl: HTMLElement) {
		this.win = containerEl.win;
		this.tabsEl = containerEl.createDiv({ cls: "workspace-tab-header-container" });
		this.leafEl = containerEl.createDiv({ cls: "workspace-leaf" });
	}

	remove(leaf: WorkspaceLeaf): void {
		this.leaves.splice(this.leaves.indexOf(leaf), 1);
		this.redraw(this.leaves.at(-1) ?? null);
	}

	redraw(active: WorkspaceLeaf | null): void {
		this.tabsEl.empty();
		for (const leaf of this.leaves) {
			const tab = this.tabsEl.createDiv({ cls: "workspace-tab-header" });
			tab.toggleClass("is-active", leaf === active);
			setIcon(tab.createSpan(), leaf.view?.icon || "file-text");
			tab.createSpan({ text: leaf.view?.getDisplayText() ?? "" });
			tab.addEventListener("click", () => void leaf.loadIfDeferred().then(() => { this.redraw(leaf); }));
		}
		if (active?.view) this.leafEl.replaceChildren(active.view.containerEl);
		else this.leafEl.empty();
	}
}

export class Workspace extends Events {
	readonly viewTypes = new Map<string, (leaf: WorkspaceLeaf) => View>();
	readonly editorExtensions: Extension[] = [];
	readonly containerEl: HTMLElement;
	private readonly main: WorkspaceWindow;
	private right: WorkspaceWindow | null = null;
	private readonly windows: WorkspaceWindow[];
	private readonly opened: string[] = [];

	constructor(
		private readonly app: App,
		container: HTMLElement,
	) {
		super();
		this.containerEl = container;
		this.main = new WorkspaceWindow(container);
		this.windows = [this.main];
		app.vault.on("modify", (file) => {
			for (const view of this.notes) if (file instanceof TFile && view.file?.path === file.path) void view.reload();
		});
		app.vault.on("rename", (file, before) => {
			for (const view of this.notes) if (file instanceof TFile && view.file?.path === before) view.file = file;
		});
	}

	/** What plugins have registered for editors has changed. */
	updateOptions(): void {
		for (const view of this.notes) view.editorEl.register(this.editorExtensions);
	}

	onLayoutReady(callback: () => void): void {
		window.setTimeout(callback);
	}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		return this.leaves.filter((leaf) => leaf.view?.getViewType() === type);
	}

	getLeaf(_kind: string): WorkspaceLeaf {
		return this.leafIn(this.main);
	}

	/** A leaf in the sidebar on the right. */
	getRightLeaf(_split: boolean): WorkspaceLeaf {
		this.right ??= new WorkspaceWindow(createDiv({ cls: "workspace-split mod-right-split" }));
		this.containerEl.parentElement?.insertBefore(this.right.containerEl, this.containerEl.nextSibling);
		if (!this.windows.includes(this.right)) this.windows.push(this.right);
		return this.leafIn(this.right);
	}

	/** The tab among the notes that was worked in last. */
	getMostRecentLeaf(): WorkspaceLeaf | null {
		return this.main.leaves.at(-1) ?? null;
	}

	/** A leaf in a window of its own, which becomes the active one. */
	openPopoutLeaf(): WorkspaceLeaf {
		const place = new WorkspaceWindow(openWindow(this.app.keymap));
		this.windows.push(place);
		return this.leafIn(place);
	}

	iterateRootLeaves(callback: (leaf: WorkspaceLeaf) => void): void {
		this.main.leaves.forEach(callback);
	}

	/** The files that were open last, the latest first. */
	getLastOpenFiles(): string[] {
		return [...this.opened].reverse();
	}

	iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => void): void {
		this.leaves.forEach(callback);
	}

	async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
		await leaf.loadIfDeferred();
		leaf.place.redraw(leaf);
		setActiveWindow(leaf.place.win);
	}

	/** Obsidian would make a note of that name; the stand-in says that somebody asked for it. */
	async openLinkText(link: string): Promise<void> {
		await this.openIn(this.getLeaf("tab"), link);
	}

	/** Open a note in a leaf. */
	async openIn(leaf: WorkspaceLeaf, link: string): Promise<void> {
		const file = this.app.vault.getFileByPath(link) ?? this.app.metadataCache.getFirstLinkpathDest(parseLinktext(link).path);
		if (!file) throw new Error(`a note ${link} would be made`);
		await leaf.openFile(file);
		this.opened.push(file.path);
		this.trigger("file-open", file);
	}

	private get notes(): MarkdownView[] {
		return this.leaves.flatMap(({ view }) => (view instanceof MarkdownView ? [view] : []));
	}

	private get leaves(): WorkspaceLeaf[] {
		return this.windows.flatMap((one) => one.leaves);
	}

	private leafIn(place: WorkspaceWindow): WorkspaceLeaf {
		const leaf = new WorkspaceLeaf(this.app, place);
		place.leaves.push(leaf);
		return leaf;
	}
}

/** A second window of the app, with a document, prototypes and constructors of its own. Returns where its tabs go. */
function openWindow(keymap: Keymap): HTMLElement {
	const opened = window.open("", "_blank", "popup,width=900,height=700") as HostWindow | null;
	if (!opened) throw new Error("the browser opens no second window");
	for (const sheet of Array.from(document.querySelectorAll('link[rel="stylesheet"]'))) opened.document.head.append(opened.document.importNode(sheet));
	opened.document.body.className = document.body.className;
	installDomHelpers(opened);
	keymap.listen(opened);
	return opened.document.body.createDiv({ cls: "app-container" }).createDiv({ cls: "workspace" });
}
