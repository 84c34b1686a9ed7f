/** Other MCP servers, in words. */

import { counted } from "../text";
import type { ServerInfo, ServerToolInfo } from "./contract";

/** Whether a server may be loaded, and how it is. */
export function stateSentence({ enabled, state, reason, tools }: ServerInfo): string {
	if (state === "failed") return reason === "" ? "It cannot be used." : reason;
	if (!enabled) return "Switched off: agents do not get its tools.";
	if (state === "starting") return "Is being connected.";
	if (state === "ready") return `Connected, with ${toolCount(tools.length)}.`;
	return "Not connected. It is when an agent asks for it, or when you test it.";
}

/** Until when a server that is trusted is not asked about. */
export const WHILE_TRUSTED = "no text of a note is sent, and the agent has read nothing from the web or a server. A tool that says of itself that it destroys, is new, or has changed is asked about all the same.";

export function trustSentence({ trusted }: ServerInfo): string {
	return trusted
		? `Trusted: you are not asked about its tools, as long as they are as they were shown, ${WHILE_TRUSTED}`
		: "Not trusted: you are asked about its tools.";
}

export function toolCount(count: number): string {
	return counted(count, "tool");
}

export function toolWords({ readOnly, destructive }: ServerToolInfo): string {
	const words = [...(readOnly ? ["only reads"] : []), ...(destructive ? ["destroys"] : [])];
	return words.length > 0 ? `Says of itself that it ${words.join(" and ")}.` : "";
}

/** The lines in which something differs from what was allowed: null when it does not, or when nothing was allowed yet. */
export function differenceOf(change: string | null): string | null {
	return change?.startsWith("@@") === true ? change : null;
}

/** What a person has written of a server that is to be entered. */
export interface Entered {
	/** A program, or an address. */
	target: string;
	/** The arguments of a program, one on each line: nothing has to be quoted. */
	args: string;
	description: string;
}

/** The same as `mcp.json` has it. */
export function entryOf({ target, args, description }: Entered): Record<string, unknown> {
	const start = target.trim();
	const lines = args.split("\n").map((line) => line.trim()).filter((line) => line !== "");
	const about = description.trim() === "" ? {} : { description: description.trim() };
	const given = lines.length > 0 ? { args: lines } : {};
	return /^https?:\/\//iu.test(start) ? { url: start, ...given, ...about } : { command: start, ...given, ...about };
}
