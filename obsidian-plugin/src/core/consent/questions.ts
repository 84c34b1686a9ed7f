/** The questions that wait for an answer, as this window knows them. The bridge decides; this only keeps the list. */

import type { Clock } from "../clock";
import { Emitter } from "../emitter";
import type { ConsentRequest } from "../wire/consent";

export interface Question {
	readonly request: ConsentRequest;
	/** When it came to this window, in milliseconds; the order in which questions are shown. */
	readonly since: number;
}

/** How a question left the list without this window's answer. */
export interface Gone {
	question: Question;
	/** `allow_once`, `timed_out`, `cancelled` and the like; null when the bridge went away with it. */
	outcome: string | null;
	by: string | null;
}

export class Questions {
	readonly changed = new Emitter<readonly Question[]>();
	readonly gone = new Emitter<Gone>();
	private waiting: Question[] = [];

	constructor(private readonly clock: Clock) {}

	get all(): readonly Question[] {
		return this.waiting;
	}

	/** A question came. One that is there already stays as it is: nothing may change under the person's eyes. */
	add(request: ConsentRequest): void {
		if (this.waiting.some((one) => one.request.requestId === request.requestId)) return;
		this.waiting = [...this.waiting, { request, since: this.clock.now() }];
		this.changed.emit(this.waiting);
	}

	/** A question ended, here or elsewhere. */
	resolve(requestId: string, outcome: string | null, by: string | null): void {
		const question = this.waiting.find((one) => one.request.requestId === requestId);
		if (!question) return;
		this.waiting = this.waiting.filter((one) => one !== question);
		this.gone.emit({ question, outcome, by });
		this.changed.emit(this.waiting);
	}

	/** What the bridge says is open, after a connection came back: what it no longer knows is gone. */
	reconcile(open: readonly ConsentRequest[]): void {
		const known = new Set(open.map((request) => request.requestId));
		for (const question of this.waiting) {
			if (!known.has(question.request.requestId)) this.resolve(question.request.requestId, null, null);
		}
		for (const request of open) this.add(request);
	}
}
