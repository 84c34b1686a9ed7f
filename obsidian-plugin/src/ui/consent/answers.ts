/** The answers that a question offers: the message to the agent and the buttons. */

import type { Extent } from "../../core/consent/extent";
import { DECISION_LABELS } from "../../core/consent/wording";
import { allows, type ConsentRequest } from "../../core/wire/consent";
import { Decision } from "../../core/wire/contract";
import { ExtentChoice } from "./extentChoice";

export interface AnswerEvents {
	decide: (decision: Decision, feedback: string | null, extent: Extent) => void;
	/** The person has chosen where or for whom an answer for longer holds. */
	chosen: () => void;
	/** Whether a yes counts already. */
	armed: () => boolean;
	/** Deny this question and those that wait behind it. */
	denyAll: () => void;
}

/** From left to right: what lasts longest is farthest from the hand, and a yes is never beside where Enter lands first. */
const ORDER: readonly Decision[] = ["deny_always", "deny_session", "deny_once", "allow_always", "allow_session", "allow_once"];
const MOST_FEEDBACK = 10_000;

export class Answers {
	private readonly buttons = new Map<Decision, HTMLButtonElement>();
	private readonly message: HTMLTextAreaElement;
	private readonly rest: HTMLButtonElement;
	private readonly extent: ExtentChoice;
	private blocked = false;
	private nothing = false;

	constructor(
		container: HTMLElement,
		request: ConsentRequest,
		private readonly events: AnswerEvents,
	) {
		const offered = ORDER.filter((decision) => request.choices.includes(decision));
		this.message = container.createEl("textarea", {
			cls: "vault-bridge-message",
			placeholder: "Message to the agent, sent when you deny",
			attr: { rows: "1", maxlength: String(MOST_FEEDBACK), "aria-label": "Message to the agent, sent when you deny" },
		});
		const choice = container.createDiv();
		const bar = container.createDiv({ cls: "modal-button-container vault-bridge-answers" });
		this.rest = bar.createEl("button", { cls: "vault-bridge-deny-rest", type: "button" });
		this.rest.addEventListener("click", () => {
			if (!this.blocked) events.denyAll();
		});
		for (const decision of offered) this.buttons.set(decision, this.drawButton(bar, decision));
		const note = container.createDiv({ cls: "vault-bridge-scope" });
		this.extent = new ExtentChoice(choice, note, request, offered, events.chosen);
		drawLimits(note, offered);
		this.setWaiting(0);
		this.refresh();
	}

	/** Where the focus starts: the safest answer. */
	get deny(): HTMLButtonElement | null {
		return this.buttons.get("deny_once") ?? [...this.buttons].find(([decision]) => !allows(decision))?.[1] ?? null;
	}

	/** What the person wrote to the agent. */
	get feedback(): string | null {
		return this.message.value.trim() || null;
	}

	/** No answer can be given now: there is no connection, or one is on its way. */
	setBlocked(blocked: boolean): void {
		this.blocked = blocked;
		this.refresh();
	}

	setWaiting(others: number): void {
		this.rest.toggle(others > 0);
		this.rest.setText(`Deny all ${others + 1}`);
		this.rest.setAttr("aria-label", `Deny this question and the ${others} that wait behind it`);
	}

	/** Say how much of the change a yes is for. */
	setChosen(wanted: number, total: number): void {
		this.nothing = wanted === 0;
		const label = wanted === total ? DECISION_LABELS.allow_once : `Allow ${wanted} of ${total}`;
		this.buttons.get("allow_once")?.setText(label);
		this.refresh();
	}

	/** Show whether a yes counts. Not `disabled`, which would take a focused button's place from under the hand. */
	refresh(): void {
		const ready = this.canAllow;
		for (const [decision, button] of this.buttons) {
			button.setAttr("aria-disabled", this.blocked || (allows(decision) && !ready));
			if (decision === "allow_once") button.toggleClass("mod-cta", ready);
		}
	}

	private get canAllow(): boolean {
		return this.events.armed() && !this.blocked && !this.nothing;
	}

	private drawButton(bar: HTMLElement, decision: Decision): HTMLButtonElement {
		const button = bar.createEl("button", { cls: `vault-bridge-answer is-${decision}`, text: DECISION_LABELS[decision], type: "button" });
		button.addEventListener("click", () => {
			if (this.blocked || (allows(decision) && !this.canAllow)) return;
			this.events.decide(decision, allows(decision) ? null : this.feedback, this.extent.of(decision));
		});
		// Enter is what hands type without looking. It may deny; it never allows. Space and the mouse do both, and a key
		// that was meant for the note one was writing does neither.
		button.addEventListener("keydown", (event) => {
			const activates = event.key === "Enter" || event.key === " ";
			const early = event.repeat || !this.events.armed();
			if (activates && (early || (event.key === "Enter" && allows(decision)))) event.preventDefault();
		});
		return button;
	}
}

/** What is not offered, and what no key does. */
function drawLimits(note: HTMLElement, offered: readonly Decision[]): void {
	if (!offered.includes("allow_always")) note.appendText("Always allow is not offered for this. ");
	if (Decision.some((decision) => allows(decision) && offered.includes(decision))) note.appendText("Enter never allows.");
}
