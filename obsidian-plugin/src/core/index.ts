/** Sends the bridge what Obsidian knows of the notes, some at a time, and says what it finds. It judges nothing. */

import type { CompareParams, IndexComparison, IndexDifference, ObsidianFacts, UncomparedNote } from "./wire/contract";
import { ask, type Request } from "./wire/reading";

/** Notes of one request. The bridge takes 2,000. */
const MOST_NOTES = 500;
/** Characters of one request; a frame has 16 MiB. */
const MOST_TEXT = 4_000_000;
/** Characters of the list of all notes, which goes in one request. */
const LONGEST_LIST = 12_000_000;

export interface IndexSource {
	notes: () => string[];
	/** What is known of a note; null when it is gone. */
	facts: (path: string) => ObsidianFacts | null;
	/** Which of these notes are open with text that is not on disk yet. */
	unsaved: (paths: readonly string[]) => Promise<string[]>;
}

type Batch = Record<string, ObsidianFacts>;

/**
 * Compare all notes.
 *
 * @param progress - Called with how many notes are done, and of how many; false ends the check.
 * @returns What was found; null when it was ended.
 */
export async function checkIndex(source: IndexSource, request: Request, progress: (done: number, of: number) => boolean): Promise<IndexComparison | null> {
	const notes = source.notes();
	const found: IndexComparison[] = [];
	let done = 0;
	for (const batch of batches(notes, source.facts)) {
		if (!progress(done, notes.length)) return null;
		const paths = Object.keys(batch);
		found.push(await compare(request, { files: batch, unsaved: await source.unsaved(paths) }));
		done += paths.length;
	}
	if (!progress(done, notes.length)) return null;
	const known = source.notes();
	const length = known.reduce((sum, path) => sum + path.length, 0);
	if (length <= LONGEST_LIST) found.push(await compare(request, { files: {}, notes: known }));
	return together(found);
}

async function compare(request: Request, params: CompareParams): Promise<IndexComparison> {
	return ask(request, "index.compare", params);
}

function* batches(notes: readonly string[], facts: IndexSource["facts"]): Generator<Batch> {
	let batch: Batch = {};
	let count = 0;
	let length = 0;
	for (const path of notes) {
		const known = facts(path);
		if (!known) continue;
		const size = JSON.stringify(known).length + path.length;
		if (count === MOST_NOTES || (count > 0 && length + size > MOST_TEXT)) {
			yield batch;
			batch = {};
			count = length = 0;
		}
		batch[path] = known;
		count++;
		length += size;
	}
	if (count > 0) yield batch;
}

function together(found: readonly IndexComparison[]): IndexComparison {
	const sum = (of: (one: IndexComparison) => number): number => found.reduce((total, one) => total + of(one), 0);
	return {
		compared: sum((one) => one.compared),
		links: sum((one) => one.links),
		tags: sum((one) => one.tags),
		differences: found.flatMap((one) => one.differences),
		more: sum((one) => one.more),
		uncompared: found.flatMap((one) => one.uncompared),
	};
}

const counted = (count: number, thing: string): string => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

export function summaryOf({ compared, links, tags, differences, more }: IndexComparison): string {
	const what = `${counted(compared, "note")} compared, with ${counted(links, "link")} and ${counted(tags, "tag")}.`;
	const count = differences.length + more;
	if (count === 0) return `${what} Obsidian and the bridge say the same of all of them.`;
	const notes = new Set(differences.map((one) => one.path)).size;
	return `${what} ${counted(count, "difference")} in ${counted(notes, "note")}${more > 0 ? " or more" : ""}.`;
}

export function aboutOf({ kind, target }: IndexDifference): { label: string; target: string } {
	switch (kind) {
		case "link":
			return { label: "links to", target };
		case "unresolved":
			return { label: "links to the missing", target };
		case "tag":
			return { label: "uses of", target };
		case "tag_order":
			return { label: "the order of its tags", target: "" };
		case "note":
			return { label: "the note itself", target: "" };
	}
}

export function countsOf({ kind, obsidian, bridge }: IndexDifference): string {
	if (kind === "tag_order") return "differs";
	if (kind === "note") return obsidian > 0 ? "known to Obsidian only" : "known to the bridge only";
	return `Obsidian ${obsidian}, bridge ${bridge}`;
}

export function reasonOf({ reason }: UncomparedNote): string {
	switch (reason) {
		case "unsaved":
			return "open with text that is not saved yet";
		case "changed":
			return "changed while it was compared";
		case "unread":
			return "not read yet";
	}
}

export function asText(found: IndexComparison): string {
	const lines = [summaryOf(found)];
	for (const difference of found.differences) {
		const { label, target } = aboutOf(difference);
		lines.push(`${difference.path}: ${label}${target && ` ${target}`}: ${countsOf(difference)}`);
	}
	if (found.more > 0) lines.push(`and ${counted(found.more, "more difference")}`);
	for (const note of found.uncompared) lines.push(`${note.path}: not compared: ${reasonOf(note)}`);
	return `${lines.join("\n")}\n`;
}
