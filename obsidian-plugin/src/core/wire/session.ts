/** What the bridge says about itself, and its tools. */

import { optional, pick, readable, record, string, type Reader } from "../json";
import type { SessionInfo as Wire, ToolDescription } from "./contract";
import { sessionInfo, toolDescription } from "./readers";

export type SessionInfo = Pick<Wire, "vault" | "version" | "role" | "protocol">;

/** A bridge that does not say which version of the protocol it speaks speaks the first. */
export const readSessionInfo = record<SessionInfo>({ ...pick(sessionInfo, "vault", "version", "role"), protocol: optional(sessionInfo.protocol, 1) });

/** A tool, as far as the settings show it. `settings.schema` says less of one than `tools.list`. */
export interface ToolInfo extends Pick<ToolDescription, "name" | "title" | "description" | "risk" | "provider" | "canBypass"> {
	consentClass: string | null;
	/** The mode in force. */
	consentMode: string | null;
}

const readTool: Reader<ToolInfo> = (value, path) => {
	const { name, title, description, risk, provider, canBypass } = toolDescription;
	const tool = record({
		name,
		title: optional(title, ""),
		description: optional(description, ""),
		risk: optional(risk, "high" as const),
		provider: optional(provider, ""),
		canBypass: optional(canBypass, false),
		consentClass: optional(string, null),
		consentMode: optional(string, null),
	})(value, path);
	return { ...tool, title: tool.title || tool.name };
};

export const readTools = readable(readTool);
