/** Time, passed in, so that tests need not wait. */

/** Time, passed in, so that tests need not wait. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Call back once after `ms`. Returns the function that calls it off. */
	after(ms: number, callback: () => void): () => void;
}

export const clock: Clock = {
	now: () => Date.now(),
	after: (ms, callback) => {
		const timer = window.setTimeout(callback, ms);
		return () => {
			window.clearTimeout(timer);
		};
	},
};
