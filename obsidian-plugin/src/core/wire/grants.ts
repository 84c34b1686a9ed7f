/** What people have said before, as `consent.grants` lists it. */

import { optional, record, string } from "../json";

export interface Grant {
	grantId: string;
	/** Where it is kept: `session`, `file` or `mode`. */
	kind: string;
	client: string | null;
	tool: string | null;
	target: string | null;
	operation: string | null;
	decision: string;
	since: string | null;
}

export const readGrant = record<Grant>({
	grantId: string,
	kind: optional(string, "session"),
	client: optional(string, null),
	tool: optional(string, null),
	target: optional(string, null),
	operation: optional(string, null),
	decision: string,
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
