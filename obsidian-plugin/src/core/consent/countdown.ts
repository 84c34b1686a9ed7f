/** How long a question still waits. */

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
