/** How far an answer for longer reaches and for whom it holds: what a question offers, and what the answer then says. */

import { allows, type ConsentRequest } from "../wire/consent";
import type { Decision, Reach } from "../wire/contract";

/** For whom "always" and "never" hold. `usual`: an allow for this program, a denial for every program. */
export type Whom = "usual" | "one" | "all";

export interface Extent {
	/** A rung of the question's ladder; null: every use of the tool, or what an older bridge makes of it. */
	reach: Reach | null;
	/** Whether "always" or "never" holds for every program; null for all other answers, and with an older bridge. */
	everyone: boolean | null;
}

/** What an answer for longer may be about, narrowest first; every use of the tool first where the tool is what counts. */
export function reachesOf({ covers, ladder }: ConsentRequest): (Reach | null)[] {
	const rungs = ladder.map((rung) => rung.reach);
	return covers === "tool" || rungs.length === 0 ? [null, ...rungs] : rungs;
}

/** For whom "always" and "never" may hold, the usual first. None where the bridge knows no single programs. */
export function whomOf({ clientId, choices }: ConsentRequest): Whom[] {
	if (clientId === "") return [];
	const [allow, deny] = [choices.includes("allow_always"), choices.includes("deny_always")];
	if (allow && deny) return ["usual", "one", "all"];
	if (deny) return ["all", "one"];
	return allow ? ["one", "all"] : [];
}

export function isForLonger(decision: Decision): boolean {
	return !decision.endsWith("_once");
}

/** The extent of one answer. */
export function extentOf(decision: Decision, reach: Reach | null, whom: Whom | undefined): Extent {
	if (!isForLonger(decision)) return { reach: null, everyone: null };
	const isForGood = decision.endsWith("_always") && whom !== undefined;
	return { reach, everyone: isForGood ? (whom === "usual" ? !allows(decision) : whom === "all") : null };
}
