/** Questions that nobody sits and waits for: their call has a ticket, so they can be answered for hours. */

import type { ConsentRequest } from "../wire/consent";
import { askerOf } from "./asker";

/** Milliseconds after which a question that comes with a ticket is no news any more. */
const NEWS_MS = 10_000;
const DAY_MS = 86_400_000;

/** When something ends: `18:20`, `tomorrow 18:20`, or with its date. */
export function untilWords(iso: string, now: number): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
	const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
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
