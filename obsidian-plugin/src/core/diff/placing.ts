/** Where the lines of a diff are in a text: what goes, what comes, and where it is once it has come. */

import type { Hunk, Row } from "./hunks";

/** Lines that go, and those that come in their place. */
export interface Place {
	hunk: number;
	removed: Row[];
	added: Row[];
	/** The line of the text after which the new lines come; 0: before all. */
	after: number;
}

/** A line after a change: one that came with it; or, without a text, the one before which lines went. */
export interface Mark {
	line: number;
	text: string | null;
}

/**
 * The places of a diff in a text.
 *
 * @param lineAt - A line of the text by its number, from 1; null where there is none.
 * @returns Null when the text is not the one that the diff was made of.
 */
export function placesOf(hunks: readonly Hunk[], lineAt: (line: number) => string | null): Place[] | null {
	const places: Place[] = [];
	for (const { index, oldStart, rows } of hunks) {
		let after = rows.some((row) => row.old !== null) ? oldStart - 1 : oldStart;
		let place: Place | null = null;
		for (const row of rows) {
			if (row.kind === "note") continue;
			if (row.old !== null && lineAt(row.old) !== withoutReturn(row.text)) return null;
			if (row.old !== null) after = row.old;
			if (row.kind === "context") {
				place = null;
				continue;
			}
			if (!place || (row.kind === "removed" && place.added.length > 0)) places.push((place = { hunk: index, removed: [], added: [], after }));
			place[row.kind].push(row);
			place.after = after;
		}
	}
	return places;
}

/** The lines that are other ones once the hunks that are kept have been written. */
export function marksOf(hunks: readonly Hunk[], keeps: (hunk: number) => boolean): Mark[] {
	const marks: Mark[] = [];
	let shift = 0;
	for (const { index, newStart, rows } of hunks) {
		if (!keeps(index)) {
			for (const { kind } of rows) shift += kind === "removed" ? 1 : kind === "added" ? -1 : 0;
			continue;
		}
		let next = rows.some((row) => row.new !== null) ? newStart : newStart + 1;
		let gone = false;
		for (const row of rows) {
			if (row.new !== null) next = row.new + 1;
			if (row.kind === "added") marks.push({ line: next - 1 + shift, text: withoutReturn(row.text) });
			else if (gone && row.kind === "context") marks.push({ line: next - 1 + shift, text: null });
			gone = row.kind === "removed";
		}
		if (gone) marks.push({ line: next + shift, text: null });
	}
	return marks;
}

function withoutReturn(text: string): string {
	return text.replace(/\r$/u, "");
}
