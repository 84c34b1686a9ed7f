/** The settings screen of a connected vault: a page for each of the bridge's sections. */

import type { SettingDefinition, SettingDefinitionItem, SettingDefinitionPage } from "obsidian";
import { labelOf, SECTION_DESCRIPTIONS, SECTION_LABELS } from "../../core/settings/labels";
import { SECTIONS, type Field, type TableField } from "../../core/settings/schema";
import { confirm } from "../confirmModal";
import { extraRows } from "./extras";
import { fieldRow } from "./fields";
import type { Form } from "./form";
import { showOutcome } from "./problem";
import { tableGroup, toolGroups } from "./tools";

export function sectionPages(form: Form): SettingDefinitionPage[] {
	const { fields } = form.settings.schema;
	const others = fields.map((field) => field.section).filter((section) => !(SECTIONS as readonly string[]).includes(section));
	return [...SECTIONS, ...new Set(others)].flatMap((section) => {
		const own = fields.filter((field) => field.section === section);
		return own.length > 0 ? [page(form, section, own)] : [];
	});
}

function page(form: Form, section: string, fields: readonly Field[]): SettingDefinitionPage {
	const rows = fields.flatMap((field): SettingDefinition[] => {
		const row = fieldRow(form, field);
		return row && field.key !== "enabledTools" ? [row] : [];
	});
	const tables = fields.filter((field): field is TableField => field.kind === "table");
	const items: SettingDefinitionItem[] = [
		...(fields.some((field) => field.key === "enabledTools") ? toolGroups(form) : []),
		{ type: "group", items: [...rows, ...extraRows(form, section)] },
		...tables.map((field) => tableGroup(form, field)),
		{ type: "group", items: [resetRow(form, section)] },
	];
	return { type: "page", name: sectionLabel(section), desc: SECTION_DESCRIPTIONS[section] ?? "", items };
}

function resetRow(form: Form, section: string): SettingDefinition {
	return {
		name: "Reset to defaults",
		desc: "Only what is on this page.",
		render: (setting) => {
			setting.addButton((button) =>
				button.setButtonText("Reset").onClick(async () => {
					const sure = await confirm(form.app, { title: "Reset this page?", text: `Everything under “${sectionLabel(section)}” goes back to its default.`, action: "Reset" });
					if (!sure) return;
					const outcome = await form.store.reset(section);
					if (outcome.ok) await form.reload();
					else showOutcome(setting, outcome);
				}),
			);
		},
	};
}

function sectionLabel(section: string): string {
	return SECTION_LABELS[section] ?? labelOf(section);
}
