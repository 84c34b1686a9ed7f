/** The question a person is asked, as the bridge sends it (`bridge/contract/consent.py`). */

import { boolean, list, number, object, oneOf, optional, readable, record, string } from "../json";
import { Covers, Decision, Operation, Outcome, RiskLevel } from "./contract";
import type { ConsentReply, FilePreview, Preview, Scope, ToolFace, ConsentRequest as Wire } from "./contract";

export { Decision, RiskLevel } from "./contract";
export type { ConsentReply, FilePreview, Preview } from "./contract";

export type FileChange = FilePreview["change"];

/** Every kind of change there is; a kind that is missing here does not compile. */
const CHANGES = Object.keys({ create: 0, modify: 0, move: 0, delete: 0, mkdir: 0, rmdir: 0 } satisfies Record<FileChange, 0>) as FileChange[];

/** What the screen needs of a question, and what a later bridge may say beside. */
export interface ConsentRequest extends Omit<Wire, "sessionId" | "canBypass" | "scope"> {
	/** Of a delete: whether other notes link there, where that is known. */
	scope: Pick<Scope, "hasBacklinks"> | null;
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
	riskLevel: oneOf(...RiskLevel),
	operation: oneOf(...Operation),
	summary: string,
	reason: optional(string, null),
	parameters: optional(object, {}),
	targets: optional(list(string), []),
	covers: optional(oneOf(...Covers), "target"),
	// A kind of answer that this plugin does not know is not offered.
	choices: readable(oneOf(...Decision)),
	preview: optional(readPreview, null),
	planDigest: optional(string, null),
	createdAt: string,
	expiresAt: string,
	scope: optional(record({ hasBacklinks: optional(boolean, null) }), null),
	brief: optional(boolean, false),
	hunksSupported: optional(boolean, false),
});

export const readConsentReply = record<ConsentReply>({
	accepted: boolean,
	outcome: optional(oneOf(...Outcome), null),
	by: optional(string, null),
	reason: optional(string, null),
	planDigest: optional(string, null),
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
