/** One file's diff: hunks with line numbers, the words that changed, folded context, and boxes that leave parts out. */

import { foldContext, mixedReturns, segmentsOf } from "../../core/diff/display";
import type { Hunk, Row, Span } from "../../core/diff/hunks";
import type { Part, Selection } from "../../core/diff/selection";
import { WordMarks } from "../../core/diff/words";
import type { Comments } from "../consent/review";
import { addButton, showLongText, showText } from "../elements";
import { inSlices } from "../slices";
import { offerEdit, type Revising } from "./hunkEditor";

export interface RowStyle {
	keepReturn: boolean;
	marksOf: (row: Row) => readonly Span[];
}

const SIGNS: Readonly<Record<Row["kind"], string>> = { context: " ", added: "+", removed: "−", note: " " };
const LONG = 2_000;

export function drawRow(chunk: HTMLElement, row: Row, style: RowStyle): void {
	const line = chunk.createDiv({ cls: `vault-bridge-row is-${row.kind}` });
	if (row.kind === "note") {
		showText(line.createSpan({ cls: "vault-bridge-line" }), row.text);
		return;
	}
	line.createSpan({ cls: "vault-bridge-number", text: row.old === null ? "" : String(row.old), attr: { "aria-hidden": "true" } });
	line.createSpan({ cls: "vault-bridge-number", text: row.new === null ? "" : String(row.new), attr: { "aria-hidden": "true" } });
	line.createSpan({ cls: "vault-bridge-sign", text: SIGNS[row.kind] });
	const text = line.createSpan({ cls: "vault-bridge-line" });
	if (row.text.length > LONG) {
		showLongText(text, row.text);
		return;
	}
	for (const segment of segmentsOf(row, style.marksOf(row), style.keepReturn)) {
		const place = segment.changed ? text.createSpan({ cls: "vault-bridge-changed" }) : text;
		if (segment.trailing) place.createSpan({ cls: "vault-bridge-escape", text: "·".repeat(segment.text.length), title: "blanks at the end of the line" });
		else showText(place, segment.text);
	}
}

/**
 * Draw the box. It shows what is wanted of its parts, whichever box that was said with.
 *
 * @param body - What looks left out when none of them is wanted.
 */
export function drawPartBox(place: HTMLElement, body: HTMLElement, parts: readonly Part[], selection: Selection): HTMLInputElement {
	const box = place.createEl("input", { type: "checkbox" });
	const show = (): void => {
		const wanted = parts.filter((part) => selection.has(part)).length;
		box.checked = wanted === parts.length;
		box.indeterminate = wanted > 0 && wanted < parts.length;
		body.toggleClass("is-left-out", wanted === 0);
	};
	show();
	box.addEventListener("change", () => { selection.set(parts, box.checked); });
	selection.changed.on(show);
	return box;
}

/** Rows that share one element; those outside the window cost no layout. */
const ROWS_A_CHUNK = 60;

export interface HunkChoice {
	selection: Selection;
	parts: readonly Part[];
}

/** What a person may do with the hunks of one file. */
export interface HunkActions {
	path: string;
	choice: HunkChoice | null;
	revising: Revising | null;
	comments: Comments | null;
}

/**
 * Draw `hunks` into `container`, the first screen at once and the rest in slices.
 *
 * @returns A function that ends the drawing early.
 */
export function drawDiff(container: HTMLElement, hunks: readonly Hunk[], actions: HunkActions | null): () => void {
	const view = container.createDiv({ cls: "vault-bridge-diff", attr: { role: "group", "aria-label": "Changes" } });
	const keepReturn = hunks.some((hunk) => mixedReturns(hunk.rows)) || differentReturns(hunks);
	const digits = String(Math.max(...hunks.map((hunk) => Math.max(hunk.oldStart, hunk.newStart) + hunk.rows.length), 1)).length;
	view.setCssProps({ "--vault-bridge-digits": `${digits}ch` });
	return inSlices(steps(view, hunks, actions, keepReturn));
}

function* steps(view: HTMLElement, hunks: readonly Hunk[], actions: HunkActions | null, keepReturn: boolean): Generator<void> {
	for (const hunk of hunks) {
		const body = view.createDiv({ cls: "vault-bridge-hunk" });
		if (hunks.length > 1 || actions) drawHeader(body, hunk, hunks.length, actions);
		const marks = new WordMarks(hunk.rows);
		const style: RowStyle = { keepReturn, marksOf: (row) => marks.of(row) };
		for (const part of foldContext(hunk.rows)) {
			if (part.kind === "rows") yield* drawRows(body, part.rows, style);
			else drawFold(body, part.rows, style);
			yield;
		}
	}
}

function* drawRows(body: HTMLElement, rows: readonly Row[], style: RowStyle): Generator<void> {
	for (let start = 0; start < rows.length; start += ROWS_A_CHUNK) {
		const chunk = createDiv({ cls: "vault-bridge-rows" });
		for (const row of rows.slice(start, start + ROWS_A_CHUNK)) {
			drawRow(chunk, row, style);
			if (row.text.length > 500) yield;
		}
		body.append(chunk);
		yield;
	}
}

function drawFold(body: HTMLElement, rows: readonly Row[], style: RowStyle): void {
	const button = addButton(body, `${rows.length} unchanged lines`, () => {
		const place = createDiv();
		button.replaceWith(place);
		inSlices(drawRows(place, rows, style));
	}, "vault-bridge-fold");
}

function drawHeader(body: HTMLElement, hunk: Hunk, total: number, actions: HunkActions | null): void {
	const header = body.createDiv({ cls: "vault-bridge-hunk-header" });
	const name = `Change ${hunk.index + 1} of ${total}`;
	if (actions?.choice) drawChoice(header, body, hunk, name, actions.choice);
	else header.createSpan({ text: name });
	header.createSpan({ cls: "vault-bridge-hunk-place", text: `line ${hunk.newStart}` });
	if (hunk.heading) showText(header.createSpan({ cls: "vault-bridge-hunk-place" }), hunk.heading);
	if (actions?.revising) offerEdit(header, body, hunk, actions.path, actions.revising);
	actions?.comments?.offer(header, body, hunk, actions.path);
}

function drawChoice(header: HTMLElement, body: HTMLElement, hunk: Hunk, name: string, { selection, parts }: HunkChoice): void {
	const label = header.createEl("label");
	drawPartBox(label, body, parts.slice(hunk.index, hunk.index + 1), selection);
	label.appendText(name);
}

/** A change of all line endings from one kind to the other: removed lines have it and added ones do not. */
function differentReturns(hunks: readonly Hunk[]): boolean {
	return mixedReturns(hunks.flatMap((hunk) => hunk.rows));
}
