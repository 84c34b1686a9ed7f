/** The editor of a note: CodeMirror, as in Obsidian, with what plugins have registered for it. */

import { Annotation, Compartment, EditorState, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

/** Obsidian's fields: which view an editor is in, and whether it shows Live Preview. */
export const editorInfoField: StateField<unknown> = StateField.define<unknown>({ create: () => null, update: (value) => value });
export const editorLivePreviewField = StateField.define<boolean>({ create: () => false, update: (value) => value });

/** Text that comes from the disk, and not from a person. */
const fromDisk = Annotation.define<boolean>();

class Drawn extends WidgetType {
	constructor(private readonly cls: string) {
		super();
	}

	override eq(other: Drawn): boolean {
		return this.cls === other.cls;
	}

	toDOM(): HTMLElement {
		return createDiv({ cls: this.cls, text: this.cls });
	}
}

/** Live Preview draws properties and tables its own way, in the place of their lines. */
const drawnBlocks = StateField.define({
	create: (state) => blocksOf(state),
	update: (value, { docChanged, state }) => (docChanged ? blocksOf(state) : value),
	provide: (field) => EditorView.decorations.from(field),
});

function blocksOf({ doc }: EditorState): ReturnType<typeof Decoration.set> {
	return Decoration.set(
		[...doc.toString().matchAll(/(?<properties>^---\n[^]*?^---$)|^\|.*(?:\n\|.*)+/gmu)]
			.filter(({ groups, index }) => groups?.["properties"] === undefined || index === 0)
			.map(({ 0: text, index, groups }) => Decoration.replace({ block: true, widget: new Drawn(groups?.["properties"] === undefined ? "table-widget" : "metadata-container") }).range(index, index + text.length)),
	);
}

/** It has what tests know of a text area: its value, its selection, and a way to put text into it. */
export class NoteEditor {
	readonly cm: EditorView;
	readonly el: HTMLElement;
	private readonly extensions = new Compartment();
	private isLive = false;

	/** @param view - The view that it is in. */
	constructor(
		parent: HTMLElement,
		private readonly view: unknown,
		private registered: readonly Extension[],
	) {
		this.el = parent.createDiv({ cls: "markdown-source-view cm-s-obsidian mod-cm6" });
		this.cm = new EditorView({ state: this.state(""), parent: this.el });
	}

	get value(): string {
		return this.cm.state.doc.toString();
	}

	/** What is typed. */
	set value(text: string) {
		this.replace(text, false);
	}

	/** What is read from the disk takes the place of only what differs, as in Obsidian. */
	read(text: string): void {
		this.replace(text, true);
	}

	/** Another note is opened in the same editor. */
	begin(text: string): void {
		this.cm.setState(this.state(text));
	}

	setLivePreview(live: boolean): void {
		this.isLive = live;
		this.el.toggleClass("is-live-preview", live);
		this.begin(this.value);
	}

	/** What plugins have registered is another now. */
	register(extensions: readonly Extension[]): void {
		this.registered = extensions;
		this.cm.dispatch({ effects: this.extensions.reconfigure([...extensions]) });
	}

	get selectionStart(): number {
		return this.cm.state.selection.main.from;
	}

	get selectionEnd(): number {
		return this.cm.state.selection.main.to;
	}

	setSelectionRange(anchor: number, head: number): void {
		this.cm.dispatch({ selection: { anchor, head } });
	}

	setRangeText(text: string, from: number, to: number, _select?: string): void {
		this.cm.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } });
	}

	focus(): void {
		this.cm.focus();
	}

	destroy(): void {
		this.cm.destroy();
	}

	private replace(text: string, disk: boolean): void {
		const now = this.value;
		if (now === text) return;
		let from = 0;
		while (from < Math.min(now.length, text.length) && now[from] === text[from]) from++;
		let tail = 0;
		while (tail < Math.min(now.length, text.length) - from && now[now.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
		this.cm.dispatch({ changes: { from, to: now.length - tail, insert: text.slice(from, text.length - tail) }, ...(disk ? { annotations: fromDisk.of(true) } : { userEvent: "input.type" }) });
	}

	private state(doc: string): EditorState {
		return EditorState.create({
			doc,
			extensions: [
				editorInfoField.init(() => this.view),
				editorLivePreviewField.init(() => this.isLive),
				this.isLive ? drawnBlocks : [],
				this.extensions.of([...this.registered]),
				EditorView.lineWrapping,
				EditorView.contentAttributes.of({ "aria-label": "Note", tabindex: "0" }),
			],
		});
	}
}
