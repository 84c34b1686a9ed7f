/** Sends the bridge what Obsidian knows of the notes, some at a time, and gathers what it finds. It judges nothing. */

import type { JsonObject } from "../json";
import type { IndexComparison, ObsidianFacts } from "../wire/contract";
import { readIndexComparison } from "../wire/readers";

/** Notes of one request. The bridge takes 2,000. */
const MOST_NOTES = 500;
/** Characters of one request; a frame has 16 MiB. */
const MOST_TEXT = 4_000_000;
/** Characters of the list of all notes, which goes in one request. */
const LONGEST_LIST = 12_000_000;

/** What Obsidian knows. */
export interface IndexSource {
	/** The paths of all notes. */
	notes: () => string[];
	/** What is known of a note; null when it is gone. */
	facts: (path: string) => ObsidianFacts | null;
	/** Which of these notes are open with text that is not on disk yet. */
	unsaved: (paths: readonly string[]) => Promise<string[]>;
}

type Request = (method: string, params: JsonObject) => Promise<unknown>;
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

async function compare(request: Request, params: JsonObject): Promise<IndexComparison> {
	return readIndexComparison(await request("index.compare", params), "index.compare");
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
