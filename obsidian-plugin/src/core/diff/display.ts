/** A row's text in the segments that are drawn: what changed, blanks that nobody would see, line endings. */

import type { Row, Span } from "./model";

export interface Segment {
	text: string;
	changed: boolean;
	/** Blanks at the end of a changed line: drawn as dots. */
	trailing: boolean;
}

/**
 * @param keepReturn - Whether a carriage return at the end is shown; it is where a file's lines do not all have one.
 */
export function segmentsOf(row: Row, marks: readonly Span[], keepReturn: boolean): Segment[] {
	const text = !keepReturn && row.text.endsWith("\r") ? row.text.slice(0, -1) : row.text;
	const end = row.kind === "added" || row.kind === "removed" ? text.trimEnd().length : text.length;
	const trailing = /^ +$/.test(text.slice(end)) ? end : text.length;
	const segments: Segment[] = [];
	const push = (from: number, to: number, changed: boolean): void => {
		const stop = Math.min(to, trailing);
		if (from < stop) segments.push({ text: text.slice(from, stop), changed, trailing: false });
		const begin = Math.max(from, trailing);
		if (begin < Math.min(to, text.length)) segments.push({ text: text.slice(begin, to), changed, trailing: true });
	};
	let at = 0;
	for (const { start, end: stop } of marks) {
		push(at, start, false);
		push(start, stop, true);
		at = stop;
	}
	push(at, text.length, false);
	return segments;
}

/** Whether some lines end with a carriage return and others do not: then it is part of the change and must be seen. */
export function mixedReturns(rows: readonly Row[]): boolean {
	const content = rows.filter((row) => row.kind !== "note");
	const some = content.some((row) => row.text.endsWith("\r"));
	return some && !content.every((row) => row.text.endsWith("\r"));
}
