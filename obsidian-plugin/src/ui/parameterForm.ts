/** The fields of some parameters in a window. */

import { Setting } from "obsidian";
import type { JsonObject } from "../core/json";
import { formValues, type FormField } from "../core/parameters";
import { sanitizePlain } from "../core/text";
import { addChoice, addSwitch, showOutcome } from "./controls";
import { showText } from "./elements";

const HINTS: Readonly<Partial<Record<FormField["kind"], string>>> = { json: "JSON", lines: "One a line" };

/** Draw the fields. Returns what reads their values; null where some are not said as they must be, which it shows. */
export function drawParameterForm(el: HTMLElement, fields: readonly FormField[]): () => JsonObject | null {
	const said = new Map(fields.map(({ name, first }) => [name, first]));
	const rows = fields.map((field) => [field.name, drawField(el, field, (text) => { said.set(field.name, text); })] as const);
	return () => {
		const { values, faults } = formValues(fields, said);
		for (const [name, setting] of rows) {
			const message = faults.get(name);
			showOutcome(setting, message === undefined ? { ok: true, warnings: [] } : { ok: false, message });
		}
		return faults.size > 0 ? null : values;
	};
}

function drawField(el: HTMLElement, { label, title, description, kind, choices, silent, first }: FormField, keep: (text: string) => void): Setting {
	const setting = new Setting(el);
	showText(setting.nameEl, title);
	showText(setting.descEl, description);
	if (kind === "switch") addSwitch(setting, label, first === "true", (on) => { keep(String(on)); });
	else if (kind === "choice") addChoice(setting, label, [...(silent ? [["", "Not said"] as const] : []), ...choices.map(({ name }, place) => [String(place), name] as const)], first, keep);
	else drawInput(setting, kind, label, first, keep);
	return setting;
}

function drawInput({ controlEl }: Setting, kind: FormField["kind"], label: string, first: string, keep: (text: string) => void): void {
	const attr = { "aria-label": sanitizePlain(label), spellcheck: "false", placeholder: HINTS[kind] ?? "" };
	const isLong = kind === "json" || kind === "lines";
	const input = isLong
		? controlEl.createEl("textarea", { attr: { ...attr, rows: "3" } })
		: controlEl.createEl("input", { attr: { ...attr, type: kind === "date" ? "date" : "text", inputmode: kind === "number" ? "decimal" : "text" } });
	if (kind === "json") input.addClass("vault-bridge-code");
	input.value = first;
	input.addEventListener("input", () => { keep(input.value); });
}
