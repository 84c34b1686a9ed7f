/** What is drawn between the lines of a note: the lines that come, and the two buttons of each change. */

import { WidgetType } from "@codemirror/view";
import type { Hunk, Row } from "../../core/diff/model";
import type { Selection } from "../../core/diff/selection";
import type { WordMarks } from "../../core/diff/words";
import { addButton } from "../addButton";
import { drawRow } from "../diff/row";

abstract class NoteWidget extends WidgetType {
	/** Keys and clicks in it are its own. */
	override ignoreEvent(): boolean {
		return true;
	}
}

export class LinesWidget extends NoteWidget {
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

export class HunkWidget extends NoteWidget {
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
