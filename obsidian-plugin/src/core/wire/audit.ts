/** One line of the audit log. Its members differ by kind, so the whole is kept beside what the list shows. */

import { isObject, number, object, optional, string, type JsonObject, type Reader } from "../json";

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
	whole: JsonObject;
}

export const readAuditRecord: Reader<AuditRecord> = (value, path) => {
	const whole = object(value, path);
	const text = (name: string): string | null => optional(string, null)(whole[name], `${path}.${name}`);
	const id = whole["seq"];
	const timestamp = string(whole["timestamp"], `${path}.timestamp`);
	return {
		timestamp,
		kind: text("kind") ?? "execution",
		tool: text("tool") ?? "",
		client: text("client") ?? "",
		executionId: text("executionId"),
		outcome: outcomeOf(whole),
		cursor: typeof id === "string" || typeof id === "number" ? String(id) : timestamp,
		durationMs: optional(number, null)(whole["duration"], `${path}.duration`),
		whole,
	};
};

export interface FileChecksums {
	path: string;
	change: string;
	before: string | null;
	after: string | null;
}

/** The files that an execution changed, with the checksums of before and after. */
export function filesOf(record: AuditRecord): FileChecksums[] {
	const files = record.whole["files"];
	if (!Array.isArray(files)) return [];
	const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
	return files.filter(isObject).map((file) => ({
		path: [text(file["path"]), text(file["newPath"])].filter((one) => one !== null).join(" → "),
		change: text(file["change"]) ?? "",
		before: text(file["before"]),
		after: text(file["after"]),
	}));
}

function outcomeOf(whole: JsonObject): string {
	if (typeof whole["success"] === "boolean") return whole["success"] ? "ok" : textOr(whole["errorType"], "failed");
	return textOr(whole["decision"], textOr(whole["outcome"], textOr(whole["event"], "")));
}

function textOr(value: unknown, otherwise: string): string {
	return typeof value === "string" ? value : otherwise;
}
