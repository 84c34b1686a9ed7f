/** The moment in which a yes does not count yet, so that a key or click meant for something else cannot approve. */

import type { Clock } from "../clock";

export const ARMING_MS = 600;

export class Arming {
	private armedAt: number;
	private starts = 0;

	constructor(
		private readonly clock: Clock,
		private readonly wait = ARMING_MS,
	) {
		this.armedAt = clock.now() + wait;
	}

	get armed(): boolean {
		return this.clock.now() >= this.armedAt;
	}

	/** Start again: the window came back to the front, or what is shown changed. */
	restart(): void {
		this.starts += 1;
		this.armedAt = this.clock.now() + this.wait;
	}

	/**
	 * Call back once it is armed, unless it starts again before. Returns the function that calls it off.
	 *
	 * A timer may come a moment early by the clock of the computer, which may also be set back: then it waits on, but
	 * never longer than once more.
	 */
	whenArmed(callback: () => void): () => void {
		const start = this.starts;
		let cancel = (): void => undefined;
		const look = (): void => {
			if (this.starts !== start) return;
			const left = this.armedAt - this.clock.now();
			if (left <= 0) {
				callback();
				return;
			}
			this.armedAt -= Math.max(0, left - this.wait);
			cancel = this.clock.after(Math.min(left, this.wait), look);
		};
		cancel = this.clock.after(Math.max(0, this.armedAt - this.clock.now()), look);
		return () => { cancel(); };
	}
}
