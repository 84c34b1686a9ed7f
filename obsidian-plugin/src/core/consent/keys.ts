/** What keeps a person from a yes by mistake: the moment in which none counts yet, and keys that do less than a pointer. */

import type { Clock } from "../clock";

const ARMING_MS = 600;

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

/** What a button is for: an answer for once, an answer for longer, or something that answers nothing. */
export type Purpose = "allow" | "deny" | "remember" | "other";

export interface Press {
	key: string;
	repeat: boolean;
	/** Whether Ctrl, or Cmd on a Mac, is held with it. */
	mod: boolean;
}

export interface Readiness {
	/** Whether the first moment, in which nothing counts, is over. */
	armed: boolean;
	/** Whether the person has used the pointer or the Tab key in the question: then they look at it. */
	engaged: boolean;
}

/** `press`: do it. `browser`: what the browser does with this key. `nothing`: the key is lost. */
export type Effect = "press" | "browser" | "nothing";

/** Enter never allows. Neither Enter nor Space gives an answer for longer: that takes Ctrl or Cmd with Enter. */
export function effectOf(purpose: Purpose, { key, repeat, mod }: Press, { armed, engaged }: Readiness): Effect {
	if (key !== "Enter" && key !== " ") return "browser";
	if (purpose === "other") return "browser";
	if (!armed || !engaged || repeat) return "nothing";
	if (purpose === "remember") return key === "Enter" && mod ? "press" : "nothing";
	return key === "Enter" && purpose === "allow" ? "nothing" : "browser";
}
