/** The answers for longer: each with its button and, beside it, what it holds for in the bridge's words. */

import { allows, forLonger, isFarReaching } from "../../core/consent/options";
import type { AnswerOption } from "../../core/wire/contract";
import { showText } from "../elements";
import type { Guard } from "./guard";

export interface RememberEvents {
	choose: (option: AnswerOption) => void;
	ready: (option: AnswerOption) => boolean;
}

export class RememberPanel {
	readonly el: HTMLElement;
	private readonly buttons: [HTMLButtonElement, AnswerOption][] = [];

	constructor(
		container: HTMLElement,
		options: readonly AnswerOption[],
		private readonly guard: Guard,
		private readonly events: RememberEvents,
	) {
		this.el = container.createDiv({ cls: "vault-bridge-remember", attr: { role: "group", "aria-label": "Answers for longer", tabindex: "-1" } });
		const { allow, refuse } = forLonger(options);
		this.drawGroup("Allow for longer", allow);
		this.drawGroup("Refuse for longer", refuse);
		this.el.createDiv({ cls: "vault-bridge-remember-keys", text: "From the keyboard: Ctrl+Enter, on a Mac Cmd+Enter. All of this can be taken back." });
		this.el.hide();
		this.refresh();
	}

	get isEmpty(): boolean {
		return this.buttons.length === 0;
	}

	/** The focus goes to the panel, and to none of its answers. */
	toggle(open: boolean): void {
		this.el.toggle(open);
		if (open) this.el.focus({ preventScroll: true });
	}

	refresh(): void {
		for (const [button, option] of this.buttons) button.setAttr("aria-disabled", !this.events.ready(option));
	}

	private drawGroup(title: string, options: readonly AnswerOption[]): void {
		if (options.length === 0) return;
		this.el.createDiv({ cls: "vault-bridge-remember-title", text: title });
		for (const option of options) this.drawOption(option);
	}

	private drawOption(option: AnswerOption): void {
		const row = this.el.createDiv({ cls: `vault-bridge-option is-${option.decision}` });
		row.toggleClass("is-suggested", option.suggested);
		const button = row.createEl("button", { cls: "vault-bridge-answer", type: "button" });
		button.toggleClass("mod-warning", isFarReaching(option));
		showText(button.createSpan(), option.label);
		const sentence = row.createSpan({ cls: "vault-bridge-option-sentence", attr: { id: `vault-bridge-option-${crypto.randomUUID()}` } });
		showText(sentence, option.sentence);
		if (option.suggested) sentence.createSpan({ cls: "vault-bridge-badge", text: "Suggested" });
		button.setAttr("aria-describedby", sentence.id);
		this.guard.press(button, "remember", () => {
			if (this.events.ready(option) && (!allows(option.decision) || this.guard.armed)) this.events.choose(option);
		});
		this.buttons.push([button, option]);
	}
}
