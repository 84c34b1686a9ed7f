/** The question a person is asked, as the bridge sends it (`bridge/contract/consent.py`). */

import { boolean, number, object, oneOf, optional, readable, record, string, list, type JsonObject } from "../json";

export const DECISIONS = ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"] as const;
export type Decision = (typeof DECISIONS)[number];

export const RISKS = ["safe", "low", "medium", "high"] as const;
export type Risk = (typeof RISKS)[number];

export const OPERATIONS = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const CHANGES = ["create", "modify", "move", "delete", "mkdir", "rmdir"] as const;
export type FileChange = (typeof CHANGES)[number];

export interface ToolFace {
	name: string;
	title: string;
	description: string;
	icon: string;
}

export interface FilePreview {
	path: string;
	change: FileChange;
	newPath: string | null;
	added: number;
	removed: number;
	diff: string;
	truncated: boolean;
}

export interface Preview {
	files: FilePreview[];
	backup: string | null;
	warnings: string[];
	request: string | null;
}

export interface ConsentRequest {
	requestId: string;
	client: string;
	tool: ToolFace;
	riskLevel: Risk;
	operation: Operation;
	summary: string;
	reason: string | null;
	parameters: JsonObject;
	targets: string[];
	covers: "tool" | "target";
	choices: Decision[];
	preview: Preview | null;
	planDigest: string | null;
	createdAt: string;
	expiresAt: string;
	/** Whether `consent.respond` takes `hunks`. */
	hunksSupported: boolean;
}

const readTool = record<ToolFace>({
	name: string,
	title: string,
	description: optional(string, ""),
	icon: optional(string, "wrench"),
});

export const readFilePreview = record<FilePreview>({
	path: string,
	change: oneOf(...CHANGES),
	newPath: optional(string, null),
	added: optional(number, 0),
	removed: optional(number, 0),
	diff: optional(string, ""),
	truncated: optional(boolean, false),
});

export const readPreview = record<Preview>({
	// A file that cannot be read must not be left out of what the person is asked to approve: this list is all or nothing.
	files: optional(list(readFilePreview), []),
	backup: optional(string, null),
	warnings: optional(list(string), []),
	request: optional(string, null),
});

export const readConsentRequest = record<ConsentRequest>({
	requestId: string,
	client: string,
	tool: readTool,
	riskLevel: oneOf(...RISKS),
	operation: oneOf(...OPERATIONS),
	summary: string,
	reason: optional(string, null),
	parameters: optional(object, {}),
	targets: optional(list(string), []),
	covers: optional(oneOf("tool", "target"), "target"),
	// A kind of answer that this plugin does not know is not offered.
	choices: readable(oneOf(...DECISIONS)),
	preview: optional(readPreview, null),
	planDigest: optional(string, null),
	createdAt: string,
	expiresAt: string,
	hunksSupported: optional(boolean, false),
});

export interface ConsentReply {
	accepted: boolean;
	outcome: string | null;
	by: string | null;
	reason: string | null;
}

export const readConsentReply = record<ConsentReply>({
	accepted: boolean,
	outcome: optional(string, null),
	by: optional(string, null),
	reason: optional(string, null),
});

export interface ConsentResolved {
	requestId: string;
	decision: string | null;
	outcome: string | null;
	by: string | null;
}

export const readConsentResolved = record<ConsentResolved>({
	requestId: string,
	decision: optional(string, null),
	outcome: optional(string, null),
	by: optional(string, null),
});

export function allows(decision: Decision): boolean {
	return decision.startsWith("allow");
}
