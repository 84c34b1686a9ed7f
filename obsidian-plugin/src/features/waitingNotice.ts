/** What says that a question waits while its window is not open: a notice in the app, and one of the system. */

import type { Notice } from "obsidian";
import type { Clock } from "../core/clock";
import { askerOf, notificationOf } from "../core/consent/asker";
import type { ConsentRequest } from "../core/wire/consent";
import { notify } from "../platform/notification";
import { showNotice } from "../ui/notice";
import { shorten } from "../core/text/shorten";

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
