/** What of the log is looked for. */

import type { JsonObject } from "../json";

export const PERIODS = { any: "Any time", hour: "Last hour", day: "Last 24 hours", week: "Last 7 days" } as const;
export type Period = keyof typeof PERIODS;

export const KINDS = { "": "Every kind", execution: "Calls", decision: "Decisions", network: "Requests", limit: "Limits", settings: "Settings", grant: "Answers taken back", bridge: "Start and stop", log: "The log itself" } as const;

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

/** The parameters of `audit.query`. */
export function queryParams(filter: LogFilter, now: number, before: string | null): JsonObject {
	return { ...filterParams(filter, now), ...(before !== null && { before }), limit: PAGE };
}

/** The parameters that say which records are wanted: what is not filtered for is left out. */
export function filterParams(filter: LogFilter, now: number): JsonObject {
	const hours = HOURS[filter.period];
	const wanted: JsonObject = {
		text: filter.text.trim(),
		tool: filter.tool,
		client: filter.client,
		kind: filter.kind,
		since: hours === null ? "" : new Date(now - hours * HOUR).toISOString(),
	};
	return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ""));
}
