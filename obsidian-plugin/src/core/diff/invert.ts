/** The diff of a change, from the diff of what would undo it. */

import type { Hunk, Row } from "./model";

export function invert(hunks: readonly Hunk[]): Hunk[] {
	return hunks.map((hunk) => ({ ...hunk, oldStart: hunk.newStart, newStart: hunk.oldStart, rows: invertRows(hunk.rows) }));
}

/** Within a changed block, what is removed stands before what is added. */
function invertRows(rows: readonly Row[]): Row[] {
	const inverted: Row[] = [];
	let removed: Row[] = [];
	let added: Row[] = [];
	const flush = (): void => {
		inverted.push(...removed, ...added);
		removed = [];
		added = [];
	};
	for (const row of rows) {
		if (row.kind === "removed") added.push({ ...row, kind: "added", old: null, new: row.old });
		else if (row.kind === "added") removed.push({ ...row, kind: "removed", old: row.new, new: null });
		// A note belongs to the line before it.
		else if (row.kind === "note" && (removed.length > 0 || added.length > 0)) (added.length > removed.length ? added : removed).push(row);
		else {
			flush();
			inverted.push({ ...row, old: row.new, new: row.old });
		}
	}
	flush();
	return inverted;
}
