/** Shows the questions of the bridge, one after the other, and carries the answers back. */

import { Component, Notice } from "obsidian";
import { outcomeSentence } from "../core/consent/wording";
import type { Gone, Question } from "../core/consent/questions";
import { list, ShapeError, type JsonObject } from "../core/json";
import { Disconnected } from "../core/rpc/client";
import { messageOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text/sanitize";
import { readConsentRequest, type ConsentRequest } from "../core/wire/consent";
import { handleEvent, type EventHandlers } from "../core/wire/events";
import { readConsentReply } from "../core/wire/readers";
import { ConsentModal, type Answer } from "../ui/consent/consentModal";
import type { Context } from "./context";

const LOST = "The connection to the bridge is lost. This question can be answered when it is back, if the bridge still asks it then.";
const LONGEST_FACT = 120;

export class ConsentPrompts extends Component {
	private modal: ConsentModal | null = null;
	private readonly setAside = new Set<string>();
	/** Questions whose end is ours, so that nobody needs to hear of it. */
	private readonly answering = new Set<string>();

	constructor(
		private readonly context: Context,
		private readonly open: { log: () => void; settings: () => void },
	) {
		super();
	}

	override onload(): void {
		const { connection, questions, plugin } = this.context;
		this.register(connection.notified.on(({ method, params }) => { this.hear(method, params); }));
		this.register(connection.changed.on((state) => {
			if (state.kind === "connected") void this.catchUp();
			else this.modal?.setTrouble(LOST);
		}));
		this.register(questions.gone.on((end) => { this.close(end); }));
		this.register(questions.changed.on(() => { this.show(); }));
		plugin.addCommand({
			id: "answer-question",
			name: "Answer the waiting question",
			checkCallback: (checking) => {
				if (questions.all.length === 0) return false;
				if (!checking) this.showAll();
				return true;
			},
		});
	}

	override onunload(): void {
		this.modal?.dismiss();
		this.modal = null;
	}

	/** Show also what was set aside. */
	showAll(): void {
		this.setAside.clear();
		this.show();
	}

	private readonly handlers: EventHandlers = {
		"consent.requested": (request) => { this.context.questions.add(request); },
		"consent.resolved": ({ requestId, decision, outcome, by }) => { this.context.questions.resolve(requestId, outcome ?? decision ?? "answered", by); },
	};

	private hear(method: string, params: JsonObject): void {
		try {
			handleEvent(this.handlers, method, params);
		} catch (error) {
			if (!(error instanceof ShapeError)) throw error;
			console.error("Vault Bridge:", error);
			new Notice("A question of the bridge cannot be shown. The plugin and the bridge may be of different versions; update both.");
		}
	}

	private async catchUp(): Promise<void> {
		try {
			const open = list(readConsentRequest)(await this.context.request("consent.pending"), "consent.pending");
			this.context.questions.reconcile(open);
			this.modal?.setTrouble(null);
		} catch (error) {
			if (!(error instanceof Disconnected)) console.error("Vault Bridge:", error);
		}
	}

	private show(): void {
		const shown = this.context.questions.all.filter((one) => !this.setAside.has(one.request.requestId));
		const first = shown[0];
		if (!this.modal && first) this.openModal(first.request);
		this.modal?.setOthers(Math.max(0, shown.length - 1));
	}

	private openModal(request: ConsentRequest): void {
		const modal = new ConsentModal(this.context.app, request, this.context.clock, {
			decide: (answer) => { void this.answer(request, answer); },
			denyAll: () => { void this.denyAll(); },
			showLog: () => { this.leave(this.open.log); },
			showSettings: () => { this.leave(this.open.settings); },
		});
		this.modal = modal;
		modal.open();
		if (!this.context.connection.connected) modal.setTrouble(LOST);
	}

	/** The question stays open; the status bar brings it back. */
	private leave(then: () => void): void {
		for (const { request } of this.context.questions.all) this.setAside.add(request.requestId);
		this.modal?.dismiss();
		this.modal = null;
		new Notice("The question still waits. Select the status bar to answer it.");
		then();
	}

	private async answer(request: ConsentRequest, { decision, feedback, hunks, extent: { reach, everyone } }: Answer): Promise<void> {
		const { requestId, planDigest } = request;
		this.modal?.setSending();
		this.answering.add(requestId);
		try {
			const params = { requestId, decision, ...(planDigest !== null && { planDigest }), ...(feedback !== null && { feedback }), ...(hunks && { hunks }), ...(reach !== null && { reach }), ...(everyone !== null && { everyone }) };
			const reply = readConsentReply(await this.context.request("consent.respond", params), "consent.respond");
			if (!reply.accepted) this.answering.delete(requestId);
			if (!reply.accepted && reply.outcome === null) throw new Error(reply.reason ?? "The bridge did not take the answer.");
			this.context.questions.resolve(requestId, reply.outcome ?? decision, reply.by);
		} catch (error) {
			this.answering.delete(requestId);
			if (!(error instanceof Disconnected)) new Notice(`Vault Bridge: ${sanitizePlain(messageOf(error))}`);
			this.notTaken(requestId, error instanceof Disconnected);
		}
	}

	/** The answer did not get through, so the question is as open as before. */
	private notTaken(requestId: string, lost: boolean): void {
		if (this.modal?.request.requestId !== requestId) return;
		if (this.modal.isOpen) {
			this.modal.setTrouble(lost ? LOST : null);
			return;
		}
		// It was closed with Escape, and that denial never arrived: the status bar keeps it.
		this.modal = null;
		this.setAside.add(requestId);
	}

	private async denyAll(): Promise<void> {
		const waiting = this.context.questions.all.map((one: Question) => one.request);
		for (const request of waiting) {
			const refusal = request.choices.includes("deny_once") ? "deny_once" : request.choices.find((one) => one.startsWith("deny"));
			if (refusal) await this.answer(request, { decision: refusal, feedback: null, hunks: null, extent: { reach: null, everyone: null } });
		}
	}

	private close({ question, outcome, by }: Gone): void {
		const { requestId, summary } = question.request;
		const ours = this.answering.delete(requestId);
		this.setAside.delete(requestId);
		if (this.modal?.request.requestId === requestId) {
			this.modal.dismiss();
			this.modal = null;
		}
		if (!ours || outcome === "stale") new Notice(`${sanitizePlain(summary.slice(0, LONGEST_FACT))}\n${outcomeSentence(outcome, by === null ? null : sanitizePlain(by))}`, 8000);
	}
}
