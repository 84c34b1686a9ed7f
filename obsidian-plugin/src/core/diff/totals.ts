/** A change of many files at a glance: how many of each kind, the dangerous ones first, the links that only follow last. */

import { counted } from "../text";
import type { FilePreview } from "../wire/contract";

/** What loses something comes first. */
const ORDER: readonly FilePreview["change"][] = ["delete", "rmdir", "move", "modify", "create", "mkdir"];

const WORDS: Readonly<Record<FilePreview["change"], (count: number) => string>> = {
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
	const counts = follows.map(({ links }) => links);
	if (counts.includes(0)) return `Links in ${notes} follow`;
	const total = counts.reduce((sum, count) => sum + count, 0);
	return total === 1 ? "1 link in 1 note follows" : `${total} links in ${notes} follow`;
}
