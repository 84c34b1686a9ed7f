/** What people have said before, in words, and how much is used of permissions that are counted. */

import type { Grant } from "../wire/contract";

/** The bridge's sentence, and below it what it does not say: what was written with a denial, and since when it holds. */
export function grantSentence({ sentence, kind, feedback, since }: Grant): { title: string; detail: string } {
	const details = [kind === "call" ? "This very call" : null, feedback === null ? null : `You said: ${feedback}`, since === null ? null : `Since ${since.slice(0, 10)}`];
	return { title: sentence, detail: details.filter((one) => one !== null).join(". ") };
}

export function isForEveryone({ client, clientId }: Grant): boolean {
	return client === null && clientId === null;
}

/** Those that allow and are counted in files, of which a person sees the count. */
export function countedOf(grants: readonly Grant[]): Grant[] {
	return grants.filter((grant) => grant.mostFiles !== null && grant.decision.startsWith("allow"));
}

/** `12 of 50`; of several permissions the sum of both numbers. Null where there are none. */
export function countText(grants: readonly Grant[]): string | null {
	if (grants.length === 0) return null;
	const used = grants.reduce((sum, grant) => sum + (grant.usedFiles ?? 0), 0);
	const most = grants.reduce((sum, grant) => sum + (grant.mostFiles ?? 0), 0);
	return `${used} of ${most}`;
}

/** Who may add how much, for a list: `Claude Code: 12 of 50 files`. */
export function grantTitle(grant: Grant): string {
	return `${grant.client ?? "Every program"}: ${grant.usedFiles ?? 0} of ${grant.mostFiles ?? 0} files`;
}
