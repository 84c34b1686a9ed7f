/** The plugin's own words for what the bridge sends as names. */

import type { AnswerOption, FilePreview, RiskLevel } from "../wire/contract";

export const ONCE = { allow_once: "Allow once", deny_once: "Deny" } as const;

export const RISK_LABELS: Readonly<Record<RiskLevel, string>> = {
	safe: "Safe",
	low: "Low risk",
	medium: "Medium risk",
	high: "High risk",
};

/** How long a no for once holds, as the end of its button's label; the bridge says it of each question. */
export function denialHolds(options: readonly Pick<AnswerOption, "decision" | "until">[]): string {
	return options.some(({ decision, until }) => decision === "deny_once" && until === "stop") ? " until the bridge stops" : "";
}

const CHANGE_LABELS: Readonly<Record<FilePreview["change"], string>> = {
	create: "New file",
	modify: "Changed",
	move: "Moved",
	delete: "Deleted",
	mkdir: "New folder",
	rmdir: "Folder deleted",
};

/** What happens to a file. A move within its folder is another name. */
export function changeLabel({ change, path, newPath }: FilePreview): string {
	const folderOf = (place: string): string => place.slice(0, place.lastIndexOf("/") + 1);
	if (change !== "move" || newPath === null || folderOf(path) !== folderOf(newPath)) return CHANGE_LABELS[change];
	return "Renamed";
}

const OUTCOMES: Readonly<Record<string, string>> = {
	allowed: "It was allowed",
	denied: "It was denied",
	timed_out: "Nobody answered in time, so it was refused",
	cancelled: "The client withdrew it",
	stale: "The files changed meanwhile, so nothing was written",
};

/** How a question ended, for a person whose answer it was not. */
export function outcomeSentence(outcome: string | null, by: string | null): string {
	if (outcome === null) return "The bridge stopped before it was answered, so nothing was done.";
	const normal = outcome.startsWith("allow_") ? "allowed" : outcome.startsWith("deny_") ? "denied" : outcome;
	const sentence = OUTCOMES[normal] ?? `It ended: ${outcome}`;
	const person = by !== null && (normal === "allowed" || normal === "denied") ? ` in ${by}` : "";
	return `${sentence}${person}.`;
}
