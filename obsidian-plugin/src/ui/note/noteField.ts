/** What an editor shows of a question about its note, by CodeMirror's own means. Nothing here changes the document. */

import { Compartment, EditorState, RangeSet, StateEffect, StateField, type Extension, type Range, type Text, type TransactionSpec } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, showPanel, WidgetType, type DecorationSet, type PanelConstructor } from "@codemirror/view";
import { editorLivePreviewField, setIcon } from "obsidian";
import type { Hunk, Row } from "../../core/diff/hunks";
import { marksOf, placesOf, type Mark, type Place } from "../../core/diff/placing";
import type { Selection } from "../../core/diff/selection";
import { WordMarks } from "../../core/diff/words";
import type { ConsentRequest, FilePreview } from "../../core/wire/contract";
import { drawRow } from "../diff/diffView";
import { addButton } from "../elements";

abstract class NoteWidget extends WidgetType {
	/** Keys and clicks in it are its own. */
	override ignoreEvent(): boolean {
		return true;
	}
}

class LinesWidget extends NoteWidget {
	constructor(
		private readonly rows: readonly Row[],
		private readonly words: WordMarks,
		private readonly place: number,
	) {
		super();
	}

	override eq(other: LinesWidget): boolean {
		return other.place === this.place && other.rows.length === this.rows.length && other.rows.every((row, index) => row.kind === this.rows[index]?.kind && row.text === this.rows[index].text);
	}

	override toDOM(): HTMLElement {
		const el = createDiv({ cls: "vault-bridge-note-lines", attr: { role: "group", "aria-label": "What the change does here", "data-place": String(this.place) } });
		for (const row of this.rows) drawRow(el, row, { keepReturn: false, marksOf: (one) => this.words.of(one) });
		return el;
	}
}

class HunkWidget extends NoteWidget {
	constructor(
		private readonly selection: Selection,
		private readonly path: string,
		private readonly hunk: Hunk,
		private readonly total: number,
		private readonly left: boolean,
	) {
		super();
	}

	override eq(other: HunkWidget): boolean {
		return other.selection === this.selection && other.hunk.index === this.hunk.index && other.left === this.left;
	}

	override toDOM(): HTMLElement {
		const name = `Change ${this.hunk.index + 1} of ${this.total}`;
		const el = createDiv({ cls: `vault-bridge-note-hunk${this.left ? " is-left-out" : ""}`, attr: { role: "group", "aria-label": name } });
		el.createSpan({ text: this.left ? `${name}: left out` : name });
		for (const [label, wanted] of [["Deny", false], ["Allow", true]] as const) {
			const button = addButton(el, label, () => { this.selection.set(this.selection.of(this.path).slice(this.hunk.index, this.hunk.index + 1), wanted); });
			button.setAttrs({ "aria-label": `${label} change ${this.hunk.index + 1}`, "aria-pressed": wanted !== this.left });
		}
		return el;
	}
}

/** A question as it is shown in one note. */
export interface Shown {
	request: ConsentRequest;
	file: FilePreview;
	hunks: readonly Hunk[];
	/** The text that the question was made of; null while nobody has read it. */
	base: Text | null;
	selection: Selection | null;
	left: readonly number[];
	lost: boolean;
	/** How many other questions are about this note. */
	more: number;
	bar: PanelConstructor;
}

/** A change that was allowed: what the note will hold, or holds. */
export interface Done {
	marks: readonly Mark[];
	bar: PanelConstructor;
	undo: () => void;
}

interface NoteState {
	shown: Shown | null;
	/** Where its lines are; null when the note holds another text than the question was made of, or nothing is drawn. */
	places: readonly Place[] | null;
	drawn: DecorationSet;
	/** Allowed, and not in the note yet. */
	expected: Done | null;
	done: Done | null;
}

const NOTHING: NoteState = { shown: null, places: null, drawn: Decoration.none, expected: null, done: null };

export const showQuestion = StateEffect.define<Shown | null>();
const expectChange = StateEffect.define<Done | null>();
const showDone = StateEffect.define<Done | null>();
const gutterPlace = new Compartment();

export const noteField = StateField.define<NoteState>({
	create: () => NOTHING,
	update: (value, { effects, docChanged, state }) => {
		let next = value;
		for (const effect of effects) {
			if (effect.is(showQuestion)) next = { ...next, shown: effect.value };
			else if (effect.is(expectChange)) next = { ...next, expected: effect.value };
			else if (effect.is(showDone)) next = { ...next, done: effect.value };
		}
		return next.shown === value.shown && !docChanged ? next : { ...next, ...drawnIn(state, next.shown) };
	},
	provide: (field) => [
		EditorView.decorations.from(field, ({ drawn }) => drawn),
		showPanel.from(field, ({ shown, done }) => shown?.bar ?? done?.bar ?? null),
	],
});

/** What changes in the text ends the marks of the change before; or it is the change that was allowed. */
const following = EditorState.transactionExtender.of(({ docChanged, startState, newDoc }) => {
	const { expected, done } = startState.field(noteField);
	if (!docChanged || (!expected && !done)) return null;
	return marking(expected && holds(newDoc, expected.marks) ? expected : null);
});

export const noteExtension: Extension = [noteField, gutterPlace.of([]), following];

/** What a view does when a change of its note was allowed: wait for it, or where it is there already, mark it. */
export function expecting({ state }: EditorView, done: Done): TransactionSpec {
	return holds(state.doc, done.marks) ? marking(done) : { effects: expectChange.of(done) };
}

export function doneOf(request: ConsentRequest, { hunks, left }: Shown, bar: PanelConstructor, undo: () => void): Done | null {
	const marks = marksOf(hunks, (hunk) => !left.includes(hunk));
	return marks.length > 0 && request.planDigest !== null ? { marks, bar, undo } : null;
}

function marking(done: Done | null): { effects: StateEffect<unknown>[] } {
	return { effects: [expectChange.of(null), showDone.of(done), gutterPlace.reconfigure(done ? gutterOf(done) : [])] };
}

function holds(doc: Text, marks: readonly Mark[]): boolean {
	return marks.every(({ line, text }) => (text === null ? line <= doc.lines + 1 : lineAt(doc, line) === text));
}

function lineAt(doc: Text, line: number): string | null {
	return line >= 1 && line <= doc.lines ? doc.line(line).text : null;
}

class ChangedLine extends GutterMarker {
	constructor(
		private readonly first: boolean,
		private readonly isGone: boolean,
	) {
		super();
	}

	override eq(other: ChangedLine): boolean {
		return other.first === this.first && other.isGone === this.isGone;
	}

	override toDOM(): Node {
		const el = createDiv({ cls: `vault-bridge-note-mark${this.isGone ? " is-gone" : ""}` });
		if (this.first) setIcon(el.createDiv({ cls: "vault-bridge-note-undo", title: "Undo" }), "undo-2");
		return el;
	}
}

function gutterOf({ marks, undo }: Done): Extension {
	const isFirst = (index: number): boolean => (marks[index - 1]?.line ?? -1) + 1 !== marks[index]?.line;
	return gutter({
		class: "vault-bridge-note-gutter",
		markers: ({ state: { doc } }) =>
			RangeSet.of(marks.map(({ line, text }, index) => new ChangedLine(isFirst(index), text === null).range(doc.line(Math.min(line, doc.lines)).from)), true),
		domEventHandlers: {
			click: (_view, _line, event) => {
				if (!(event.target as Element | null)?.closest(".vault-bridge-note-undo")) return false;
				undo();
				return true;
			},
		},
	});
}

function drawnIn(state: EditorState, shown: Shown | null): Pick<NoteState, "places" | "drawn"> {
	const { doc } = state;
	const places = shown?.base?.eq(doc) ? placesOf(shown.hunks, (line) => lineAt(doc, line)) : null;
	if (!shown || !places) return { places: null, drawn: Decoration.none };
	const properties = state.field(editorLivePreviewField, false) ? endOfProperties(doc) : 0;
	const ranges: Range<Decoration>[] = [];
	let before = -1;
	for (const [index, place] of places.entries()) {
		const hunk = shown.hunks[place.hunk];
		if (!hunk) continue;
		const left = shown.left.includes(place.hunk);
		const words = new WordMarks(hunk.rows);
		const first = place.removed[0]?.old ?? null;
		// Live Preview draws the properties itself, in the place of their lines: what changes in them is below them.
		const isDrawn = (first ?? place.after) <= properties && (first ?? place.after) > 0;
		const at = isDrawn ? under(doc, properties) : first === null ? after(doc, place.after) : { at: doc.line(first).from, side: -1 };
		if (place.hunk !== before && shown.selection && shown.hunks.length > 1) ranges.push(block(new HunkWidget(shown.selection, shown.file.path, hunk, shown.hunks.length, left), at.at, at.side));
		before = place.hunk;
		if (!isDrawn && !left) {
			for (const row of place.removed) {
				const line = doc.line(row.old ?? 1);
				ranges.push(Decoration.line({ class: "vault-bridge-note-gone", attributes: { "data-place": String(index) } }).range(line.from));
				for (const { start, end } of words.of(row)) if (end <= line.length && start < end) ranges.push(Decoration.mark({ class: "vault-bridge-note-gone-word" }).range(line.from + start, line.from + end));
			}
		}
		const rows = isDrawn ? [...place.removed, ...place.added] : place.added;
		const end = isDrawn ? at : after(doc, place.after);
		if (rows.length > 0 && !left) ranges.push(block(new LinesWidget(rows, words, index), end.at, end.side > 0 ? 2 : end.side));
	}
	return { places, drawn: Decoration.set(ranges, true) };
}

function block(widget: HunkWidget | LinesWidget, at: number, side: number): Range<Decoration> {
	return Decoration.widget({ widget, block: true, side }).range(at);
}

function after(doc: Text, line: number): { at: number; side: number } {
	return line === 0 ? { at: 0, side: -1 } : { at: doc.line(line).to, side: 1 };
}

function under(doc: Text, line: number): { at: number; side: number } {
	return line < doc.lines ? { at: doc.line(line + 1).from, side: -1 } : { at: doc.length, side: 1 };
}

/** The last line of a note's properties; 0 where it has none. */
function endOfProperties(doc: Text): number {
	if (doc.line(1).text !== "---") return 0;
	for (let line = 2; line <= doc.lines; line++) if (doc.line(line).text === "---") return line;
	return 0;
}
