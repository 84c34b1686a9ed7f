/** Keeps the bridge running that was started here: starts it, starts it again when it fails, and knows when to stop trying. */

import type { Clock } from "../clock";
import { Emitter } from "../emitter";
import { isLasting, startTrouble, type End, type Trouble } from "./trouble";

export interface Running {
	/** Ask it to end. It is over when `ended` was called. */
	stop: () => void;
}

export interface Runner {
	/** Start the program for this vault; `ended` is called once, later, also when it could not be started. */
	start: (program: string, ended: (end: End) => void) => Running;
	isFile: (path: string) => Promise<boolean>;
}

export type Status =
	/** Nothing was started here, or it was stopped on purpose. */
	| { kind: "off" }
	| { kind: "starting" }
	| { kind: "running" }
	| { kind: "stopping" }
	/** It failed and will be started again. */
	| { kind: "waiting"; trouble: Trouble; attempt: number }
	/** It failed and will not be started again by itself. */
	| { kind: "failed"; trouble: Trouble };

/** How often it is started again, and after how many milliseconds. */
export const DELAYS = [1_000, 2_000, 5_000, 15_000, 60_000] as const;
/** Milliseconds after which a bridge that runs counts as sound, so that the next failure is a first one. */
export const STEADY = 120_000;
/** Milliseconds that it may take from the start to the first connection: scanners look at a program that is new. */
export const LONGEST_START = 60_000;

export class Supervisor {
	readonly changed = new Emitter<Status>();
	private current: Status = { kind: "off" };
	private child: Running | null = null;
	private program = "";
	private attempt = 0;
	/** Counts what was begun, so that what was found out about something earlier is recognized as late. */
	private turn = 0;
	/** What to do when the process that was asked to stop has ended. */
	private then: (() => void) | null = null;
	private cancelTimer: (() => void) | null = null;

	constructor(
		private readonly clock: Clock,
		private readonly runner: Runner,
	) {}

	get status(): Status {
		return this.current;
	}

	/** Whether there is something to stop: a process, or the wait for the next one. */
	get active(): boolean {
		return this.child !== null || this.current.kind === "waiting";
	}

	/** Start a program, unless one runs. The count of attempts begins anew: a person wants it. */
	start(program: string): void {
		if (this.child) return;
		this.attempt = 0;
		this.program = program;
		this.launch();
	}

	/** Stop what was started here, and do not start it again. */
	stop(): void {
		this.end(() => { this.moveTo({ kind: "off" }); });
	}

	/** Stop, and start the same program again when the process has ended. */
	restart(): void {
		this.end(() => { this.start(this.program); });
	}

	/** The window has connected to the bridge of this vault. */
	connected(): void {
		if (this.current.kind !== "starting") return;
		this.moveTo({ kind: "running" });
		this.timer(STEADY, () => { this.attempt = 0; });
	}

	private launch(): void {
		this.turn++;
		this.moveTo({ kind: "starting" });
		this.timer(LONGEST_START, () => {
			this.end(() => void this.failed({ kind: "silent" }));
		});
		this.child = this.runner.start(this.program, (end) => {
			this.child = null;
			this.ended(end);
		});
	}

	private ended(end: End): void {
		this.cancelTimer?.();
		const { then } = this;
		this.then = null;
		if (then) then();
		else void this.failed(end);
	}

	private async failed(end: End): Promise<void> {
		// Asked to end by somebody outside, it ends in order: nobody wants it back at once.
		if (end.kind === "exited" && end.code === 0) {
			this.moveTo({ kind: "off" });
			return;
		}
		const { turn } = this;
		const trouble = startTrouble(this.program, end, await this.runner.isFile(this.program));
		if (turn !== this.turn) return;
		const delay = DELAYS[this.attempt];
		if (delay === undefined || isLasting(trouble)) {
			this.moveTo({ kind: "failed", trouble });
			return;
		}
		this.attempt++;
		this.moveTo({ kind: "waiting", trouble, attempt: this.attempt });
		this.timer(delay, () => { this.launch(); });
	}

	private end(then: () => void): void {
		this.turn++;
		this.cancelTimer?.();
		if (!this.child) {
			then();
			return;
		}
		const first = this.then === null;
		this.then = then;
		if (!first) return;
		this.moveTo({ kind: "stopping" });
		this.child.stop();
	}

	private timer(ms: number, callback: () => void): void {
		this.cancelTimer?.();
		this.cancelTimer = this.clock.after(ms, callback);
	}

	private moveTo(status: Status): void {
		this.current = status;
		this.changed.emit(status);
	}
}
