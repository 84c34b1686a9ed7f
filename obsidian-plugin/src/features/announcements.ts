/** Says that questions are there: each of them once, and no question ends unseen. */

import { LAST_MINUTE } from "../core/consent/countdown";
import { isNews } from "../core/consent/patience";
import type { ConsentRequest } from "../core/wire/consent";
import type { Presence } from "../platform/presence";
import type { Context } from "./context";
import type { WaitingNotice } from "./waitingNotice";

export class Announcements {
	/** What calls off the reminder of each question's last minute. */
	private readonly reminders = new Map<string, () => void>();
	/** The person has heard what waited when the window was opened. */
	private hasGreeted = false;

	/** @param isShown - Whether a question is on the screen. */
	constructor(
		private readonly context: Context,
		private readonly presence: Presence,
		private readonly notice: WaitingNotice,
		private readonly isShown: (requestId: string) => boolean,
	) {}

	/**
	 * Announce a question, if that has not been done.
	 *
	 * @returns Whether it may come onto the screen by itself: nobody sits and waits for the answer to one with a ticket.
	 */
	announce(request: ConsentRequest, all: readonly ConsentRequest[]): boolean {
		const { requestId, expiresAt, waiting, draft } = request;
		if (this.reminders.has(requestId)) return true;
		const { clock, device } = this.context;
		// What was handed in is the inbox's to say.
		const news = !waiting || (draft === null && isNews(request, clock.now()));
		if (news && !this.presence.inFront && device.settings.notify) this.notice.elsewhere(request, all.length);
		if (waiting && news) this.notice.arrived(all);
		const left = waiting ? 0 : Date.parse(expiresAt) - clock.now() - LAST_MINUTE;
		this.reminders.set(requestId, left > 0 ? clock.after(left, () => { this.remind(request); }) : () => undefined);
		return !waiting;
	}

	/** Once, where no question is on the screen: what has waited since before this window was open. */
	greet(): void {
		const waiting = this.context.questions.all.map((one) => one.request).filter((one) => one.waiting && one.draft === null);
		if (!this.hasGreeted && waiting.length > 0 && !waiting.some((one) => this.isShown(one.requestId))) this.notice.putOff(waiting);
		this.hasGreeted = true;
	}

	/** A question has a ticket now: its end is a long way off. */
	calm(requestId: string): void {
		this.reminders.get(requestId)?.();
	}

	/** A question has ended. */
	forget(requestId: string): void {
		this.calm(requestId);
		this.reminders.delete(requestId);
	}

	end(): void {
		for (const end of this.reminders.values()) end();
	}

	private remind(request: ConsentRequest): void {
		const seen = this.isShown(request.requestId) && this.presence.inFront;
		if (!seen && this.context.questions.all.some((one) => one.request.requestId === request.requestId)) this.notice.ending(request);
	}
}
