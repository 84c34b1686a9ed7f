/** What people have said before, as `consent.grants` lists it. */

import { oneOf, optional, record, string } from "../json";
import { Decision, type Grant } from "./contract";

export type { Grant } from "./contract";

export const readGrant = record<Grant>({
	grantId: string,
	kind: oneOf("session", "file", "mode"),
	client: optional(string, null),
	sessionId: optional(string, null),
	tool: optional(string, null),
	target: optional(string, null),
	operation: optional(string, null),
	decision: oneOf(...Decision),
	since: optional(string, null),
});

/** One sentence: who may do what, to what, for how long. */
export function grantSentence(grant: Grant): { title: string; detail: string } {
	const verb = grant.decision.startsWith("allow") ? "Allowed" : "Denied";
	const what = grant.tool ?? grant.operation ?? "everything";
	const target = grant.target === null ? "" : ` on ${grant.target}`;
	const who = grant.client === null ? "Every client" : grant.client;
	const long = grant.kind === "session" ? "until the bridge stops" : "until you take it back";
	return { title: `${verb}: ${what}${target}`, detail: `${who}, ${long}` };
}
