/** What is drawn of the rows of a hunk: segments of their texts, and long runs of unchanged lines folded away. */

import type { Row, Span } from "./hunks";

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

/** Unchanged lines that stay to be seen on each side of a change. */
const CONTEXT = 3;
/** Fewer folded lines than this are not worth a fold. */
const SHORTEST_FOLD = 4;

export type Part = { kind: "rows"; rows: Row[] } | { kind: "fold"; rows: Row[] };

/** The rows of a hunk in parts that are shown and parts that are folded, in order. */
export function foldContext(rows: readonly Row[]): Part[] {
	const parts: Part[] = [];
	const show = (some: readonly Row[]): void => {
		const last = parts.at(-1);
		if (last?.kind === "rows") last.rows.push(...some);
		else if (some.length > 0) parts.push({ kind: "rows", rows: [...some] });
	};
	let at = 0;
	while (at < rows.length) {
		let end = at;
		while (end < rows.length && rows[end]?.kind === "context") end++;
		const head = at === 0 ? 0 : CONTEXT;
		const tail = end === rows.length ? 0 : CONTEXT;
		if (end - at - head - tail >= SHORTEST_FOLD) {
			show(rows.slice(at, at + head));
			parts.push({ kind: "fold", rows: rows.slice(at + head, end - tail) });
			show(rows.slice(end - tail, end));
		} else {
			show(rows.slice(at, end));
		}
		at = end;
		while (at < rows.length && rows[at]?.kind !== "context") at++;
		show(rows.slice(end, at));
	}
	return parts;
}
