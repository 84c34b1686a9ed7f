/** One question, whole and true, and the answers that are offered. It never answers by itself. */

import { Modal } from "obsidian";
import { noteOf } from "../../core/consent/asker";
import { countdown, patienceOf, untilWords } from "../../core/consent/countdown";
import { allows } from "../../core/consent/options";
import type { Hunks, Selection } from "../../core/diff/selection";
import type { ConsentRequest, LineComment, PlaceChoice } from "../../core/wire/contract";
import type { Context } from "../context";
import { addButton, showText } from "../elements";
import { Answers, type Given } from "./answers";
import { drawBackground, drawEffect, drawSummary, drawTool } from "./effect";
import { Guard, trapFocus } from "./guard";
import { drawMoreBelow } from "./moreBelow";
import { Comments } from "./review";

export interface Answer extends Given {
	hunks: Hunks | null;
	comments: LineComment[];
	sendBack: boolean;
}

export interface ConsentEvents {
	decide: (answer: Answer) => void;
	/** The person does not answer now: the question stays open. */
	later: () => void;
	together: () => void;
	/** The same, to look at something else first. */
	leave: (then: () => void) => void;
	/** Ask for a plan with other text. Returns why there is none; null when there is. */
	revise: (request: ConsentRequest, path: string, hunk: number, text: string) => Promise<string | null>;
	/** Take something where others changed the same. Returns why it was not taken; null when it was. */
	resolve: (request: ConsentRequest, choice: PlaceChoice) => Promise<string | null>;
}

export class ConsentModal extends Modal {
	private readonly guard: Guard;
	private readonly comments = new Comments();
	private answers: Answers | null = null;
	private selection: Selection | null = null;
	private timeEl: HTMLElement | null = null;
	private patienceEl: HTMLElement | null = null;
	private placeEl: HTMLElement | null = null;
	private statusEl: HTMLElement | null = null;
	private bodyEl: HTMLElement | null = null;
	private closeEditor: (() => void) | null = null;
	/** What ends with what is drawn, and what ends with the window. */
	private drawn: (() => void)[] = [];
	private readonly ends: (() => void)[] = [];
	private cancelTick: (() => void) | null = null;
	private settled = false;
	private trouble: string | null = null;
	private patience: string | null = null;
	private place = { others: 0, group: 1 };

	constructor(
		private readonly context: Context,
		private shown: ConsentRequest,
		private readonly events: ConsentEvents,
	) {
		super(context.app);
		this.guard = new Guard(context.clock, () => this.answers?.refresh());
	}

	get request(): ConsentRequest {
		return this.shown;
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-consent");
		this.titleEl.addClass("vault-bridge-tool");
		this.draw();
		this.ends.push(this.guard.watch(this.containerEl, this.modalEl), trapFocus(this.modalEl), this.watchTab());
		this.tick();
		this.focusStart();
		// Once more when the modal's own opening is over, which gives the focus to the first control.
		this.ends.push(this.context.clock.after(0, () => { this.focusStart(); }));
	}

	/** Escape and the close button: with a field open they close the field, else they put the question off. */
	override close(): void {
		if (this.closeEditor && !this.settled) this.closeEditor();
		else super.close();
	}

	override onClose(): void {
		this.cancelTick?.();
		for (const end of [...this.drawn, ...this.ends]) end();
		this.contentEl.empty();
		if (!this.settled) this.events.later();
	}

	/** Close without an answer of ours: it was answered elsewhere, or is set aside. */
	dismiss(): void {
		this.settled = true;
		this.close();
	}

	/** The question is about something else now. What the person read stays where it was, and nothing counts for a moment. */
	update(request: ConsentRequest): void {
		const { scrollTop } = this.bodyEl ?? { scrollTop: 0 };
		const feedback = this.answers?.feedback ?? null;
		this.shown = request;
		this.draw();
		if (this.answers) this.answers.feedback = feedback;
		if (this.bodyEl) this.drawn.push(scrollTo(this.bodyEl, scrollTop));
		this.guard.restart();
		this.focusStart();
	}

	get isTouched(): boolean {
		return this.guard.isTouched;
	}

	/** The question's call has a ticket. It is the same question, with more time. */
	wait(request: ConsentRequest): void {
		this.shown = request;
		this.drawTime();
	}

	/** How many other questions wait, and how many the one who asks this one has. */
	setOthers(others: number, group: number): void {
		this.place = { others, group };
		this.placeEl?.setText(others > 0 ? `1 of ${others + 1}` : "");
		this.answers?.setGroup(group);
	}

	/** Say why no answer can be given now; null when one can. */
	setTrouble(sentence: string | null): void {
		this.trouble = sentence;
		this.statusEl?.setText(sentence ?? "");
		this.statusEl?.toggle(sentence !== null);
		this.answers?.setBlocked(sentence !== null);
		if (sentence === null) this.guard.rearm();
	}

	/** A decision is on its way; it ends with `dismiss` or `setTrouble`. */
	setSending(): void {
		this.answers?.setBlocked(true);
	}

	private draw(): void {
		for (const end of this.drawn.splice(0)) end();
		this.closeEditor = null;
		this.titleEl.empty();
		this.contentEl.empty();
		const { request } = this;
		const summaryId = `vault-bridge-summary-${request.requestId}`;
		this.modalEl.setAttrs({ role: "alertdialog", "aria-modal": "true", "aria-labelledby": summaryId });
		drawTool(this.titleEl, request);
		this.drawBar();
		this.statusEl = this.contentEl.createDiv({ cls: "vault-bridge-note is-warning", attr: { role: "status" } });
		this.drawBody(request, summaryId);
		this.drawTime();
		this.drawAnswers(request);
		this.drawFooter(request);
		this.setTrouble(this.trouble);
	}

	private drawBody(request: ConsentRequest, summaryId: string): void {
		const frame = this.contentEl.createDiv({ cls: "vault-bridge-frame" });
		const body = frame.createDiv({ cls: "vault-bridge-body", attr: { tabindex: "0", role: "region", "aria-labelledby": summaryId } });
		const content = body.createDiv({ cls: "vault-bridge-content" });
		drawSummary(content.createDiv({ cls: "vault-bridge-head" }), request, summaryId);
		this.patience = null;
		this.patienceEl = content.createDiv({ cls: "vault-bridge-faint", attr: { role: "status" } });
		drawBackground(content.createDiv({ cls: "vault-bridge-background" }), request);
		this.selection = this.context.choices.of(request);
		if (this.selection) this.drawn.push(this.selection.changed.on(() => { this.showSelection(); }));
		const revising = request.editable && {
			revise: async (path: string, hunk: number, text: string) => this.events.revise(request, path, hunk, text),
			editing: (close: (() => void) | null) => { this.closeEditor = close; },
		};
		this.drawn.push(drawEffect(content, request, { choice: this.selection, revising: revising || null, comments: request.draft === null ? null : this.comments }, async (choice) => this.events.resolve(request, choice)), drawMoreBelow(frame, body, content));
		this.bodyEl = body;
	}

	private drawBar(): void {
		const bar = this.titleEl.createDiv({ cls: "vault-bridge-bar" });
		this.placeEl = bar.createSpan({ cls: "vault-bridge-place" });
		this.timeEl = bar.createSpan({ cls: "vault-bridge-time", attr: { role: "timer" } });
	}

	private drawAnswers(request: ConsentRequest): void {
		const area = this.contentEl.createDiv({ cls: "vault-bridge-answer-area" });
		this.answers = new Answers(area, request, this.guard, {
			decide: (given, sendBack) => {
				const hunks = allows(given.decision) ? (this.selection?.toWire() ?? null) : null;
				this.events.decide({ ...given, hunks, comments: sendBack ? this.comments.all : [], sendBack: sendBack && hunks !== null });
			},
			later: () => { super.close(); },
			together: this.events.together,
		});
		this.setOthers(this.place.others, this.place.group);
		this.showSelection();
	}

	private drawFooter(request: ConsentRequest): void {
		const footer = this.contentEl.createDiv({ cls: "vault-bridge-footer" });
		const link = (text: string, then: () => void): void => void addButton(footer, text, () => { this.events.leave(then); }, "vault-bridge-link");
		const note = noteOf(request);
		if (note !== null && this.app.vault.getFileByPath(note)) link("Open the note beside", () => void this.app.workspace.openLinkText(note, "", "split"));
		link("View audit log", this.context.open.log);
		link("Tool settings", this.context.open.settings);
	}

	/** What is read has the focus at first, so that keys scroll it and answer nothing. From there Tab goes to the answers. */
	private focusStart(): void {
		this.bodyEl?.focus({ preventScroll: true });
	}

	private watchTab(): () => void {
		const toAnswers = (event: KeyboardEvent): void => {
			if (event.key !== "Tab" || event.shiftKey || !this.bodyEl?.isActiveElement() || !this.answers?.deny) return;
			event.preventDefault();
			event.stopPropagation();
			this.answers.deny.focus({ preventScroll: true });
		};
		this.modalEl.addEventListener("keydown", toAnswers, { capture: true });
		return () => { this.modalEl.removeEventListener("keydown", toAnswers, { capture: true }); };
	}

	private tick(): void {
		const { urgency } = this.drawTime();
		if (urgency === "over") this.answers?.setBlocked(true);
		else
			this.cancelTick = this.context.clock.after(500, () => {
				this.tick();
			});
	}

	private drawTime(): ReturnType<typeof countdown> {
		const { waiting, expiresAt } = this.request;
		const left = countdown(expiresAt, this.context.clock.now());
		const text = waiting ? `Until ${untilWords(expiresAt, this.context.clock.now())}` : `${left.text} left`;
		this.timeEl?.setText(left.urgency === "over" ? "Time is up" : text);
		this.drawPatience(patienceOf(this.request, this.context.clock.now()));
		this.timeEl?.toggleClass("is-soon", left.urgency !== "calm");
		return left;
	}

	private drawPatience(sentence: string | null): void {
		if (!this.patienceEl || this.patience === sentence) return;
		this.patience = sentence;
		this.patienceEl.empty();
		if (sentence !== null) showText(this.patienceEl, sentence);
	}

	private showSelection(): void {
		if (!this.selection) return;
		const { wanted, total } = this.selection;
		this.answers?.setChosen(wanted, total);
		this.guard.rearm();
	}
}

/** Scroll to where the person was. What is drawn in slices may not reach down to there yet, so it goes on until it does. */
function scrollTo(scroller: HTMLElement, top: number): () => void {
	const observer = new ResizeObserver(() => {
		scroller.scrollTop = top;
		if (scroller.scrollTop >= top - 1) observer.disconnect();
	});
	const stop = (): void => { observer.disconnect(); };
	for (const type of ["wheel", "pointerdown", "keydown"]) scroller.addEventListener(type, stop, { passive: true });
	scroller.scrollTop = top;
	if (scroller.scrollTop < top - 1 && scroller.firstElementChild) observer.observe(scroller.firstElementChild);
	return stop;
}
