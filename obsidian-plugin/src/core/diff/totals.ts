/** A change of many files at a glance: how many of each kind, the dangerous ones first, the links that only follow last. */

import type { FileChange } from "../wire/consent";
import type { FilePreview } from "../wire/contract";
import { factsOf } from "./facts";
import { parseDiff } from "./parse";
import { counted } from "../text/shorten";

/** What loses something comes first. */
const ORDER: readonly FileChange[] = ["delete", "rmdir", "move", "modify", "create", "mkdir"];

const WORDS: Readonly<Record<FileChange, (count: number) => string>> = {
	delete: () => "deleted",
	rmdir: (count) => (count === 1 ? "folder deleted" : "folders deleted"),
	move: () => "moved",
	modify: () => "changed",
	create: () => "new",
	mkdir: (count) => (count === 1 ? "new folder" : "new folders"),
};

export interface FileGroups {
	/** What is shown, what loses something first; else in the order of the plan. */
	shown: FilePreview[];
	/** Files in which only links follow a move. */
	follows: FilePreview[];
}

export function groupFiles(files: readonly FilePreview[]): FileGroups {
	const shown = ORDER.flatMap((change) => files.filter((file) => file.change === change && !file.follows));
	return { shown, follows: files.filter((file) => file.follows) };
}

/** Whether something is lost that the person should see without asking for it. */
export function isDestructive({ change }: FilePreview): boolean {
	return change === "delete" || change === "rmdir";
}

/** `1 deleted, 2 moved, 300 files whose links follow`. */
export function totalsOf({ shown, follows }: FileGroups): string {
	const counts = ORDER.map((change) => [change, shown.filter((file) => file.change === change).length] as const);
	const parts = counts.filter(([, count]) => count > 0).map(([change, count]) => `${count} ${WORDS[change](count)}`);
	if (follows.length > 0) parts.push(`${follows.length} ${follows.length === 1 ? "file" : "files"} whose links follow`);
	return parts.join(", ");
}

/** `300 links in 300 notes follow`; without the number of links where the diffs do not show each of them. */
export function followsSentence(follows: readonly FilePreview[]): string {
	const notes = counted(follows.length, "note");
	const links = follows.map(linksIn);
	if (links.includes(0)) return `Links in ${notes} follow`;
	const total = links.reduce((sum, count) => sum + count, 0);
	return total === 1 ? "1 link in 1 note follows" : `${total} links in ${notes} follow`;
}

/** How many links lead elsewhere after a change; 0 where its diff does not show each of them. */
function linksIn({ truncated, diff }: FilePreview): number {
	const kinds = truncated ? [] : factsOf(parseDiff(diff)).map((fact) => fact.kind);
	const count = (kind: string): number => kinds.filter((one) => one === kind).length;
	return count("link-added") === count("link-removed") ? count("link-retargeted") + count("link-added") : 0;
}
