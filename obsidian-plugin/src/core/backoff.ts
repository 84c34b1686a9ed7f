/** How long to wait before the next attempt to connect. */

export const FIRST_DELAY = 250;
export const LONGEST_DELAY = 15_000;

/**
 * Milliseconds before attempt number `attempt` (from 0): doubling, with up to a fifth taken off at random, so that
 * several windows do not knock at the same moment.
 */
export function delayBefore(attempt: number, random: () => number): number {
	const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 30));
	return Math.round(full * (1 - 0.2 * random()));
}
