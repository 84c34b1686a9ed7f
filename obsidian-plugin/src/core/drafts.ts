/** What is said of what clients have staged and nobody has written, and of all that waits for the person. */

import { untilWords } from "./consent/countdown";
import { dayLabel } from "./days";
import { counted } from "./text";
import type { DraftInfo, InboxLine } from "./wire/contract";

/** Whose a draft is, at the beginning of a sentence. */
export function drafterOf({ client }: { client: string }): string {
	return client.charAt(0).toUpperCase() + client.slice(1);
}

/** `Claude Code is drafting: 12 files`. Null where nobody is: what is handed in waits in the inbox. */
export function draftingText(all: readonly DraftInfo[]): string | null {
	const drafts = all.filter((draft) => draft.state !== "handed_in");
	const [first] = drafts;
	if (!first) return null;
	const clients = new Set(drafts.map((draft) => draft.clientId)).size;
	const who = clients === 1 ? `${drafterOf(first)} is` : `${clients} programs are`;
	const files = drafts.reduce((sum, draft) => sum + draft.files.length, 0);
	return files === 0 ? `${who} drafting` : `${who} drafting: ${counted(files, "file")}`;
}

/** `3 changes staged, in 12 files`. */
export function stagedText({ steps, files }: DraftInfo): string {
	if (steps.length === 0) return "Nothing is staged yet";
	return `${counted(steps.length, "change")} staged, in ${counted(files.length, "file")}`;
}

/** `14:05`, `yesterday 14:05`, or with the date. */
export function momentWords(iso: string, now: number): string {
	const date = new Date(iso);
	const day = dayLabel(iso, now);
	if (Number.isNaN(date.getTime())) return day;
	const time = date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
	if (day === "Today") return time;
	return `${day === "Yesterday" ? "yesterday" : day} ${time}`;
}

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
