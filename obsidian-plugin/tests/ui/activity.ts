/** What a bridge answers about what agents did. */

const none = { calls: 0, succeeded: 0, failed: 0, refused: 0, allowed: 0, denied: 0, timedOut: 0, withdrawn: 0, created: 0, modified: 0, deleted: 0, moved: 0, unlisted: 0, cacheHits: 0, cacheMisses: 0 };
const CALLS = [12, 0, 48, 31, 5, 64, 22];

/** So many days up to the 31st of January. */
export function activity(days: number): object {
	const numbers = Array.from({ length: days }, (_, at) => CALLS[at % CALLS.length] ?? 0);
	const byDay = { callsByDay: numbers, changesByDay: numbers.map((calls) => calls % 7) };
	return {
		days: numbers.map((calls, at) => ({
			...none,
			day: new Date(Date.UTC(2026, 0, 31 - days + 1 + at)).toISOString().slice(0, 10),
			calls, succeeded: calls - Math.floor(calls / 8) - Math.floor(calls / 12), failed: Math.floor(calls / 8), refused: Math.floor(calls / 12),
			allowed: calls % 5, denied: calls % 2, timedOut: calls % 3 === 1 ? 1 : 0, created: calls % 7, cacheHits: 2, cacheMisses: 3,
		})),
		clients: [
			{ ...none, ...byDay, name: "Claude Code", calls: 150, failed: 12, refused: 9, created: 20 },
			{ ...none, ...byDay, name: "“<img src=x onerror=alert(1)>\u202e” (not verified)", calls: 30, failed: 2, refused: 3 },
		],
		others: { ...none, ...byDay, name: "Others", calls: 2 },
		tools: [
			{ tool: "grep", calls: 120, succeeded: 118, p50: 12.4, p95: 88 },
			{ tool: "web_fetch", calls: 25, succeeded: 24, p50: 840, p95: 4230 },
			{ tool: "apply_patch", calls: 3, succeeded: 0, p50: null, p95: null },
		],
		answers: { count: 9, median: 4200, p90: 190_000 },
		zone: "UTC+01:00",
		records: 400,
		damaged: 0,
		complete: true,
	};
}

/** The same of days on which nothing happened. */
export const idle = { ...activity(7), days: (activity(7) as { days: object[] }).days.map((day) => ({ ...day, ...none })), clients: [], others: null, tools: [], answers: { count: 0, median: null, p90: null } };
