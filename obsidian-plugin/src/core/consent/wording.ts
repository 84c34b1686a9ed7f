/** The plugin's own words for what the bridge sends as names. */

import { HOST_ID } from "../wire/clients";
import type { ConsentRequest, FileChange } from "../wire/consent";
import type { Decision, Operation, Reach, RiskLevel } from "../wire/contract";
import type { Extent, Whom } from "./extent";

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

function listed(targets: readonly string[]): string {
	const shown = targets.slice(0, 3).map(shortened).join(", ");
	return targets.length > 3 ? `${shown} and ${targets.length - 3} more` : shown;
}

/** What a permission for every program and every tool is about. */
const DOING: Readonly<Record<Operation, string>> = { read: "reading", create: "changing", update: "changing", delete: "changing", network: "requests to", execute: "running" };

/** What an answer does, to whom, where and until when: the sentence that stands beside its button. */
export function extentSentence(request: ConsentRequest, decision: Decision, { reach, everyone }: Extent): string {
	if (decision === "allow_once") return "This call alone.";
	if (decision === "deny_once") return "This call, which is then not asked about again until the bridge stops.";
	return `${subjectOf(request, reach, everyone === true)} by ${holdersOf(request, decision, everyone)} ${untilOf(request, decision)}.`;
}

/** For every program the bridge keeps a permission for a place, whatever tool is used; else it is for this tool. */
function subjectOf(request: ConsentRequest, reach: Reach | null, everyone: boolean): string {
	const { covers, ladder, operation, targets, tool } = request;
	const rung = ladder.find((one) => one.reach === reach);
	if (!rung) return covers === "tool" || targets.length === 0 ? `every use of ${tool.title}` : `${tool.title} for ${listed(targets)}`;
	const place = rung.keys.length > 1 ? listed(targets) : shortened(rung.label);
	if (!everyone) return `${tool.title} for ${place}`;
	return `${DOING[operation]} ${rung.reach === "executable" ? listed(rung.keys) : place} with any tool`;
}

function holdersOf(request: ConsentRequest, decision: Decision, everyone: boolean | null): string {
	const isForGood = decision.endsWith("_always");
	if (everyone === true || (isForGood && request.clientId === "")) return "every program";
	return decision === "allow_session" && isUnnamed(request) ? "this program" : programOf(request);
}

function untilOf(request: ConsentRequest, decision: Decision): string {
	if (decision === "allow_always") return "until you take it back, or it lapses unused";
	if (decision === "deny_always") return "until you take it back";
	return decision === "allow_session" && isUnnamed(request) ? "until it disconnects" : "until the bridge stops";
}

function isUnnamed({ clientId, verified }: ConsentRequest): boolean {
	return clientId !== "" && !verified;
}

/** Whom an answer holds for that is for one program: programs that nobody gave a name are one. */
function programOf(request: ConsentRequest): string {
	if (request.clientId === "") return "this client";
	if (request.clientId === HOST_ID) return "your own programs";
	return request.verified ? shortened(request.client) : "programs without a name of their own";
}

/** The words of the choice how far an answer reaches. */
export function reachLabel(request: ConsentRequest, reach: Reach | null): string {
	const rung = request.ladder.find((one) => one.reach === reach);
	if (!rung) return `Every use of ${request.tool.title}`;
	if (rung.keys.length > 1) return `These ${rung.keys.length}`;
	// The rungs that are named by a word and not by what they hold begin with it.
	const label = shortened(rung.label);
	return ["file", "page", "command"].includes(rung.reach) ? label : label.charAt(0).toUpperCase() + label.slice(1);
}

/** The words of the choice for whom "always" and "never" hold. */
export function whomLabel(request: ConsentRequest, whom: Whom): string {
	if (whom === "usual") return "Allow this program, deny all";
	if (whom === "all") return "Every program";
	return `Only ${programOf(request)}`;
}
