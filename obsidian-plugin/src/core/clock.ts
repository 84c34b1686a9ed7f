/** Time, passed in, so that tests need not wait. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Call back once after `ms`. Returns the function that calls it off. */
	after(ms: number, callback: () => void): () => void;
}
