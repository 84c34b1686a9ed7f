/** The question a person is asked, as far as the screen needs it. */

import { pick, record } from "../json";
import type { ConsentRequest as Wire, Decision, FilePreview } from "./contract";
import { consentRequest } from "./readers";

export type FileChange = FilePreview["change"];

/** What the screen needs of a question. */
export type ConsentRequest = Omit<Wire, "sessionId" | "canBypass" | "touches">;

export const readConsentRequest = record<ConsentRequest>(
	pick(
		consentRequest,
		...(["requestId", "client", "clientId", "callsItself", "verified", "ladder", "tool", "riskLevel", "operation", "summary", "reason", "parameters", "targets", "covers", "choices"] as const),
		...(["preview", "planDigest", "hunksSupported", "createdAt", "expiresAt", "scope", "brief"] as const),
	),
);

export function allows(decision: Decision): boolean {
	return decision.startsWith("allow");
}
