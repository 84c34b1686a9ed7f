/** A comparison of the two indexes in words. */

import type { IndexComparison, IndexDifference, UncomparedNote } from "../wire/contract";

const counted = (count: number, thing: string): string => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

/** What was compared, and how much of it differs. */
export function summaryOf({ compared, links, tags, differences, more }: IndexComparison): string {
	const what = `${counted(compared, "note")} compared, with ${counted(links, "link")} and ${counted(tags, "tag")}.`;
	const count = differences.length + more;
	if (count === 0) return `${what} Obsidian and the bridge say the same of all of them.`;
	const notes = new Set(differences.map((one) => one.path)).size;
	return `${what} ${counted(count, "difference")} in ${counted(notes, "note")}${more > 0 ? " or more" : ""}.`;
}

/** What one difference is about, before its counts. */
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

/** The two counts of a difference. */
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

/** All of it as text, to be sent to someone. */
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
