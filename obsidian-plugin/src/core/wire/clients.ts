/** Programs that connect, in words. */

import { Capability, type ClientInfo, type WebReaderInfo } from "./contract";

/** The client of all programs that nobody gave a name: they share one token. */
export const SHARED_ID = "shared";

/** Sites that are named where a program has read many; the latest, as the bridge lists them last. */
const MOST_SITES = 8;

/** What the key of another MCP server begins with, among the sites. */
const SERVER = "mcp://";

const CAPABILITY_WORDS: Readonly<Record<Capability, string>> = {
	call: "call tools",
	answer: "answer the questions of other programs",
	administer: "administer the bridge: its settings, its log and these programs",
};

export function capabilitySentence(capabilities: readonly Capability[]): string {
	const words = Capability.filter((one) => capabilities.includes(one)).map((one) => CAPABILITY_WORDS[one]);
	const last = words.pop();
	if (last === undefined) return "Nothing.";
	const text = words.length > 0 ? `${words.join(", ")} and ${last}` : last;
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export function presenceSentence({ added, lastSeen, connected }: ClientInfo, day: (iso: string) => string): string {
	const seen = connected > 0 ? "Connected now." : lastSeen === null ? "Never connected." : `Last seen ${day(lastSeen)}.`;
	return `Added ${day(added)}. ${seen}`;
}

/** Since when a program counts as one that has read from the web or another server, and from which. */
export function webReaderSentence({ since, sites }: WebReaderInfo, day: (iso: string) => string): string {
	const latest = sites.slice(-MOST_SITES).reverse().map((site) => (site.startsWith(SERVER) ? `the server ${site.slice(SERVER.length).replace(/\/$/u, "")}` : site));
	if (latest.length === 0) return `Since ${day(since)}.`;
	const more = sites.length - latest.length;
	return `Since ${day(since)}: ${latest.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** What follows for such programs. */
export const WEB_READER_MEANING =
	"A page, or the answer of another server, can tell an agent what to do. So you are asked about more, whatever you allowed before: each site that is new, each command, what is sent to another server, each tool of your own, and changes that could load something, run, or lead out of the vault.";
