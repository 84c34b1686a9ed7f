/** The row of answers: deny or allow once; everything else is behind a button. */

import { allows } from "../../core/consent/options";
import { denialHolds, ONCE } from "../../core/consent/wording";
import { sanitizePlain } from "../../core/text";
import type { AnswerOption, ConsentRequest, Decision } from "../../core/wire/contract";
import type { Guard } from "./guard";
import { RememberPanel } from "./rememberPanel";

export interface Given {
	decision: Decision;
	/** Which of the answers for longer; null: for once. */
	option: AnswerOption | null;
	feedback: string | null;
	byKey: boolean;
}

export interface AnswerEvents {
	/** With `sendBack`, what is not taken of a draft goes back to its client. */
	decide: (given: Given, sendBack: boolean) => void;
	later: () => void;
	/** Answer all that this client asks in one list. */
	together: () => void;
}

/** Characters of it that the bridge gives the agent. */
const MOST_FEEDBACK = 2_000;

export class Answers {
	private readonly buttons = new Map<Decision, HTMLButtonElement>();
	private readonly message: HTMLTextAreaElement;
	private readonly group: HTMLButtonElement;
	private back: HTMLButtonElement | null = null;
	private readonly panel: RememberPanel;
	private readonly options: readonly AnswerOption[];
	private blocked = false;
	private nothing = false;
	private partial = false;

	constructor(
		container: HTMLElement,
		request: ConsentRequest,
		private readonly guard: Guard,
		private readonly events: AnswerEvents,
	) {
		this.options = request.options;
		this.panel = new RememberPanel(container, request.options.filter((one) => request.choices.includes(one.decision)), guard, {
			ready: ({ decision }) => !this.blocked && (!allows(decision) || (guard.armed && !this.partial)),
			choose: (option) => { this.give(option.decision, option, false); },
		});
		this.message = container.createEl("textarea", {
			cls: "vault-bridge-message",
			placeholder: "Message to the agent, sent with your answer",
			attr: { rows: "1", maxlength: String(MOST_FEEDBACK), "aria-label": "Message to the agent, sent with your answer" },
		});
		const bar = container.createDiv({ cls: "modal-button-container vault-bridge-answers" });
		const rest = bar.createDiv({ cls: "vault-bridge-answers-rest" });
		this.drawButton(rest, "Later").addEventListener("click", events.later);
		if (!this.panel.isEmpty) this.drawRemember(rest);
		this.group = this.drawButton(rest, "");
		this.group.addEventListener("click", events.together);
		if (request.draft !== null) {
			this.back = this.drawButton(bar, "");
			this.guard.press(this.back, "allow", () => { this.give(this.takesPart ? "allow_once" : "deny_once", null, false, true); });
		}
		for (const decision of ["deny_once", "allow_once"] as const) {
			if (request.choices.includes(decision)) this.drawOnce(bar, decision);
		}
		this.setGroup(1);
		this.refresh();
	}

	get deny(): HTMLButtonElement | null {
		return this.buttons.get("deny_once") ?? null;
	}

	private onceSentence(decision: Decision): string | null {
		return this.options.find((one) => one.decision === decision)?.sentence ?? null;
	}

	get feedback(): string | null {
		return this.message.value.trim() || null;
	}

	set feedback(text: string | null) {
		this.message.value = text ?? "";
	}

	/** No answer can be given now: there is no connection, or one is on its way. */
	setBlocked(blocked: boolean): void {
		this.blocked = blocked;
		this.refresh();
	}

	setGroup(count: number): void {
		this.group.toggle(count > 1);
		this.group.setText(`Answer ${count} together`);
	}

	/** Say how much of the change a yes is for. A part of it can be allowed once, and not for longer. */
	setChosen(wanted: number, total: number): void {
		this.nothing = wanted === 0;
		this.partial = wanted < total;
		this.buttons.get("allow_once")?.setText(this.partial ? `Allow ${wanted} of ${total}` : ONCE.allow_once);
		this.refresh();
	}

	/** Show whether a yes counts. Not `disabled`, which would take a focused button's place from under the hand. */
	refresh(): void {
		const ready = this.canAllow;
		for (const [decision, button] of this.buttons) button.setAttr("aria-disabled", this.blocked || (allows(decision) && !ready));
		this.buttons.get("allow_once")?.toggleClass("mod-cta", ready);
		this.back?.setText(this.takesPart ? "Allow these, send the rest back" : "Send back");
		this.panel.refresh();
	}

	private get takesPart(): boolean {
		return this.partial && !this.nothing;
	}

	private get canAllow(): boolean {
		return this.guard.armed && !this.blocked && !this.nothing;
	}

	private drawButton(bar: HTMLElement, text: string): HTMLButtonElement {
		return bar.createEl("button", { text, type: "button" });
	}

	private drawRemember(bar: HTMLElement): void {
		const button = this.drawButton(bar, "Remember…");
		button.setAttr("aria-expanded", "false");
		button.addEventListener("click", () => {
			const open = button.getAttr("aria-expanded") !== "true";
			button.setAttr("aria-expanded", open);
			this.panel.toggle(open);
			this.guard.rearm();
		});
	}

	private drawOnce(bar: HTMLElement, decision: keyof typeof ONCE): void {
		const button = bar.createEl("button", { cls: `vault-bridge-answer is-${decision}`, text: allows(decision) ? ONCE[decision] : `${ONCE[decision]}${denialHolds(this.options)}`, type: "button" });
		const sentence = this.onceSentence(decision);
		if (sentence !== null) button.title = sanitizePlain(sentence);
		this.guard.press(button, allows(decision) ? "allow" : "deny", (byKey) => { this.give(decision, null, byKey); });
		this.buttons.set(decision, button);
	}

	private give(decision: Decision, option: AnswerOption | null, byKey: boolean, sendBack = false): void {
		if (this.blocked || (allows(decision) && !this.canAllow)) return;
		this.events.decide({ decision, option, feedback: this.feedback, byKey }, sendBack);
	}
}
