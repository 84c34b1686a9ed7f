/** What people have said before, as `consent.grants` lists it. */

import { optional, record, string } from "../json";
import type { Grant as Wire } from "./contract";

/** A kind or decision that a later bridge brings is shown as well: what holds must never be left out of the list. */
export interface Grant extends Omit<Wire, "kind" | "decision" | "sessionId"> {
	kind: string;
	decision: string;
}

export const readGrant = record<Grant>({
	grantId: string,
	kind: string,
	client: optional(string, null),
	tool: optional(string, null),
	target: optional(string, null),
	operation: optional(string, null),
	decision: string,
	feedback: optional(string, null),
	since: optional(string, null),
	expires: optional(string, null),
});

/** Kinds that are kept in memory only. */
const OF_THE_SESSION: readonly string[] = ["session", "call", "auto"] satisfies Wire["kind"][];

/** One sentence: who may do what, to what, for how long. */
export function grantSentence(grant: Grant): { title: string; detail: string } {
	const verb = grant.decision.startsWith("allow") ? "Allowed" : "Denied";
	const what = grant.tool ?? grant.operation ?? "everything";
	const target = grant.target === null ? "" : ` on ${grant.target}`;
	const details = [grant.client ?? "Every client", grant.kind === "call" ? "this very call" : null, until(grant), grant.feedback === null ? null : `you said: ${grant.feedback}`];
	return { title: `${verb}: ${what}${target}`, detail: details.filter((one) => one !== null).join(", ") };
}

function until({ kind, expires }: Grant): string {
	if (OF_THE_SESSION.includes(kind)) return "until the bridge stops";
	return expires === null ? "until you take it back" : `until ${expires.slice(0, 10)} if it is not used`;
}
