/** The real time. */

import type { Clock } from "../core/clock";

export const clock: Clock = {
	now: () => Date.now(),
	after: (ms, callback) => {
		const timer = window.setTimeout(callback, ms);
		return () => {
			window.clearTimeout(timer);
		};
	},
};
