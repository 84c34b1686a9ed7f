/** One control for one setting, by its kind. What a value may be, the bridge says. */

import { ExtraButtonComponent, TextComponent, type Setting, type SettingDefinition } from "obsidian";
import { choiceLabel, plain, unitOf } from "../../core/settings/labels";
import type { Field } from "../../core/settings/schema";
import { listOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import { about, addChoice, replaceTyped, showOutcome } from "../controls";
import { addButton, showText } from "../elements";
import { confirm } from "../window";
import { valueOf, type Form } from "./form";

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

function drawNumber(form: Form, field: Field, setting: Setting, save: Save): void {
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

function drawChoice(form: Form, field: Field, setting: Setting, save: Save): void {
	const shown = (): string => {
		const value = valueOf(form, field.key);
		return typeof value === "string" || typeof value === "number" ? String(value) : NULL;
	};
	const none = field.nullable ? [[NULL, field.none] as const] : [];
	addChoice(setting, field.title, [...none, ...field.options.map((option) => [String(option), choiceLabel(field.unit, option)] as const)], shown(), (chosen, dropdown) => {
		const value = chosen === NULL ? null : (field.options.find((option) => String(option) === chosen) ?? null);
		void save(setting, value).then((saved) => {
			if (!saved) dropdown.setValue(shown());
		});
	});
}

export interface StringList {
	values: () => string[];
	save: (values: string[]) => Promise<boolean>;
}

function drawStrings(setting: Setting, list: StringList): void {
	setting.settingEl.addClass("vault-bridge-strings");
	const items = setting.controlEl.createDiv({ cls: "vault-bridge-strings-list" });
	const redraw = (): void => {
		items.empty();
		for (const value of list.values()) drawItem(items, value, () => void change(list.values().filter((one) => one !== value)));
	};
	const change = async (values: string[]): Promise<boolean> => {
		const saved = await list.save(values);
		if (saved) redraw();
		return saved;
	};
	const row = setting.controlEl.createDiv({ cls: "vault-bridge-strings-add" });
	const text = new TextComponent(row).setPlaceholder("Add one");
	text.inputEl.setAttr("aria-label", "Value to add");
	const add = async (): Promise<void> => {
		const typed = text.getValue();
		const value = typed.trim();
		if (value === "" || list.values().includes(value)) return;
		if (await change([...list.values(), value])) replaceTyped(text, typed, "");
	};
	addButton(row, "Add", () => void add());
	text.inputEl.addEventListener("keydown", (event) => {
		if (event.key === "Enter") void add();
	});
	redraw();
}

function drawItem(items: HTMLElement, value: string, remove: () => void): void {
	const item = items.createDiv({ cls: "vault-bridge-strings-item" });
	showText(item.createSpan(), value);
	new ExtraButtonComponent(item).setIcon("x").setTooltip("Remove").onClick(remove);
}
