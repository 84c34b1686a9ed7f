/** What people have said before, in words. */

import type { Grant } from "./contract";

/** The bridge's sentence, and below it what it does not say: what was written with a denial, and since when it holds. */
export function grantSentence({ sentence, kind, feedback, since }: Grant): { title: string; detail: string } {
	const details = [kind === "call" ? "This very call" : null, feedback === null ? null : `You said: ${feedback}`, since === null ? null : `Since ${since.slice(0, 10)}`];
	return { title: sentence, detail: details.filter((one) => one !== null).join(". ") };
}

/** Whether a grant holds for every program. */
export function isForEveryone({ client, clientId }: Grant): boolean {
	return client === null && clientId === null;
}
