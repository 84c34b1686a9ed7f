/** The question a person is asked, as far as the screen needs it. */

import { optional, pick, record } from "../json";
import type { ConsentRequest as Wire, Decision, FilePreview, Revision as WireRevision } from "./contract";
import { readConsentRequest as readWhole, readRevision as readWholeRevision } from "./readers";

export type FileChange = FilePreview["change"];

/** What the screen needs of a question. */
export type ConsentRequest = Omit<Wire, "canBypass" | "touches">;

export const readConsentRequest = record<ConsentRequest>(
	pick(
		readWhole,
		...(["requestId", "client", "clientId", "callsItself", "verified", "sessionId", "tool", "riskLevel", "riskReasons", "operation", "summary", "reason"] as const),
		...(["parameters", "targets", "options", "choices", "preview", "planDigest", "hunksSupported", "editable", "revised", "createdAt", "expiresAt", "scope", "brief", "waiting", "draft"] as const),
	),
);

/** What became of a person's own text: the question as it is then, or why it was not taken. */
export type Revision = Omit<WireRevision, "question"> & { question: ConsentRequest | null };

export const readRevision = record<Revision>({ ...pick(readWholeRevision, "accepted", "reason"), question: optional(readConsentRequest, null) });

export function allows(decision: Decision): boolean {
	return decision.startsWith("allow");
}
