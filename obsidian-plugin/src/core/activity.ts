/** What agents did in some days, as figures and sentences for people. */

import type { ActivityDay, AuditActivity } from "./wire/contract";

export type ActivityCounts = Omit<ActivityDay, "day">;
type Count = keyof ActivityCounts;

/** The periods that a person can choose: days, and what they are called. */
export const PERIODS: Readonly<Record<string, string>> = { 7: "Last 7 days", 30: "Last 30 days", 90: "Last 90 days" };

export interface Series {
	/** What the class of its bars ends with. */
	look: "good" | "bad" | "warning" | "plain";
	label: string;
	counts: readonly Count[];
}

export interface PlotSpec {
	title: string;
	series: readonly Series[];
}

const CHANGES: readonly Count[] = ["created", "modified", "deleted", "moved", "unlisted"];

/** The plots by day; what stands first in one is at the bottom of its bars. */
export const PLOTS: readonly PlotSpec[] = [
	{
		title: "Calls",
		series: [
			{ look: "good", label: "Succeeded", counts: ["succeeded"] },
			{ look: "warning", label: "Failed", counts: ["failed"] },
			{ look: "bad", label: "Refused", counts: ["refused"] },
		],
	},
	{
		title: "Questions",
		series: [
			{ look: "good", label: "Allowed", counts: ["allowed"] },
			{ look: "bad", label: "Denied", counts: ["denied"] },
			{ look: "warning", label: "Not answered, or called off", counts: ["timedOut", "withdrawn"] },
		],
	},
	{ title: "Changes of files", series: [{ look: "plain", label: "Changes", counts: CHANGES }] },
];

export function sum(counts: ActivityCounts, names: readonly Count[]): number {
	return names.reduce((total, name) => total + counts[name], 0);
}

export function changesOf(counts: ActivityCounts): number {
	return sum(counts, CHANGES);
}

export function totals(days: readonly ActivityCounts[], plot: PlotSpec): { byDay: number[]; most: number; all: number } {
	const byDay = days.map((day) => plot.series.reduce((total, { counts }) => total + sum(day, counts), 0));
	return { byDay, most: Math.max(...byDay, 0), all: byDay.reduce((total, one) => total + one, 0) };
}

/** How long something took; a dash where that is not known. */
export function tookText(milliseconds: number | null): string {
	if (milliseconds === null) return "–";
	const seconds = milliseconds / 1000;
	if (seconds < 1) return `${Math.round(milliseconds)} ms`;
	if (seconds < 60) return `${seconds.toFixed(1)} s`;
	return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** What the plots do not show, in sentences. */
export function sentences({ days, answers, damaged, complete }: AuditActivity): string[] {
	const said: string[] = [];
	if (answers.count > 0) said.push(`Half of your answers took at most ${tookText(answers.median)}, nine of ten at most ${tookText(answers.p90)}.`);
	const hits = days.reduce((total, day) => total + day.cacheHits, 0);
	const web = days.reduce((total, day) => total + day.cacheHits + day.cacheMisses, 0);
	if (web > 0) said.push(`${hits} of ${web} calls to the web were answered from the cache.`);
	if (!complete) said.push("The log is very large: of the oldest of these days, not everything could be counted.");
	if (damaged > 0) said.push(`${damaged} lines of the log could not be read.`);
	return said;
}

/** A day such as `2026-01-31`, in a few letters. */
export function shortDay(day: string): string {
	const date = new Date(`${day}T00:00`);
	return Number.isNaN(date.getTime()) ? day.slice(0, 10) : date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
