/** Denials that were given by key: each is kept for ten seconds, in which it can be taken back, and then sent. */

import type { Clock } from "../clock";
import type { ConsentRequest, RespondParams } from "../wire/contract";

const UNDO_MS = 10_000;
/** What is left of a question's time must be enough to send the answer. */
const MARGIN = 2_000;

export interface Denial {
	request: ConsentRequest;
	answer: RespondParams;
}

export interface Batch {
	denials: readonly Denial[];
	/** How many milliseconds it is kept. */
	wait: number;
}

interface Kept extends Batch {
	cancel: () => void;
	/** Its time is over, and there was no connection. */
	due: boolean;
}

export interface HeldDenialsEvents {
	send: (denials: readonly Denial[]) => void;
	connected: () => boolean;
	/** It was sent, taken back, or all its questions have ended otherwise. */
	over: (batch: Batch) => void;
}

export class HeldDenials {
	private kept: Kept[] = [];

	constructor(
		private readonly clock: Clock,
		private readonly events: HeldDenialsEvents,
	) {}

	/** Keep denials that were given at once. One whose question has no time left is sent now; then there is no batch. */
	hold(denials: readonly Denial[]): Batch | null {
		const ends = denials.map(({ request }) => Date.parse(request.expiresAt) - this.clock.now() - MARGIN);
		const wait = Math.min(UNDO_MS, ...ends.filter((left) => !Number.isNaN(left)));
		if (wait <= 0) {
			this.events.send(denials);
			return null;
		}
		const batch: Kept = { denials, wait, due: false, cancel: () => undefined };
		batch.cancel = this.clock.after(wait, () => { this.finish(batch); });
		this.kept.push(batch);
		return batch;
	}

	/** Take a denial back: its questions are open again. False when it is too late. */
	undo(batch: Batch): boolean {
		const found = this.kept.find((one) => one === batch);
		if (!found) return false;
		this.remove(found);
		return true;
	}

	/** A question has ended otherwise: there is nothing to send for it. */
	drop(requestId: string): void {
		for (const batch of this.kept) {
			batch.denials = batch.denials.filter(({ request }) => request.requestId !== requestId);
			if (batch.denials.length === 0) this.remove(batch);
		}
	}

	/** The connection is back: what could not be sent is sent. */
	resume(): void {
		for (const batch of this.kept.filter((one) => one.due)) this.finish(batch);
	}

	/** Send everything now: nobody will be here to do it later. */
	flush(): void {
		for (const batch of this.kept) {
			this.remove(batch);
			this.events.send(batch.denials);
		}
	}

	private finish(batch: Kept): void {
		batch.due = true;
		if (!this.events.connected()) return;
		this.remove(batch);
		this.events.send(batch.denials);
	}

	private remove(batch: Kept): void {
		batch.cancel();
		this.kept = this.kept.filter((one) => one !== batch);
		this.events.over(batch);
	}
}
