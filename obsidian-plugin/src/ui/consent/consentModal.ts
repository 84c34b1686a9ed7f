/** One question, whole and true, and the answers that are offered. It never answers by itself. */

import { Modal, type App } from "obsidian";
import type { Clock } from "../../core/clock";
import { Arming } from "../../core/consent/arming";
import { countdown } from "../../core/consent/countdown";
import type { Extent } from "../../core/consent/extent";
import { parseDiff } from "../../core/diff/parse";
import { HunkSelection, type Hunks } from "../../core/diff/selection";
import type { ConsentRequest } from "../../core/wire/consent";
import type { Decision } from "../../core/wire/contract";
import { trapFocus } from "../focusTrap";
import { Answers } from "./answers";
import { drawEffect } from "./effect";
import { drawIntroduction, drawTitle } from "./header";

export interface Answer {
	decision: Decision;
	feedback: string | null;
	hunks: Hunks | null;
	extent: Extent;
}

export interface ConsentEvents {
	decide: (answer: Answer) => void;
	denyAll: () => void;
	/** The person wants to look at something else first; the question stays open. */
	showLog: () => void;
	showSettings: () => void;
}

const POINTING = ["mousedown", "click"] as const;

export class ConsentModal extends Modal {
	private readonly arming: Arming;
	private answers: Answers | null = null;
	private selection: HunkSelection | null = null;
	private timeEl: HTMLElement | null = null;
	private placeEl: HTMLElement | null = null;
	private statusEl: HTMLElement | null = null;
	private readonly ends: (() => void)[] = [];
	private cancelTick: (() => void) | null = null;
	private opened = false;
	private settled = false;
	private others = 0;

	constructor(
		app: App,
		readonly request: ConsentRequest,
		private readonly clock: Clock,
		private readonly events: ConsentEvents,
	) {
		super(app);
		this.arming = new Arming(clock);
	}

	get isOpen(): boolean {
		return this.opened;
	}

	override onOpen(): void {
		this.opened = true;
		const { request } = this;
		const summaryId = `vault-bridge-summary-${request.requestId}`;
		this.modalEl.addClass("vault-bridge-consent");
		this.modalEl.setAttrs({ role: "alertdialog", "aria-modal": "true", "aria-labelledby": `${summaryId}-title`, "aria-describedby": summaryId });
		this.titleEl.setAttr("id", `${summaryId}-title`);
		drawTitle(this.titleEl, request);
		this.drawBar();
		this.statusEl = this.contentEl.createDiv({ cls: "vault-bridge-note is-warning", attr: { role: "status" } });
		this.statusEl.hide();
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		drawIntroduction(body, request, summaryId);
		this.selection = selectionFor(request);
		const offer = this.selection && { selection: this.selection, changed: () => { this.showSelection(); } };
		this.ends.push(drawEffect(body, request, offer));
		this.drawAnswers();
		this.drawFooter();
		this.guardInput();
		this.tick();
		this.focusDeny();
		// Once more when the modal's own opening is over, in case that moves the focus.
		this.ends.push(this.clock.after(0, () => { this.focusDeny(); }));
	}

	override onClose(): void {
		this.opened = false;
		this.cancelTick?.();
		for (const end of this.ends) end();
		this.contentEl.empty();
		// Escape and the close button: closing a question is refusing it, once.
		if (!this.settled) this.decide("deny_once");
	}

	/** Close without an answer of ours: it was answered elsewhere, or is set aside. */
	dismiss(): void {
		this.settled = true;
		this.close();
	}

	setOthers(others: number): void {
		this.others = others;
		this.placeEl?.setText(others > 0 ? `1 of ${others + 1}` : "");
		this.answers?.setWaiting(others);
	}

	/** Say why no answer can be given now; null when one can. */
	setTrouble(sentence: string | null): void {
		this.statusEl?.setText(sentence ?? "");
		this.statusEl?.toggle(sentence !== null);
		this.settled = false;
		this.answers?.setBlocked(sentence !== null);
		if (sentence === null) this.rearm();
	}

	/** A decision is on its way; it ends with `dismiss` or `setTrouble`. */
	setSending(): void {
		this.answers?.setBlocked(true);
	}

	private decide(decision: Decision): void {
		this.settled = true;
		const offered = this.request.choices.includes(decision) ? decision : this.request.choices.find((one) => one.startsWith("deny"));
		if (offered) this.events.decide({ decision: offered, feedback: this.answers?.feedback ?? null, hunks: null, extent: { reach: null, everyone: null } });
	}

	private focusDeny(): void {
		this.answers?.deny?.focus({ preventScroll: true });
	}

	private drawBar(): void {
		const bar = this.titleEl.createDiv({ cls: "vault-bridge-bar" });
		this.placeEl = bar.createSpan({ cls: "vault-bridge-place" });
		this.timeEl = bar.createSpan({ cls: "vault-bridge-time", attr: { role: "timer" } });
	}

	private drawAnswers(): void {
		const area = this.contentEl.createDiv({ cls: "vault-bridge-answer-area" });
		this.answers = new Answers(area, this.request, {
			armed: () => this.arming.armed,
			chosen: () => { this.rearm(); },
			decide: (decision, feedback, extent) => {
				this.settled = true;
				this.events.decide({ decision, feedback, hunks: decision.startsWith("allow") ? (this.selection?.toWire() ?? null) : null, extent });
			},
			denyAll: () => {
				this.settled = true;
				this.events.denyAll();
			},
		});
		this.setOthers(this.others);
		this.rearm();
	}

	private drawFooter(): void {
		const footer = this.contentEl.createDiv({ cls: "vault-bridge-footer" });
		const link = (text: string, action: () => void): void => {
			footer.createEl("button", { cls: "vault-bridge-link", text, type: "button" }).addEventListener("click", action);
		};
		link("View audit log", this.events.showLog);
		link("Tool settings", this.events.showSettings);
	}

	/** A click beside the modal is no answer, and a click that brings the window to the front is not meant for a button. */
	private guardInput(): void {
		const ignoreOutside = (event: MouseEvent): void => {
			if (event.targetNode && this.modalEl.contains(event.targetNode)) return;
			event.preventDefault();
			event.stopImmediatePropagation();
		};
		for (const type of POINTING) this.containerEl.addEventListener(type, ignoreOutside, { capture: true });
		const { win } = this.modalEl;
		const rearm = (): void => {
			this.rearm();
		};
		win.addEventListener("focus", rearm);
		this.ends.push(trapFocus(this.modalEl), () => {
			win.removeEventListener("focus", rearm);
			for (const type of POINTING) this.containerEl.removeEventListener(type, ignoreOutside, { capture: true });
		});
	}

	private rearm(): void {
		this.arming.restart();
		this.answers?.refresh();
		this.ends.push(
			this.arming.whenArmed(() => {
				this.answers?.refresh();
			}),
		);
	}

	private tick(): void {
		const { text, urgency } = countdown(this.request.expiresAt, this.clock.now());
		this.timeEl?.setText(urgency === "over" ? "Time is up" : `${text} left`);
		this.timeEl?.toggleClass("is-soon", urgency !== "calm");
		if (urgency === "over") this.answers?.setBlocked(true);
		else
			this.cancelTick = this.clock.after(500, () => {
				this.tick();
			});
	}

	private showSelection(): void {
		if (!this.selection) return;
		const { wanted, total } = this.selection;
		this.answers?.setChosen(wanted, total);
		this.rearm();
	}
}

/** Hunks can be left out only where the bridge says that it makes a new plan of the rest. */
function selectionFor(request: ConsentRequest): HunkSelection | null {
	if (!request.hunksSupported || !request.preview) return null;
	const modified = request.preview.files.filter((file) => file.change === "modify" && !file.truncated);
	return new HunkSelection(new Map(modified.map((file) => [file.path, parseDiff(file.diff).length])));
}
