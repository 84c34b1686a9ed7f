/** What people have said before, in words. */

import type { Grant } from "./contract";

/** Kinds that are kept in memory only. */
const OF_THE_SESSION = ["session", "call", "auto"];

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
