/** The audit log: what of it is looked for, its lines, and the state of its chain. */

import { object, optional, readable, record, type JsonObject, type Reader } from "./json";
import type { AuditedFile, AuditRecord, AuditVerification } from "./wire/contract";
import { partReader, reader } from "./wire/reading";

export const PERIODS = { any: "Any time", hour: "Last hour", day: "Last 24 hours", week: "Last 7 days" } as const;
export type Period = keyof typeof PERIODS;

/** What is looked for beside the bridge's own kinds: calls that were refused because nobody answered. */
const UNANSWERED = "unanswered";

export const KINDS = { "": "Everything", execution: "Calls", decision: "Decisions", [UNANSWERED]: "Not answered", client: "Programs", network: "Requests", limit: "Limits", settings: "Settings", grant: "Answers taken back", bridge: "Start and stop", log: "The log itself" } as const;

export interface LogFilter {
	text: string;
	tool: string;
	client: string;
	kind: string;
	period: Period;
}

export const NO_FILTER: LogFilter = { text: "", tool: "", client: "", kind: "", period: "any" };
export const PAGE = 100;

const HOUR = 3_600_000;
const HOURS: Readonly<Record<Period, number | null>> = { any: null, hour: 1, day: 24, week: 168 };

const REFUSED = "permission_denied";
const TIMED_OUT = "timed_out";
/** Hours back from now within which refused calls are shown to a person who never looked. */
const FIRST_LOOK = 168;

/** The parameters that find what was refused for want of an answer since the person last looked. */
export function unansweredParams(seen: string, now: number): JsonObject {
	const since = Number.isNaN(Date.parse(seen)) ? new Date(now - FIRST_LOOK * HOUR).toISOString() : seen;
	return { code: TIMED_OUT, since, actions: true, limit: PAGE };
}

export function queryParams(filter: LogFilter, now: number, before: string | null): JsonObject {
	return { ...filterParams(filter, now), ...(before !== null && { before }), actions: true, limit: PAGE };
}

/** The parameters that say which records are wanted: what is not filtered for is left out. */
export function filterParams(filter: LogFilter, now: number): JsonObject {
	const hours = HOURS[filter.period];
	const wanted: JsonObject = {
		text: filter.text.trim(),
		tool: filter.tool,
		client: filter.client,
		kind: filter.kind === UNANSWERED ? "" : filter.kind,
		code: filter.kind === UNANSWERED ? TIMED_OUT : "",
		since: hours === null ? "" : new Date(now - hours * HOUR).toISOString(),
	};
	return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ""));
}

/** How many hours ago a period begins; null: it has no beginning. */
export function hoursOf(period: string): number | null {
	return period in HOURS ? HOURS[period as Period] : null;
}

/** A line of the log, and the whole of it: its members differ by kind. */
export interface LogLine extends AuditRecord {
	decisions: string[];
	whole: JsonObject;
}

const readDecisions = record({ decisions: optional(readable(partReader("AuditRecord", "sentence")), []) });

export const readLogLine: Reader<LogLine> = (value, path) => {
	const line = reader("AuditRecord")(value, path);
	return {
		...line,
		sentence: line.sentence || [line.kind, line.tool, line.event].filter(Boolean).join(" "),
		decisions: readDecisions(value, path).decisions.map((one) => one.sentence),
		whole: object(value, path),
	};
};

/** The files that a call changed, with the checksums of before and after. */
export function filesOf({ files }: AuditRecord): Omit<AuditedFile, "newPath">[] {
	return files.map(({ path, newPath, ...rest }) => ({ path: newPath === null ? path : `${path} → ${newPath}`, ...rest }));
}

export function toneOf({ success, errorType, decision, outcome, event }: AuditRecord): "done" | "refused" | "failed" {
	if (success === false) return errorType === REFUSED ? "refused" : "failed";
	return success === null && (decision ?? outcome ?? event ?? "").startsWith("deny") ? "refused" : "done";
}

/** The state of the log's chain. */
export function chainText({ whole, records, lost, unverified, faultCount, faults }: AuditVerification): string {
	const parts = whole
		? [`${records} lines, none changed or removed since they were written.`]
		: [`The log is not as it was written: ${faultCount} ${faultCount === 1 ? "fault" : "faults"}.`, faults[0]?.message ?? ""];
	if (lost > 0) parts.push(`${lost} could not be written at the time.`);
	if (unverified > 0) parts.push(`${unverified} are older than the key and cannot be vouched for.`);
	return parts.filter((part) => part !== "").join(" ");
}
