/** Long runs of unchanged lines, folded away. */

import type { Row } from "./model";

/** Unchanged lines that stay to be seen on each side of a change. */
export const CONTEXT = 3;
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
