/**
 * What new text would do when the note is opened, as far as the bridge does not look for it yet (its warnings come with
 * the question; `bridge/policy/hazards.py`). Whatever it learns to see goes from here.
 */

import type { Hunk } from "./model";

export type Danger = "runs-code" | "loads-remote" | "hides-text";

const PATTERNS: Readonly<Record<Danger, readonly RegExp[]>> = {
	/** Blocks of React Components and CustomJS; of others, those far behind their fence; inline code with blanks before it. */
	"runs-code": [/(?:`{3,}|~{3,})\s*(?:customjs|\{?jsx?:)/i, /(?:`{3,}|~{3,})\s{10,}\{?(?:dataviewjs|js-engine|meta-bind-js-view|templater|run-\w)/i, /`\s+\$=/],
	/** Addresses without slashes, which browsers complete; and those far from what loads them. */
	"loads-remote": [
		/!\[[^\]]{201,2000}\]\(\s*<?https?:/i,
		/!\[[^\]]{0,200}\]\((?:\s{10,}<?https?:|\s*<?https?:(?!\/\/|\\\\))/i,
		/\b(?:src|data)\s*=\s*["']?https?:(?!\/\/|\\\\)/i,
		/\b(?:src|data)(?:\s{10,}=\s*|\s*=\s{10,})["']?https?:/i,
		/url\(\s*["']?https?:(?!\/\/|\\\\)/i,
		/url\(\s{10,}["']?https?:/i,
	],
	/** Private use, the braille blank, and marks that pile up over other lines. */
	"hides-text": [/[\p{Co}\u2800]|\p{M}{4,}/u],
};
const LONGEST_LINE = 20_000;

/** The dangers in the lines that a change adds and that were not in those it removes. */
export function dangersOf(hunks: readonly Hunk[]): Danger[] {
	const lines = (kind: "added" | "removed"): string[] =>
		hunks.flatMap((hunk) => hunk.rows.filter((row) => row.kind === kind).map((row) => row.text.slice(0, LONGEST_LINE)));
	const before = new Set(lines("removed"));
	const added = lines("added").filter((line) => !before.has(line));
	const found = (danger: Danger): boolean => added.some((line) => PATTERNS[danger].some((pattern) => pattern.test(line)));
	return (["runs-code", "loads-remote", "hides-text"] as const).filter(found);
}
