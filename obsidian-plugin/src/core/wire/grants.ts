/** What people have said before, in words. */

import { SHARED_ID } from "./clients";
import type { Grant } from "./contract";

/** Kinds that are kept in memory only. */
const OF_THE_SESSION = ["session", "call", "auto"];

/** One sentence: who may do what, to what, for how long. */
export function grantSentence(grant: Grant): { title: string; detail: string } {
	const verb = allows(grant) ? "Allowed" : "Denied";
	const what = grant.tool ?? grant.operation ?? "everything";
	const target = grant.target === null ? "" : ` on ${placeOf(grant.target, grant.reach)}`;
	const details = [holderOf(grant), grant.kind === "call" ? "this very call" : null, until(grant), grant.feedback === null ? null : `you said: ${grant.feedback}`];
	return { title: `${verb}: ${what}${target}`, detail: details.filter((one) => one !== null).join(", ") };
}

/** Whether a grant holds for every program. */
export function isForEveryone({ client, clientId }: Grant): boolean {
	return client === null && clientId === null;
}

function allows({ decision }: Grant): boolean {
	return decision.startsWith("allow");
}

/** A denial holds for the token, and programs without a name share one; an allow for a session for the one connection. */
function holderOf(grant: Grant): string {
	if (isForEveryone(grant)) return "Every program";
	const name = grant.client ?? grant.clientId ?? "";
	if (grant.clientId !== SHARED_ID) return name;
	return isOfConnection(grant) ? name.charAt(0).toUpperCase() + name.slice(1) : "Every program without a name of its own";
}

function isOfConnection(grant: Grant): boolean {
	return grant.clientId === SHARED_ID && grant.kind === "session" && allows(grant);
}

/** What a rung of a ladder covers. */
function placeOf(key: string, reach: string | null): string {
	const [name, ...rest] = key.slice(key.indexOf("://") < 0 ? 0 : key.indexOf("://") + 3).split("/");
	switch (reach) {
		case "folder":
			return `the folder ${key}`;
		case "vault":
			return "the whole vault";
		case "section":
			return `pages below ${key}`;
		case "site":
			return `the site ${name ?? key}`;
		case "executable":
			return `every use of ${key}`;
		case "server":
			return `every tool of the server ${name ?? key}`;
		case "tool":
			return `the tool ${rest.join("/")} of the server ${name ?? key}`;
		case "custom_tool":
			return `the custom tool ${name ?? key}`;
		case "command":
			return key.replace(/^command:/, "");
		default:
			if (key === "/") return "the whole vault";
			return /^[^:]+\/$/.test(key) ? `the folder ${key}` : key;
	}
}

function until(grant: Grant): string {
	if (isOfConnection(grant)) return "until it disconnects";
	if (OF_THE_SESSION.includes(grant.kind)) return "until the bridge stops";
	return grant.expires === null ? "until you take it back" : `until ${grant.expires.slice(0, 10)} if it is not used`;
}
