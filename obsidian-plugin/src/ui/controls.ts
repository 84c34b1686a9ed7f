/** Controls of a row, each with a name for those who hear it, and what the bridge says of a value beside it. */

import type { ButtonComponent, DropdownComponent, Setting, SettingDefinitionItem, TextComponent } from "obsidian";
import type { Outcome } from "../core/settings/store";
import { sanitizePlain } from "../core/text";
import { showText } from "./elements";

/** @param name - What it is called for those who hear it: else what it says, and of what row. */
export function addAction(setting: Setting, text: string, act: (button: ButtonComponent) => unknown, look: "" | "mod-cta" | "mod-warning" = "", name = `${text}: ${setting.nameEl.getText()}`): void {
	setting.addButton((button) => {
		button.setButtonText(text).onClick(() => void act(button));
		if (look !== "") button.buttonEl.addClass(look);
		button.buttonEl.setAttr("aria-label", sanitizePlain(name));
	});
}

/** What a button does that is not pressed again as long as it goes on. */
export function busy(act: () => Promise<void>): (button: ButtonComponent) => Promise<void> {
	return async (button) => {
		button.setDisabled(true);
		await act();
		button.setDisabled(false);
	};
}

export function addSwitch(setting: Setting, name: string, on: boolean, change: (wanted: boolean) => void): void {
	setting.addToggle((toggle) => {
		for (const input of toggle.toggleEl.findAll("input")) input.setAttr("aria-label", sanitizePlain(name));
		toggle.setValue(on).onChange(change);
	});
}

/** @param options - The values and what they are called. */
export function addChoice(setting: Setting, name: string, options: readonly (readonly [value: string, label: string])[], chosen: string, change: (value: string, dropdown: DropdownComponent) => void): void {
	setting.addDropdown((dropdown) => {
		dropdown.selectEl.setAttr("aria-label", sanitizePlain(name));
		for (const [value, label] of options) dropdown.addOption(value, sanitizePlain(label));
		dropdown.setValue(chosen).onChange((value) => { change(value, dropdown); });
	});
}

export function showOutcome(setting: Setting, outcome: Outcome): void {
	setting.infoEl.findAll(".vault-bridge-problem").forEach((old) => {
		old.remove();
	});
	const messages = outcome.ok ? outcome.warnings : [outcome.message];
	for (const message of messages) {
		const el = setting.infoEl.createDiv({ cls: `vault-bridge-problem ${outcome.ok ? "is-warning" : "is-error"}`, attr: { role: "alert" } });
		showText(el, message);
	}
	setting.settingEl.toggleClass("is-invalid", !outcome.ok);
}

/** What is well, in the same place. */
export function showGood(setting: Setting, message: string): void {
	showOutcome(setting, { ok: true, warnings: [] });
	showText(setting.infoEl.createDiv({ cls: "vault-bridge-problem is-good", attr: { role: "status" } }), message);
}

/** The warnings that are about one setting: the bridge begins each with the setting's name. */
export function about(outcome: Outcome, ...names: string[]): Outcome {
	if (!outcome.ok) return outcome;
	return { ok: true, warnings: outcome.warnings.filter((one) => names.some((name) => one.startsWith(`${name}:`) || one.startsWith(`${name} `))) };
}

/** Show what the bridge made of what was typed, unless somebody has typed on since: their words stay. */
export function replaceTyped(input: TextComponent, typed: string, value: string): void {
	if (input.getValue() === typed) input.setValue(value);
}

const CONTROLS = "input, select, textarea";

/** Name the controls of one row that have no name yet. */
function nameControls({ nameEl, controlEl }: Setting): void {
	for (const control of controlEl.findAll(CONTROLS)) {
		if (control.getAttr("aria-label") === null) control.setAttr("aria-label", nameEl.getText());
	}
}

/** The same definitions, whose controls have names. */
export function withNamedControls<T extends SettingDefinitionItem>(definition: T): T {
	if ("items" in definition) {
		return { ...definition, items: definition.items.map((item) => withNamedControls(item)) };
	}
	if (!("render" in definition)) return definition;
	const { render } = definition;
	return {
		...definition,
		render: (...[setting, group]: Parameters<typeof render>) => {
			const end = render(setting, group);
			nameControls(setting);
			return end;
		},
	};
}
