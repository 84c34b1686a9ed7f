/** Which tools agents see, and when each asks: a preset in one step, or tool by tool. */

import type { SettingDefinition, SettingDefinitionItem } from "obsidian";
import { isObject, type JsonObject } from "../../core/json";
import { choiceLabel, labelOf } from "../../core/settings/labels";
import type { TableField } from "../../core/settings/schema";
import { absentTools, knownTools, listOf, type Outcome } from "../../core/settings/store";
import type { ToolInfo } from "../../core/wire/session";
import { sanitizePlain } from "../../core/text/sanitize";
import { valueOf, type Form } from "./form";
import { about, showOutcome } from "./problem";

const DEFAULT = "";
const CUSTOM = "";

export function toolGroups(form: Form): SettingDefinitionItem[] {
	return [
		{ type: "group", items: [presetRow(form)] },
		{ type: "group", heading: "Enabled tools", items: [...knownTools(form.settings).map((tool) => enabledRow(form, tool)), ...absentRow(form)] },
	];
}

/** A group of one control for each tool, for `consentMode` and `rateLimits`. */
export function tableGroup(form: Form, field: TableField): SettingDefinitionItem {
	return {
		type: "group",
		heading: sanitizePlain(field.title),
		items: knownTools(form.settings).map((tool) => (field.options.length > 0 ? modeRow(form, field, tool) : rateRow(form, field, tool))),
	};
}

export function presetNameOf(form: Form): string | null {
	const enabled = listOf(valueOf(form, "enabledTools"));
	const same = (tools: string[]): boolean => tools.length === enabled.length && tools.every((tool) => enabled.includes(tool));
	return Object.entries(form.settings.schema.presets).find(([, tools]) => same(tools))?.[0] ?? null;
}

function presetRow(form: Form): SettingDefinition {
	return {
		name: "Preset",
		desc: "A set of tools in one step.",
		render: (setting) => {
			setting.addDropdown((dropdown) => {
				dropdown.addOption(CUSTOM, "Custom");
				for (const name of Object.keys(form.settings.schema.presets)) dropdown.addOption(name, labelOf(name));
				dropdown.setValue(presetNameOf(form) ?? CUSTOM).onChange((name) => {
					const tools = form.settings.schema.presets[name];
					if (tools) void form.store.update({ enabledTools: tools }).then((outcome) => { showOutcome(setting, outcome); return form.reload(); });
				});
			});
		},
	};
}

function enabledRow(form: Form, tool: ToolInfo): SettingDefinition {
	return {
		name: sanitizePlain(tool.title),
		desc: sanitizePlain(firstSentence(tool.description)),
		aliases: [tool.name],
		render: (setting) => {
			const enabled = (): string[] => listOf(valueOf(form, "enabledTools"));
			const isOn = (): boolean => enabled().includes(tool.name) || enabled().includes("*");
			setting.addToggle((toggle) =>
				toggle.setValue(isOn()).onChange((wanted) => {
					if (wanted === isOn()) return;
					// `*` means all: to take one away, the others are named.
					const all = enabled().includes("*") ? knownTools(form.settings).map((one) => one.name) : enabled();
					const enabledTools = wanted ? [...all, tool.name] : all.filter((name) => name !== tool.name);
					void form.store.update({ enabledTools }).then((outcome) => {
						showOutcome(setting, about(outcome, "enabledTools"));
						if (!outcome.ok) toggle.setValue(isOn());
					});
				}),
			);
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

function modeRow(form: Form, field: TableField, tool: ToolInfo): SettingDefinition {
	return {
		name: sanitizePlain(tool.title),
		aliases: [tool.name, "consent"],
		render: (setting) => {
			setting.addDropdown((dropdown) => {
				const shown = (): string => text(tableOf(form, field)[tool.name]) ?? tool.consentMode ?? DEFAULT;
				if (shown() === DEFAULT) dropdown.addOption(DEFAULT, "Default");
				for (const option of field.options) {
					if (isPossible(option, tool) || option === shown()) dropdown.addOption(option, choiceLabel(field, option));
				}
				dropdown.setValue(shown()).onChange((mode) => {
					if (mode === DEFAULT) return;
					void saveEntry(form, field, tool.name, mode).then((outcome) => {
						showOutcome(setting, about(outcome, field.key, tool.name));
						if (!outcome.ok) dropdown.setValue(shown());
					});
				});
			});
		},
	};
}

/** Which modes a tool's consent class leaves, as the bridge says it (`docs/protocol.md`, "Asking"). */
function isPossible(mode: string, tool: ToolInfo): boolean {
	if (mode === "always_allow") return tool.consentClass === null || tool.consentClass === "always";
	if (mode === "session_allow") return tool.consentClass !== "never";
	return true;
}

function rateRow(form: Form, field: TableField, tool: ToolInfo): SettingDefinition {
	return {
		name: sanitizePlain(tool.title),
		aliases: [tool.name, "limit"],
		render: (setting) => {
			setting.addText((input) => {
				const shown = (): string => {
					const value = tableOf(form, field)[tool.name];
					return typeof value === "number" ? String(value) : "";
				};
				input.inputEl.type = "number";
				input.inputEl.addClass("vault-bridge-number-input");
				input.inputEl.setAttr("aria-label", `${tool.title}, calls a minute`);
				input.setPlaceholder("Default").setValue(shown());
				input.inputEl.addEventListener("change", () => {
					const typed = input.getValue().trim();
					if (typed === "") {
						input.setValue(shown());
						return;
					}
					void saveEntry(form, field, tool.name, Number(typed)).then((outcome) => {
						showOutcome(setting, about(outcome, field.key, tool.name));
					});
				});
			});
			setting.controlEl.createSpan({ cls: "vault-bridge-unit", text: "a minute" });
		},
	};
}

async function saveEntry(form: Form, field: TableField, name: string, value: unknown): Promise<Outcome> {
	return form.store.update({ [field.key]: { [name]: value } });
}

function text(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}

function tableOf(form: Form, field: TableField): JsonObject {
	const value = valueOf(form, field.key);
	return isObject(value) ? value : {};
}

function firstSentence(text: string): string {
	return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
