/** One control for one setting, by its kind. What a value may be, the bridge says. */

import type { Setting, SettingDefinition } from "obsidian";
import { choiceLabel, plain, unitOf } from "../../core/settings/labels";
import type { ChoiceField, Field, NumberField } from "../../core/settings/schema";
import { listOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import { confirm } from "../confirmModal";
import { valueOf, type Form } from "./form";
import { about, showOutcome } from "./problem";
import { drawStrings } from "./strings";
import { replaceTyped } from "./typed";

const NULL = "";

/** The row of a setting; null for what has no control of its own here. */
export function fieldRow(form: Form, field: Field): SettingDefinition | null {
	const draw = painter(form, field);
	if (!draw) return null;
	return { name: sanitizePlain(field.title), desc: sanitizePlain(plain(field.description)), aliases: [field.key, ...field.also], render: draw };
}

function painter(form: Form, field: Field): ((setting: Setting) => void) | null {
	const save = async (setting: Setting, value: unknown): Promise<boolean> => {
		const outcome = await form.store.update({ [field.key]: value });
		showOutcome(setting, about(outcome, field.key));
		return outcome.ok;
	};
	switch (field.kind) {
		case "toggle":
			return (setting) => { drawToggle(form, field, setting, save); };
		case "number":
			return (setting) => { drawNumber(form, field, setting, save); };
		case "choice":
			return (setting) => { drawChoice(form, field, setting, save); };
		case "text":
			return (setting) => {
				setting.addText((text) => {
					const value = valueOf(form, field.key);
					text.setValue(typeof value === "string" ? value : "");
					text.inputEl.addEventListener("change", () => void save(setting, text.getValue().trim()));
				});
			};
		case "strings":
			return (setting) => {
				drawStrings(setting, { values: () => listOf(valueOf(form, field.key)), save: async (values) => save(setting, values) });
			};
		default:
			return null;
	}
}

type Save = (setting: Setting, value: unknown) => Promise<boolean>;

function drawToggle(form: Form, field: Field, setting: Setting, save: Save): void {
	setting.addToggle((toggle) => {
		let current = valueOf(form, field.key) === true;
		toggle.setValue(current).onChange((wanted) => {
			if (wanted === current) return;
			void (async () => {
				const sure = !wanted || field.risk === null || (await confirm(form.app, riskQuestion(field, field.risk)));
				if (sure && (await save(setting, wanted))) current = wanted;
				else toggle.setValue(current);
			})();
		});
	});
}

function riskQuestion({ title }: Field, risk: string): { title: string; text: string; action: string } {
	const text = `${risk.charAt(0).toUpperCase()}${risk.slice(1).replace(/\.$/, "")}. You can turn this off again at any time.`;
	return { title: `${sanitizePlain(title)}?`, text, action: "Turn on" };
}

function drawNumber(form: Form, field: NumberField, setting: Setting, save: Save): void {
	const unit = unitOf(field);
	setting.addText((text) => {
		const shown = (): string => {
			const value = valueOf(form, field.key);
			return typeof value === "number" ? String(Math.round((value / unit.factor) * 100) / 100) : "";
		};
		text.inputEl.type = "number";
		text.inputEl.addClass("vault-bridge-number-input");
		text.inputEl.setAttrs({ step: unit.factor > 1 ? "any" : "1", "aria-label": field.title });
		if (field.nullable) text.setPlaceholder(field.none);
		text.setValue(shown());
		text.inputEl.addEventListener("change", () => {
			const typed = text.getValue();
			const value = typed.trim() === "" && field.nullable ? null : Math.round(Number(typed) * unit.factor);
			void save(setting, value).then((saved) => {
				if (saved) replaceTyped(text, typed, shown());
			});
		});
	});
	if (unit.name) setting.controlEl.createSpan({ cls: "vault-bridge-unit", text: unit.name });
}

function drawChoice(form: Form, field: ChoiceField, setting: Setting, save: Save): void {
	setting.addDropdown((dropdown) => {
		if (field.nullable) dropdown.addOption(NULL, field.none);
		for (const option of field.options) dropdown.addOption(String(option), choiceLabel(field.unit, option));
		const shown = (): string => {
			const value = valueOf(form, field.key);
			return typeof value === "string" || typeof value === "number" ? String(value) : NULL;
		};
		dropdown.setValue(shown()).onChange((chosen) => {
			const value = chosen === NULL ? null : (field.options.find((option) => String(option) === chosen) ?? null);
			void save(setting, value).then((saved) => {
				if (!saved) dropdown.setValue(shown());
			});
		});
	});
}
