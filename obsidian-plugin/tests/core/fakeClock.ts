import type { Clock } from "../../src/core/clock";

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
	private time = 1_000_000;
	private timers: { at: number; callback: () => void }[] = [];

	now(): number {
		return this.time;
	}

	after(ms: number, callback: () => void): () => void {
		const timer = { at: this.time + ms, callback };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((one) => one !== timer);
		};
	}

	/** Let `ms` pass, running what falls due, with the promises in between. */
	async pass(ms: number): Promise<void> {
		const end = this.time + ms;
		for (;;) {
			await settled();
			const due = this.timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
			if (!due) break;
			this.timers = this.timers.filter((one) => one !== due);
			this.time = Math.max(this.time, due.at);
			due.callback();
		}
		this.time = end;
		await settled();
	}
}

/** Everything that promises have started is done. */
export async function settled(): Promise<void> {
	for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
