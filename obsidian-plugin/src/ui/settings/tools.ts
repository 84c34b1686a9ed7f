/** What agents can do: a preset in one step, or tool by tool with one choice each. */

import { ExtraButtonComponent, type SettingDefinition, type SettingDefinitionItem, type SettingDefinitionPage } from "obsidian";
import { isObject, type JsonObject } from "../../core/json";
import { labelOf, MODE_LABELS } from "../../core/settings/labels";
import type { Field } from "../../core/settings/schema";
import { absentTools, listOf, type Outcome } from "../../core/settings/store";
import { choiceOf, choicesOf, choosing, grouped, OFF, presetOf, presetText, type ToolChoice } from "../../core/settings/tools";
import { sanitizePlain } from "../../core/text";
import type { ToolSetting } from "../../core/wire/contract";
import { about, addChoice, replaceTyped, showOutcome } from "../controls";
import { filtered, valueOf, type Form } from "./form";

const CUSTOM = "";
/** Words of a row's text, so that one can run over the rows. */
const MOST_WORDS = 20;

export function toolGroups(form: Form): SettingDefinitionItem[] {
	const { tools } = form.settings.schema;
	const rows = grouped(tools).flatMap(([heading, own]) => own.map((tool) => toolRow(form, tool, heading)));
	const absent = absentRow(form);
	const changed = Object.keys(tableOf(form, "consentMode")).filter((name) => tools.some((tool) => tool.name === name)).length;
	const each: SettingDefinitionPage = {
		type: "page",
		name: "Each tool",
		desc: changed === 0 ? "Which tools are on, and when each asks." : `Which tools are on, and when each asks. You have set ${changed}.`,
		items: [filtered(rows), ...(absent.length > 0 ? [{ type: "group", items: absent } as const] : [])],
	};
	return [{ type: "group", items: [presetRow(form), each] }];
}

function presetRow(form: Form): SettingDefinition {
	const { presets } = form.settings.schema;
	const chosen = (): string => presetOf(presets, enabledIn(form)) ?? CUSTOM;
	return {
		name: "Preset",
		desc: sanitizePlain(presetText(chosen(), enabledIn(form))),
		render: (setting) => {
			addChoice(setting, "Preset", [[CUSTOM, "Custom"], ...Object.keys(presets).map((name) => [name, labelOf(name)] as const)], chosen(), (name) => {
				const tools = presets[name];
				if (tools) void form.store.update({ enabledTools: tools }, true).then((outcome) => { showOutcome(setting, outcome); });
			});
		},
	};
}

function toolRow(form: Form, tool: ToolSetting, heading: string): SettingDefinition {
	return {
		name: sanitizePlain(tool.title),
		desc: sanitizePlain(short(tool.description)),
		aliases: [tool.name, sanitizePlain(heading), "consent"],
		render: (setting) => {
			const shown = (): ToolChoice => choiceOf(tool, enabledIn(form), tableOf(form, "consentMode"));
			const choices = choicesOf(tool);
			addChoice(setting, tool.title, choices.map((choice) => [choice, choice === OFF ? "Off" : MODE_LABELS[choice]]), shown(), (value, dropdown) => {
				const choice = choices.find((one) => one === value);
				if (choice === undefined) return;
				const known = form.settings.schema.tools.map((one) => one.name);
				void form.store.update(choosing(choice, tool.name, enabledIn(form), known)).then((outcome) => {
					showOutcome(setting, about(outcome, "enabledTools", "consentMode", tool.name));
					if (!outcome.ok) dropdown.setValue(shown());
				});
			});
		},
	};
}

/** Presets are made for later versions too: what they name and this bridge does not have has nothing to switch. */
function absentRow(form: Form): SettingDefinition[] {
	const absent = absentTools(form.settings);
	if (absent.length === 0) return [];
	return [
		{
			name: "Not in this version",
			desc: sanitizePlain(absent.join(", ")),
			searchable: false,
			render: (setting) => { setting.settingEl.addClass("vault-bridge-absent"); },
		},
	];
}

/** The tools with a limit of their own, and a choice of those that can be given one. */
export function rateGroup(form: Form, field: Field): SettingDefinitionItem {
	const own = tableOf(form, field.key);
	const { tools } = form.settings.schema;
	const limited = tools.filter((tool) => own[tool.name] !== undefined);
	return {
		type: "group",
		heading: sanitizePlain(field.title),
		items: [...limited.map((tool) => rateRow(form, field, tool)), addRateRow(form, field, tools.filter((tool) => !limited.includes(tool)))],
	};
}

function rateRow(form: Form, field: Field, tool: ToolSetting): SettingDefinition {
	return {
		name: sanitizePlain(tool.title),
		aliases: [tool.name, "limit"],
		render: (setting) => {
			const shown = (): string => {
				const value = tableOf(form, field.key)[tool.name];
				return typeof value === "number" ? String(value) : "";
			};
			setting.addText((input) => {
				input.inputEl.type = "number";
				input.inputEl.addClass("vault-bridge-number-input");
				input.inputEl.setAttr("aria-label", sanitizePlain(`${tool.title}, ${field.unit}`));
				input.setValue(shown());
				input.inputEl.addEventListener("change", () => {
					const typed = input.getValue();
					void saveEntry(form, field, tool.name, Number(typed)).then((outcome) => {
						showOutcome(setting, about(outcome, field.key, tool.name));
						if (!outcome.ok) replaceTyped(input, typed, shown());
					});
				});
			});
			setting.controlEl.createSpan({ cls: "vault-bridge-unit", text: field.unit });
			new ExtraButtonComponent(setting.controlEl).setIcon("x").setTooltip(`Back to its default, ${tool.defaultRate}`).onClick(() => {
				void saveEntry(form, field, tool.name, null, true).then((outcome) => { showOutcome(setting, outcome); });
			});
		},
	};
}

function addRateRow(form: Form, field: Field, tools: readonly ToolSetting[]): SettingDefinition {
	return {
		name: "Limit another tool",
		desc: sanitizePlain(field.description),
		render: (setting) => {
			addChoice(setting, "Limit another tool", [[CUSTOM, "Choose a tool"], ...tools.map(({ name, title, defaultRate }) => [name, `${title} (${defaultRate})`] as const)], CUSTOM, (name) => {
				const tool = tools.find((one) => one.name === name);
				if (tool) void saveEntry(form, field, name, tool.defaultRate, true).then((outcome) => { showOutcome(setting, outcome); });
			});
		},
	};
}

/** With `redraw` the page is drawn anew, because it has a row more or less. */
async function saveEntry(form: Form, field: Field, name: string, value: unknown, redraw = false): Promise<Outcome> {
	return form.store.update({ [field.key]: { [name]: value } }, redraw);
}

function enabledIn(form: Form): string[] {
	return listOf(valueOf(form, "enabledTools"));
}

function tableOf(form: Form, key: string): JsonObject {
	const value = valueOf(form, key);
	return isObject(value) ? value : {};
}

/** The first sentence of a description that is written for models, or its first words. */
function short(text: string): string {
	const words = (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).split(/\s+/);
	return words.length < MOST_WORDS ? words.join(" ") : `${words.slice(0, MOST_WORDS - 1).join(" ").replace(/[,;:]$/, "")}…`;
}
