/** What waits for the person, in words: one line of the inbox in a list, in a notice, and in the status bar. */

import { untilWords } from "./consent/patience";
import { drafterOf, momentWords } from "./drafts";
import type { InboxLine } from "./wire/contract";
import { counted } from "./text/shorten";

/** `Claude Code handed in 12 files`. */
export function lineTitle(line: InboxLine): string {
	const files = counted(line.files, "file");
	if (line.count > 1) return `${drafterOf(line)}: ${line.summary}`;
	if (line.kind === "draft") return `${drafterOf(line)} handed in ${files}`;
	return line.kind === "left" ? `${drafterOf(line)} has left a draft: ${files}` : `${drafterOf(line)}: ${line.summary}`;
}

/** What it is where the title does not say so, why, since when it waits, and until when it is kept. */
export function lineAbout(line: InboxLine, now: number): string {
	const { kind, count, files, summary, reason, since, keptUntil } = line;
	const isDraft = kind === "draft" || kind === "left";
	return [
		...(isDraft && count === 1 ? [summary] : files > 0 ? [counted(files, "file")] : []),
		...(reason === null ? [] : [`It says: ${reason}`]),
		`Since ${momentWords(since, now)}${keptUntil === null ? "" : `, kept until ${untilWords(keptUntil, now)}`}`,
	].join("\n");
}

/** `Claude Code handed in 12 files at 02:10`, of the newest of several, with how much else waits. Null where nothing was. */
export function handedInText(drafts: readonly InboxLine[], waiting: number, now: number): string | null {
	const newest = drafts.at(-1);
	if (!newest) return null;
	const when = momentWords(newest.since, now);
	const more = waiting > 1 ? `\n${counted(waiting, "thing")} wait for you.` : "";
	return `${lineTitle(newest)}${/^\d/.test(when) ? ` at ${when}` : `, ${when}`}${more}`;
}
