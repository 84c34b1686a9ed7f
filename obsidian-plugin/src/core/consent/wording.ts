/** The plugin's own words for what the bridge sends as names. */

import type { FileChange } from "../wire/consent";
import type { Decision, RiskLevel } from "../wire/contract";

export const DECISION_LABELS: Readonly<Record<Decision, string>> = {
	allow_once: "Allow once",
	allow_session: "Allow for session",
	allow_always: "Always allow",
	deny_once: "Deny",
	deny_session: "Deny for session",
	deny_always: "Never allow",
};

export const RISK_LABELS: Readonly<Record<RiskLevel, string>> = {
	safe: "Safe",
	low: "Low risk",
	medium: "Medium risk",
	high: "High risk",
};

export const CHANGE_LABELS: Readonly<Record<FileChange, string>> = {
	create: "New file",
	modify: "Changed",
	move: "Moved",
	delete: "Deleted",
	mkdir: "New folder",
	rmdir: "Folder deleted",
};

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

const LONGEST_TARGET = 120;

/** The targets stand whole elsewhere in the question; here the end of each is enough to know it by. */
function shortened(target: string): string {
	return target.length > LONGEST_TARGET ? `…${target.slice(-LONGEST_TARGET)}` : target;
}

/** What a longer answer holds for, in words. */
export function scopeSentence(covers: "tool" | "target", toolTitle: string, targets: readonly string[]): string {
	if (covers === "tool" || targets.length === 0) return `every use of ${toolTitle} by this client`;
	const shown = targets.slice(0, 3).map(shortened).join(", ");
	return targets.length > 3 ? `${shown} and ${targets.length - 3} more` : shown;
}
