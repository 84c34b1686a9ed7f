/** The log as a file. */

import type { AuditRecord } from "../wire/audit";

export function toJson(records: readonly AuditRecord[]): string {
	return `${JSON.stringify(records.map((record) => record.whole), null, 2)}\n`;
}

const COLUMNS = ["timestamp", "kind", "tool", "client", "outcome", "executionId", "duration", "details"] as const;

export function toCsv(records: readonly AuditRecord[]): string {
	const lines = records.map((record) =>
		[record.timestamp, record.kind, record.tool, record.client, record.outcome, record.executionId ?? "", String(record.durationMs ?? ""), JSON.stringify(record.whole)].map(cell).join(","),
	);
	return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** RFC 4180, and a cell that a spreadsheet would take for a formula is made text. */
function cell(text: string): string {
	const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}
