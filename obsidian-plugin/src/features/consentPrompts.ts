/** Shows the questions of the bridge when the person can look at them, one after the other or in a list. */

import { Notice } from "obsidian";
import { askerOf, groupOf } from "../core/consent/asker";
import type { Denial } from "../core/consent/heldDenials";
import { allows } from "../core/consent/options";
import type { Gone } from "../core/consent/questions";
import { outcomeSentence } from "../core/consent/wording";
import { hear, onEvents } from "../core/hearing";
import { Latest } from "../core/overtaking";
import { Disconnected } from "../core/rpc/client";
import { sanitizePlain } from "../core/text";
import type { ConsentRequest, RespondParams } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import { ConsentModal, type Answer } from "../ui/consent/consentModal";
import { GroupModal } from "../ui/consent/groupModal";
import type { Context } from "../ui/context";
import { Announcements, WaitingNotice } from "./announcements";
import { Answering } from "./answering";
import { Feature } from "./feature";
import { KeyDenials } from "./keyDenials";

const LOST = "The connection to the bridge is lost. This question can be answered when it is back, if the bridge still asks it then.";
const LONGEST_FACT = 120;

export class ConsentPrompts extends Feature {
	private modal: ConsentModal | null = null;
	private group: GroupModal | null = null;
	private grouped = "";
	/** Questions that the person has seen and put off, or that came while they were writing. */
	private readonly setAside = new Set<string>();
	/** The person has just answered, so the next question finds them looking. */
	private isLooking = false;
	private readonly latest = new Latest();
	private readonly notice: WaitingNotice;
	private readonly announcements: Announcements;
	private readonly answering: Answering;
	private readonly keyDenials: KeyDenials;

	constructor(
		context: Context,
		/** Whether a note shows all of a question. */
		private readonly isInNote: (request: ConsentRequest) => boolean,
	) {
		super(context);
		this.notice = new WaitingNotice(context.clock, () => { this.showAll(); });
		this.announcements = new Announcements(context, this.notice, (id) => this.modal?.request.requestId === id);
		this.answering = new Answering(context);
		this.keyDenials = new KeyDenials(context, this.answering, (ids) => {
			for (const id of ids) this.setAside.delete(id);
			this.isLooking = true;
		});
	}

	override onload(): void {
		const { app, connection, questions } = this.context;
		this.register(onEvents(connection, ["consent.requested", "consent.revised", "consent.waiting", "consent.resolved"], [], () => { this.latest.overtake(); }));
		this.register(hear(connection, {
			"consent.requested": (request) => { questions.add(request); },
			"consent.revised": (request) => { questions.revise(request); },
			"consent.waiting": ({ requestId, expiresAt }) => { questions.wait(requestId, expiresAt); },
			"consent.resolved": ({ requestId, decision, outcome, by }) => { questions.resolve(requestId, outcome ?? decision ?? "answered", by); },
		}, (error) => {
			console.error("Vault Bridge:", error);
			new Notice("A question of the bridge cannot be shown. The plugin and the bridge may be of different versions; update both.");
		}));
		this.follow(() => void this.catchUp(), () => { this.setTrouble(LOST); });
		this.on(questions.gone, (end) => { this.ended(end); });
		this.on(questions.revised, (request) => {
			if (this.modal?.request.requestId === request.requestId) this.modal.update(request);
			this.group?.update(request);
		});
		this.on(questions.waits, (request) => { this.putIntoList(request); });
		this.on(questions.changed, () => { this.show(); });
		// The last moment in which anything can be sent.
		this.registerEvent(app.workspace.on("quit", () => { this.keyDenials.held.flush(); }));
		this.command("answer-question", "Answer the waiting question", () => { this.showAll(); }, () => questions.all.length > 0);
	}

	override onunload(): void {
		this.keyDenials.held.flush();
		this.dismiss();
		this.notice.end();
		this.announcements.end();
	}

	/** Show also what was set aside. */
	private showAll(): void {
		this.setAside.clear();
		this.isLooking = true;
		this.show();
	}

	/** Show one question, where none is shown already, or all of them: the person asked for it. */
	open(requestId: string | null): void {
		if (requestId === null) {
			this.showAll();
			return;
		}
		const found = this.context.questions.all.find(({ request }) => request.requestId === requestId);
		this.setAside.delete(requestId);
		if (found && !this.modal && !this.group) this.openModal(found.request);
		this.show();
	}

	private async catchUp(): Promise<void> {
		try {
			const { questions, request } = this.context;
			// One that comes meanwhile is not to be taken for one that the bridge no longer knows.
			while (!await this.latest.of(ask(request, "consent.pending"), (open) => { questions.reconcile(open); }));
			this.setTrouble(null);
			this.keyDenials.held.resume();
			this.announcements.greet();
		} catch (error) {
			if (!(error instanceof Disconnected)) console.error("Vault Bridge:", error);
		}
	}

	/** Nobody sits and waits for the answer any more: the window goes, unless the person is at it. */
	private putIntoList(request: ConsentRequest): void {
		const { requestId } = request;
		this.announcements.calm(requestId);
		this.setAside.add(requestId);
		if (this.modal?.request.requestId !== requestId) return;
		if (this.modal.isTouched) this.modal.wait(request);
		else this.dismiss();
	}

	private setTrouble(sentence: string | null): void {
		this.modal?.setTrouble(sentence);
		this.group?.setBlocked(sentence !== null);
	}

	/** Bring the screen in line with what waits. */
	private show(): void {
		const looking = this.isLooking;
		this.isLooking = false;
		const waiting = this.context.questions.all.map((one) => one.request);
		this.notice.keep(waiting);
		for (const request of waiting) {
			if (!this.announcements.announce(request, waiting) && !looking) this.setAside.add(request.requestId);
		}
		if (this.group) {
			for (const request of waiting.filter((one) => groupOf(one) === this.grouped)) this.group.offer(request);
			return;
		}
		const isFresh = ({ requestId }: ConsentRequest): boolean => !this.setAside.has(requestId);
		if (!looking && !this.modal) this.putBehindNotice(waiting.filter((one) => isFresh(one) && this.isInNote(one)));
		const fresh = waiting.filter(isFresh);
		const [first] = fresh;
		if (!this.modal && first) {
			if (looking || !this.context.presence.isWriting) this.openModal(first);
			else this.putBehindNotice(fresh);
		}
		if (this.modal) this.modal.setOthers(Math.max(0, fresh.length - 1), this.context.questions.ofGroup(this.modal.request).length);
	}

	private putBehindNotice(requests: readonly ConsentRequest[]): void {
		if (requests.length === 0) return;
		for (const { requestId } of requests) this.setAside.add(requestId);
		this.notice.arrived(this.context.questions.all.map((one) => one.request));
	}

	private openModal(request: ConsentRequest): void {
		this.notice.hide();
		const modal = new ConsentModal(this.context, request, {
			decide: (answer) => { void this.decide(modal.request, answer); },
			later: () => { this.later(); },
			together: () => { this.openGroup(request); },
			leave: (then) => {
				this.dismiss();
				this.later();
				then();
			},
			revise: async (...revision) => this.answering.revise(...revision),
			resolve: async (...choice) => this.answering.resolve(...choice),
		});
		this.modal = modal;
		modal.open();
		if (!this.context.connection.connected) modal.setTrouble(LOST);
	}

	private openGroup(request: ConsentRequest): void {
		this.dismiss();
		this.notice.hide();
		const group = new GroupModal(this.context.app, askerOf(request), this.context.questions.ofGroup(request), this.context.clock, {
			decide: (decision, requests, byKey) => { void this.decideAll(decision, requests, byKey); },
			later: () => { this.later(); },
			single: (one) => {
				this.dismiss();
				this.setAside.delete(one.requestId);
				this.openModal(one);
				this.show();
			},
		});
		this.group = group;
		this.grouped = groupOf(request);
		group.open();
		group.setBlocked(!this.context.connection.connected);
	}

	/** The person does not answer now. The questions wait in the status bar. */
	private later(): void {
		this.modal = null;
		this.group = null;
		const waiting = this.context.questions.all.map((one) => one.request);
		for (const { requestId } of waiting) this.setAside.add(requestId);
		this.notice.putOff(waiting);
	}

	private dismiss(): void {
		const [modal, group] = [this.modal, this.group];
		this.modal = null;
		this.group = null;
		modal?.dismiss();
		group?.dismiss();
	}

	/** Answer a question for once, exactly as it is shown, wherever that is. */
	answerOnce(request: ConsentRequest, decision: "allow_once" | "deny_once", byKey: boolean): void {
		const hunks = allows(decision) ? (this.context.choices.of(request)?.toWire() ?? null) : null;
		void this.decide(request, { decision, option: null, feedback: null, hunks, comments: [], sendBack: false, byKey });
	}

	private async decide(request: ConsentRequest, { decision, option, feedback, hunks, comments, sendBack, byKey }: Answer): Promise<void> {
		const { requestId } = request;
		const answer: RespondParams = { ...answerTo(request, decision), ...(option && { option: option.optionId }), ...(feedback !== null && { feedback }), ...(hunks && { hunks }), ...(comments.length > 0 && { comments }), ...(sendBack && { sendBack }) };
		if (byKey && decision === "deny_once") {
			this.hold([{ request, answer }]);
			return;
		}
		if (this.modal?.request.requestId === requestId) this.modal.setSending();
		const notTaken = await this.answering.answer(answer, option);
		if (notTaken !== null && this.modal?.request.requestId === requestId) this.modal.setTrouble(notTaken === "lost" ? LOST : null);
	}

	private async decideAll(decision: "allow_once" | "deny_once", requests: readonly ConsentRequest[], byKey: boolean): Promise<void> {
		const denials = requests.map((request) => ({ request, answer: answerTo(request, decision) }));
		if (byKey && decision === "deny_once") {
			this.hold(denials);
			return;
		}
		this.group?.setBlocked(true);
		await this.answering.answerAll(denials.map((one) => one.answer));
		this.group?.setBlocked(!this.context.connection.connected);
	}

	private hold(denials: readonly Denial[]): void {
		for (const { request } of denials) this.removeFromScreen(request.requestId);
		this.isLooking = true;
		this.keyDenials.hold(denials);
	}

	private removeFromScreen(requestId: string): void {
		if (this.modal?.request.requestId === requestId) this.dismiss();
		this.group?.remove(requestId);
		if (this.group?.isEmpty) this.dismiss();
	}

	private ended({ question, outcome, by }: Gone): void {
		const { requestId, summary } = question.request;
		const ours = this.answering.ended(requestId);
		this.keyDenials.held.drop(requestId);
		this.setAside.delete(requestId);
		this.announcements.forget(requestId);
		this.context.choices.forget(requestId);
		const onScreen = this.modal !== null || this.group !== null;
		this.removeFromScreen(requestId);
		this.isLooking ||= ours && onScreen;
		if (!ours || outcome === "stale") new Notice(`${sanitizePlain(summary.slice(0, LONGEST_FACT))}\n${outcomeSentence(outcome, by === null ? null : sanitizePlain(by))}`, 8000);
	}
}

/** An answer carries the digest of what was shown. */
function answerTo({ requestId, planDigest }: ConsentRequest, decision: RespondParams["decision"]): RespondParams {
	return { requestId, decision, ...(planDigest !== null && { planDigest }) };
}
