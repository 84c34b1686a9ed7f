/** The questions that wait for an answer, as this window knows them. The bridge decides; this only keeps the list. */

import type { Clock } from "../clock";
import { Emitter } from "../emitter";
import type { ConsentRequest } from "../wire/contract";
import { groupOf } from "./asker";

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
	/** A question is about something else now: a person has edited what it would write. */
	readonly revised = new Emitter<ConsentRequest>();
	/** The call of a question has a ticket now: nobody sits and waits for the answer. */
	readonly waits = new Emitter<ConsentRequest>();
	private open: Question[] = [];
	/** Those that are denied here, and for which the denial is not sent yet. */
	private readonly denied = new Set<string>();

	constructor(private readonly clock: Clock) {}

	get all(): readonly Question[] {
		return this.open.filter(({ request }) => !this.denied.has(request.requestId));
	}

	/** The questions that wait of the one who asks this one, with it. */
	ofGroup(request: ConsentRequest): readonly ConsentRequest[] {
		return this.all.map((one) => one.request).filter((one) => groupOf(one) === groupOf(request));
	}

	/** A question came. One that is there already stays as it is: nothing may change under the person's eyes. */
	add(request: ConsentRequest): void {
		if (this.open.some((one) => one.request.requestId === request.requestId)) return;
		this.open = [...this.open, { request, since: this.clock.now() }];
		this.changed.emit(this.all);
	}

	/** The bridge has made a new plan for a question. Whoever shows it has to begin anew. */
	revise(request: ConsentRequest): void {
		const before = this.open.find((one) => one.request.requestId === request.requestId);
		if (!before || (before.request.planDigest === request.planDigest && chosen(before.request) === chosen(request))) return;
		this.open = this.open.map((one) => (one === before ? { ...one, request } : one));
		this.revised.emit(request);
	}

	/** The call of a question has a ticket: it can be answered until then. */
	wait(requestId: string, expiresAt: string): void {
		const before = this.open.find((one) => one.request.requestId === requestId);
		if (!before || before.request.waiting) return;
		const request = { ...before.request, waiting: true, expiresAt };
		this.open = this.open.map((one) => (one === before ? { ...one, request } : one));
		this.waits.emit(request);
		this.changed.emit(this.all);
	}

	/** Leave questions out for as long as their denials can be taken back, or take them in again. */
	setDenied(requestIds: readonly string[], denied: boolean): void {
		for (const id of requestIds) {
			if (denied) this.denied.add(id);
			else this.denied.delete(id);
		}
		this.changed.emit(this.all);
	}

	resolve(requestId: string, outcome: string | null, by: string | null): void {
		const question = this.open.find((one) => one.request.requestId === requestId);
		if (!question) return;
		this.open = this.open.filter((one) => one !== question);
		this.denied.delete(requestId);
		this.gone.emit({ question, outcome, by });
		this.changed.emit(this.all);
	}

	/** What the bridge says is open, after a connection came back: what it no longer knows is gone. */
	reconcile(now: readonly ConsentRequest[]): void {
		const known = new Set(now.map((request) => request.requestId));
		for (const { request } of this.open) {
			if (!known.has(request.requestId)) this.resolve(request.requestId, null, null);
		}
		for (const request of now) {
			this.revise(request);
			if (request.waiting) this.wait(request.requestId, request.expiresAt);
			this.add(request);
		}
	}
}

/** What is taken where others changed the same: the plan may be as it was. */
function chosen({ preview }: ConsentRequest): string {
	return JSON.stringify(preview?.conflicts ?? null);
}
