/** Programs that connect, in words. */

import { Capability, type ClientInfo } from "./contract";

/** The client of all programs that nobody gave a name: they share one token. */
export const SHARED_ID = "shared";
/** The client of the person's own programs: this plugin and the command line. */
export const HOST_ID = "host";

const CAPABILITY_WORDS: Readonly<Record<Capability, string>> = {
	call: "call tools",
	answer: "answer the questions of other programs",
	administer: "administer the bridge: its settings, its log and these programs",
};

/** What a program may do, as one sentence. */
export function capabilitySentence(capabilities: readonly Capability[]): string {
	const words = Capability.filter((one) => capabilities.includes(one)).map((one) => CAPABILITY_WORDS[one]);
	const last = words.pop();
	if (last === undefined) return "Nothing.";
	const text = words.length > 0 ? `${words.join(", ")} and ${last}` : last;
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** When a program was added, and when it was last here. */
export function presenceSentence({ added, lastSeen, connected }: ClientInfo, day: (iso: string) => string): string {
	const seen = connected > 0 ? "Connected now." : lastSeen === null ? "Never connected." : `Last seen ${day(lastSeen)}.`;
	return `Added ${day(added)}. ${seen}`;
}
