/** The moment in which a yes does not count yet, so that a key or click meant for something else cannot approve. */

import type { Clock } from "../clock";

export const ARMING_MS = 600;

export class Arming {
	private armedAt: number;

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
		this.armedAt = this.clock.now() + this.wait;
	}

	/** Call back once it is armed. Returns the function that calls it off. */
	whenArmed(callback: () => void): () => void {
		return this.clock.after(Math.max(0, this.armedAt - this.clock.now()), () => {
			if (this.armed) callback();
		});
	}
}
