/** One line of the audit log. Its members differ by kind, so the whole is kept beside what the list shows. */

import { object, optional, pick, readable, record, type JsonObject, type Reader } from "../json";
import type { AuditRecord as Line } from "./contract";
import { readAuditRecord as readWhole } from "./readers";

export interface AuditRecord {
	timestamp: string;
	kind: string;
	tool: string;
	client: string;
	executionId: string | null;
	/** How it ended: `ok`, `failed`, `allow`, `deny` and the like. */
	outcome: string;
	/** The log's own number of the line, for paging. */
	cursor: string;
	durationMs: number | null;
	/** What happened, in the bridge's words, which hold words from outside. */
	sentence: string;
	/** The sentences of the decisions about a call. */
	decisions: string[];
	files: Line["files"];
	whole: JsonObject;
}

const readLine = record(
	pick(readWhole, "seq", "timestamp", "kind", "tool", "client", "executionId", "duration", "success", "errorType", "decision", "outcome", "event", "files", "sentence"),
);

const readDecisions = record({ decisions: optional(readable(record(pick(readWhole, "sentence"))), []) });

export const readAuditRecord: Reader<AuditRecord> = (value, path) => {
	const line = readLine(value, path);
	return {
		timestamp: line.timestamp,
		kind: line.kind,
		tool: line.tool ?? "",
		client: line.client ?? "",
		executionId: line.executionId,
		outcome: outcomeOf(line),
		cursor: line.seq === null ? line.timestamp : String(line.seq),
		durationMs: line.duration,
		sentence: line.sentence || [line.kind, line.tool, line.event].filter(Boolean).join(" "),
		decisions: readDecisions(value, path).decisions.map((one) => one.sentence),
		files: line.files,
		whole: object(value, path),
	};
};

export interface FileChecksums {
	path: string;
	change: string;
	before: string | null;
	after: string | null;
}

/** The files that an execution changed, with the checksums of before and after. */
export function filesOf({ files }: AuditRecord): FileChecksums[] {
	return files.map(({ path, newPath, ...rest }) => ({ path: newPath === null ? path : `${path} → ${newPath}`, ...rest }));
}

function outcomeOf({ success, errorType, decision, outcome, event }: Pick<Line, "success" | "errorType" | "decision" | "outcome" | "event">): string {
	if (success !== null) return success ? "ok" : (errorType ?? "failed");
	return decision ?? outcome ?? event ?? "";
}

/** Whether an action was done, was refused by the person or a rule, or went wrong. */
export function toneOf({ outcome, whole }: AuditRecord): "done" | "refused" | "failed" {
	if (whole["success"] === false) return outcome === REFUSED ? "refused" : "failed";
	return outcome.startsWith("deny") ? "refused" : "done";
}

const REFUSED = "permission_denied";
