/** Several questions of one client in one list, each with its diff, answered together. */

import { Modal, type App } from "obsidian";
import type { Clock } from "../../core/clock";
import { patienceOf } from "../../core/consent/countdown";
import { denialHolds } from "../../core/consent/wording";
import { isDestructive } from "../../core/diff/totals";
import type { ConsentRequest } from "../../core/wire/contract";
import { drawChevron } from "../diff/filePreview";
import { addButton, riskBadge, showLongText, showText, whenOpened } from "../elements";
import { drawEffect } from "./effect";
import { Guard, trapFocus } from "./guard";
import { drawMoreBelow } from "./moreBelow";

export interface GroupEvents {
	/** @param byKey - Whether a key, and not the pointer, said it. */
	decide: (decision: "allow_once" | "deny_once", requests: readonly ConsentRequest[], byKey: boolean) => void;
	/** The list was left without an answer to those that are still in it. */
	later: () => void;
	/** Show one question alone, with all its answers. */
	single: (request: ConsentRequest) => void;
}

interface Row {
	request: ConsentRequest;
	el: HTMLElement;
	box: HTMLInputElement;
	end: () => void;
}

const FIRST = 300;

export class GroupModal extends Modal {
	private readonly guard: Guard;
	private readonly rows = new Map<string, Row>();
	private readonly ends: (() => void)[] = [];
	private listEl: HTMLElement | null = null;
	private bodyEl: HTMLElement | null = null;
	private moreEl: HTMLButtonElement | null = null;
	private denyEl: HTMLButtonElement | null = null;
	private allowEl: HTMLButtonElement | null = null;
	private waiting: ConsentRequest[] = [];
	private blocked = false;
	private settled = false;

	constructor(
		app: App,
		private readonly asker: string,
		private readonly first: readonly ConsentRequest[],
		private readonly clock: Clock,
		private readonly events: GroupEvents,
	) {
		super(app);
		this.guard = new Guard(clock, () => { this.refresh(); });
	}

	override onOpen(): void {
		this.modalEl.addClasses(["vault-bridge-consent", "vault-bridge-group"]);
		this.modalEl.setAttrs({ role: "alertdialog", "aria-modal": "true", "aria-label": "Questions to answer together" });
		const frame = this.contentEl.createDiv({ cls: "vault-bridge-frame" });
		const body = frame.createDiv({ cls: "vault-bridge-body", attr: { tabindex: "0", role: "region", "aria-label": "Questions" } });
		const content = body.createDiv();
		const head = content.createDiv({ cls: "vault-bridge-head" });
		showText(head.createDiv({ cls: "vault-bridge-who" }).createEl("strong"), this.asker);
		head.createDiv({ cls: "vault-bridge-summary", text: `${this.first.length} questions to answer together` });
		this.listEl = content.createDiv({ cls: "vault-bridge-files" });
		for (const request of this.first) this.drawRow(request);
		this.moreEl = addButton(content, "", () => { this.takeWaiting(); }, "vault-bridge-group-more");
		this.moreEl.hide();
		this.bodyEl = body;
		this.drawAnswers();
		this.ends.push(drawMoreBelow(frame, body, content), this.guard.watch(this.containerEl, this.modalEl), trapFocus(this.modalEl));
		this.guard.restart();
		body.focus({ preventScroll: true });
		this.ends.push(this.clock.after(0, () => { body.focus({ preventScroll: true }); }));
	}

	override onClose(): void {
		for (const end of [...this.ends, ...[...this.rows.values()].map((row) => row.end)]) end();
		this.contentEl.empty();
		if (!this.settled) this.events.later();
	}

	dismiss(): void {
		this.settled = true;
		this.close();
	}

	get isEmpty(): boolean {
		return this.rows.size === 0;
	}

	/** A question came meanwhile. It is not put into what the person is about to answer. */
	offer(request: ConsentRequest): void {
		if (this.rows.has(request.requestId) || this.waiting.some((one) => one.requestId === request.requestId)) return;
		this.waiting.push(request);
		this.showWaiting();
	}

	/** A question is not open any more, or is denied and waits to be sent. */
	remove(requestId: string): void {
		this.waiting = this.waiting.filter((one) => one.requestId !== requestId);
		this.showWaiting();
		const row = this.rows.get(requestId);
		if (!row) return;
		row.end();
		row.el.remove();
		this.rows.delete(requestId);
		this.guard.rearm();
	}

	/** A question is about something else now: it is drawn anew, and nobody has chosen it. */
	update(request: ConsentRequest): void {
		const row = this.rows.get(request.requestId);
		if (!row) return;
		row.end();
		const place = row.el.nextSibling;
		row.el.remove();
		this.drawRow(request);
		const drawn = this.rows.get(request.requestId);
		if (!drawn) return;
		drawn.box.checked = false;
		this.listEl?.insertBefore(drawn.el, place);
		this.guard.rearm();
	}

	setBlocked(blocked: boolean): void {
		this.blocked = blocked;
		this.guard.rearm();
	}

	private drawRow(request: ConsentRequest): void {
		if (!this.listEl) return;
		const el = this.listEl.createDiv({ cls: "vault-bridge-group-row" });
		const box = el.createEl("input", { type: "checkbox", attr: { "aria-label": `Include: ${request.summary.slice(0, FIRST)}` } });
		box.checked = true;
		box.addEventListener("change", () => { this.guard.rearm(); });
		const details = el.createEl("details", { cls: "vault-bridge-file" });
		const summary = details.createEl("summary");
		drawChevron(summary);
		showLongText(summary.createSpan({ cls: "vault-bridge-file-name" }), request.summary, FIRST);
		riskBadge(summary, request.riskLevel);
		const patience = patienceOf(request, this.clock.now());
		if (patience !== null) showText(summary.createSpan({ cls: "vault-bridge-faint" }), patience);
		const body = details.createDiv({ cls: "vault-bridge-group-body" });
		let end: () => void = () => undefined;
		details.open = request.preview?.files.some(isDestructive) ?? false;
		whenOpened(details, () => {
			if (request.reason) showLongText(body.createDiv({ cls: "vault-bridge-reason vault-bridge-quote" }), request.reason, FIRST);
			end = drawEffect(body, request, null);
			addButton(body, "Answer this one alone", () => { this.events.single(request); }, "vault-bridge-link");
		});
		this.rows.set(request.requestId, { request, el, box, end: () => { end(); } });
	}

	private drawAnswers(): void {
		const area = this.contentEl.createDiv({ cls: "vault-bridge-answer-area" });
		const bar = area.createDiv({ cls: "modal-button-container vault-bridge-answers" });
		const rest = bar.createDiv({ cls: "vault-bridge-answers-rest" });
		addButton(rest, "Later", () => { this.close(); });
		addButton(rest, "All or none", () => {
			const none = [...this.rows.values()].every((row) => row.box.checked);
			for (const row of this.rows.values()) row.box.checked = !none;
			this.guard.rearm();
		});
		this.denyEl = bar.createEl("button", { cls: "vault-bridge-answer is-deny_once", type: "button" });
		this.allowEl = bar.createEl("button", { cls: "vault-bridge-answer is-allow_once", type: "button" });
		this.guard.press(this.denyEl, "deny", (byKey) => { this.decide("deny_once", byKey); });
		this.guard.press(this.allowEl, "allow", (byKey) => { if (this.guard.armed) this.decide("allow_once", byKey); });
		this.refresh();
	}

	private chosen(decision: "allow_once" | "deny_once"): ConsentRequest[] {
		return [...this.rows.values()].filter((row) => row.box.checked && row.request.choices.includes(decision)).map((row) => row.request);
	}

	private decide(decision: "allow_once" | "deny_once", byKey: boolean): void {
		const requests = this.chosen(decision);
		if (!this.blocked && requests.length > 0) this.events.decide(decision, requests, byKey);
	}

	private refresh(): void {
		const denied = this.chosen("deny_once");
		const [deny, allow] = [denied.length, this.chosen("allow_once").length];
		const holds = new Set(denied.map(({ options }) => denialHolds(options)));
		this.denyEl?.setText(`Deny ${deny}${holds.size === 1 ? [...holds].join("") : ""}`);
		this.allowEl?.setText(`Allow ${allow} once`);
		this.denyEl?.setAttr("aria-disabled", this.blocked || deny === 0);
		const ready = !this.blocked && allow > 0 && this.guard.armed;
		this.allowEl?.setAttr("aria-disabled", !ready);
		this.allowEl?.toggleClass("mod-cta", ready);
	}

	private showWaiting(): void {
		const count = this.waiting.length;
		this.moreEl?.toggle(count > 0);
		this.moreEl?.setText(count === 1 ? "1 more question has come. Show it." : `${count} more questions have come. Show them.`);
	}

	private takeWaiting(): void {
		for (const request of this.waiting.splice(0)) this.drawRow(request);
		this.showWaiting();
		this.bodyEl?.focus({ preventScroll: true });
		this.guard.rearm();
	}
}
