/** How long a question still waits, and who waits for it. */

import type { ConsentRequest } from "../wire/contract";
import { askerOf } from "./asker";

export type Urgency = "calm" | "soon" | "over";

const SOON_SECONDS = 30;
/** Milliseconds before the end in which a person is told of it who does not see the question. */
export const LAST_MINUTE = 60_000;

export interface Countdown {
	/** Whole seconds, never negative. */
	seconds: number;
	urgency: Urgency;
	/** `4:05`, or `25 s` near the end. */
	text: string;
}

export function countdown(expiresAt: string, now: number): Countdown {
	const until = Date.parse(expiresAt);
	const seconds = Number.isNaN(until) ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
	if (seconds === 0) return { seconds, urgency: "over", text: "no time left" };
	if (seconds < 60) return { seconds, urgency: seconds <= SOON_SECONDS ? "soon" : "calm", text: `${seconds} s` };
	if (seconds >= 3600) return { seconds, urgency: "calm", text: `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min` };
	return { seconds, urgency: "calm", text: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` };
}

/** Milliseconds after which a question that comes with a ticket is no news any more. */
const NEWS_MS = 10_000;
const DAY_MS = 86_400_000;

/** When something ends: `18:20`, `tomorrow 18:20`, or with its date. */
export function untilWords(iso: string, now: number): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
	const time = date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
	if (date.toDateString() === new Date(now).toDateString()) return time;
	if (date.toDateString() === new Date(now + DAY_MS).toDateString()) return `tomorrow ${time}`;
	return `${date.toLocaleDateString(undefined, { day: "numeric", month: "long" })} ${time}`;
}

/** What a person needs to know of such a question; null of any other. */
export function patienceOf(request: ConsentRequest, now: number): string | null {
	return request.waiting ? `${askerOf(request)} goes on when you answer; until ${untilWords(request.expiresAt, now)}` : null;
}

/** Whether it was asked just now, and not before the window or the bridge was opened. */
export function isNews({ createdAt }: ConsentRequest, now: number): boolean {
	return now - Date.parse(createdAt) < NEWS_MS;
}
