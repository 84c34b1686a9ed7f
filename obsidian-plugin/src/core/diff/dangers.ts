/** What new text would do when the note is opened: run code, or tell a server that it was read. */

import type { Hunk } from "./model";

export type Danger = "runs-code" | "loads-remote";

/** Blocks that plugins run: DataviewJS, Templater, Meta Bind's JS, CustomJS and the like. */
const RUNS_CODE = [/^\s*(?:>\s*)*(?:`{3,}|~{3,})\s*(?:dataviewjs|js-engine|meta-bind-js-view|templater|customjs|run-\w+|\{?jsx?:)/i, /`\s*\$=/, /<%[-_*+~]?/, /<script\b/i];
/** Images, frames and media from elsewhere: the server learns who opens the note, and when. */
const LOADS_REMOTE = [/!\[[^\]]*\]\(\s*<?https?:/i, /<(?:img|iframe|video|audio|source|embed|object|link)\b[^>]*\b(?:src|href|data)\s*=\s*["']?https?:/i, /url\(\s*["']?https?:/i];
const LONGEST_LINE = 20_000;

/** The dangers in the lines that a change adds and that were not in those it removes. */
export function dangersOf(hunks: readonly Hunk[]): Danger[] {
	const found: Danger[] = [];
	if (adds(hunks, RUNS_CODE)) found.push("runs-code");
	if (adds(hunks, LOADS_REMOTE)) found.push("loads-remote");
	return found;
}

function adds(hunks: readonly Hunk[], patterns: readonly RegExp[]): boolean {
	const lines = (kind: "added" | "removed"): string[] =>
		hunks.flatMap((hunk) => hunk.rows.filter((row) => row.kind === kind).map((row) => row.text.slice(0, LONGEST_LINE)));
	const before = new Set(lines("removed"));
	return lines("added").some((line) => !before.has(line) && patterns.some((pattern) => pattern.test(line)));
}
