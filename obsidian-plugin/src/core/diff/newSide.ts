/** The lines of a hunk as they would be afterwards: what a person edits, and what is sent of it. */

import type { Hunk, Row } from "./model";

/** Without carriage returns, which a text field does not keep: the bridge gives each line the end that it has. */
export function newSideOf(hunk: Hunk): string {
	return hunk.rows.filter(isNew).map((row) => row.text.replace(/\r$/, "")).join("\n");
}

/** Each line with its end, so that an empty one at the end counts; but the last of a file that is to have none there. */
export function asLines(hunk: Hunk, text: string): string {
	const last = hunk.rows.findLastIndex(isNew);
	const endsOpen = hunk.rows[last + 1]?.kind === "note";
	return text === "" || endsOpen ? text : `${text}\n`;
}

function isNew({ kind }: Row): boolean {
	return kind === "context" || kind === "added";
}
