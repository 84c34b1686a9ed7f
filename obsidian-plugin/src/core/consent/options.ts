/** The answers that a question offers, in the order in which they are shown. What each says is the bridge's. */

import type { AnswerOption, Decision } from "../wire/contract";

export function allows(decision: Decision): boolean {
	return decision.startsWith("allow");
}

export interface OptionGroups {
	allow: AnswerOption[];
	refuse: AnswerOption[];
}

/** The suggested one first; the others as the bridge sends them, the narrowest of each kind before the wider ones. */
export function forLonger(options: readonly AnswerOption[]): OptionGroups {
	const longer = options.filter(({ decision }) => !decision.endsWith("_once"));
	const ordered = [...longer.filter((one) => one.suggested), ...longer.filter((one) => !one.suggested)];
	return { allow: ordered.filter((one) => allows(one.decision)), refuse: ordered.filter((one) => !allows(one.decision)) };
}

/** What reaches out of the vault, or changes it. */
const ACTING: readonly string[] = ["changing", "requests", "running"];

/** A yes of which much can come: for every program, without an end, or to change or run things wherever they are. */
export function isFarReaching({ decision, who, what, where, operation }: AnswerOption): boolean {
	if (!allows(decision)) return false;
	return who === "everyone" || decision === "allow_always" || (where.length === 0 && (ACTING.includes(what) || operation !== null));
}
