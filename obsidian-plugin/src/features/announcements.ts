/** Says that questions are there, also while their window is not open: each of them once, and no question ends unseen. */

import type { Notice } from "obsidian";
import type { Clock } from "../core/clock";
import { askerOf, notificationOf } from "../core/consent/asker";
import { isNews, LAST_MINUTE } from "../core/consent/countdown";
import { shorten } from "../core/text";
import type { ConsentRequest } from "../core/wire/contract";
import { notify } from "../platform/notification";
import type { Context } from "../ui/context";
import { showNotice } from "../ui/notice";

const LONGEST = 160;
/** Milliseconds that it stays where the person knows of the question already. */
const REMINDER_MS = 8_000;
/** Milliseconds between two notifications of the system: a flood of questions is no flood of those. */
const QUIET_MS = 3_000;

type Say = (text: string) => string;

export class WaitingNotice {
	private notice: Notice | null = null;
	private about: readonly ConsentRequest[] = [];
	private say: Say = (text) => text;
	private notifiedAt = -Infinity;
	private endNotification: () => void = () => undefined;

	/** @param show - Puts the questions on the screen. */
	constructor(
		private readonly clock: Clock,
		private readonly show: () => void,
	) {}

	/** Questions have come, and the person is writing. */
	arrived(requests: readonly ConsentRequest[]): void {
		this.replace(requests, (text) => text, 0);
	}

	/** The person has put them off. */
	putOff(requests: readonly ConsentRequest[]): void {
		this.replace(requests, (text) => `Still waiting: ${text}`, REMINDER_MS);
	}

	/** One is about to end as a refusal. */
	ending(request: ConsentRequest): void {
		this.replace([request], (text) => `One minute left to answer: ${text}`, 0);
	}

	/** A question came while no window of the app has the focus. */
	elsewhere(request: ConsentRequest, waiting: number): void {
		if (this.clock.now() - this.notifiedAt < QUIET_MS) return;
		this.notifiedAt = this.clock.now();
		this.endNotification();
		const { title, body } = notificationOf(request, waiting);
		this.endNotification = notify(title, body, this.show);
	}

	/** These questions wait now: a notice about others is not true any more. */
	keep(waiting: readonly ConsentRequest[]): void {
		if (waiting.length === 0) this.endNotification();
		const left = this.about.filter((one) => waiting.some((other) => other.requestId === one.requestId));
		if (left.length === this.about.length) return;
		if (left.length === 0 || !this.notice) this.hide();
		else this.replace(left, this.say, 0);
	}

	hide(): void {
		this.notice?.hide();
		this.notice = null;
		this.about = [];
	}

	end(): void {
		this.hide();
		this.endNotification();
	}

	private replace(requests: readonly ConsentRequest[], say: Say, duration: number): void {
		this.hide();
		const [first] = requests;
		if (!first) return;
		const text = requests.length === 1 ? `${askerOf(first)}: ${first.summary}` : `${requests.length} questions to answer`;
		this.about = requests;
		this.say = say;
		this.notice = showNotice(say(shorten(text, LONGEST)), [{ label: "Show", act: this.show }], duration);
	}
}

export class Announcements {
	/** What calls off the reminder of each question's last minute. */
	private readonly reminders = new Map<string, () => void>();
	/** The person has heard what waited when the window was opened. */
	private hasGreeted = false;

	/** @param isShown - Whether a question is on the screen. */
	constructor(
		private readonly context: Context,
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
		const { clock, device, presence } = this.context;
		// What was handed in is the inbox's to say.
		const news = !waiting || (draft === null && isNews(request, clock.now()));
		if (news && !presence.inFront && device.settings.notify) this.notice.elsewhere(request, all.length);
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

	forget(requestId: string): void {
		this.calm(requestId);
		this.reminders.delete(requestId);
	}

	end(): void {
		for (const end of this.reminders.values()) end();
	}

	private remind(request: ConsentRequest): void {
		const seen = this.isShown(request.requestId) && this.context.presence.inFront;
		if (!seen && this.context.questions.all.some((one) => one.request.requestId === request.requestId)) this.notice.ending(request);
	}
}
