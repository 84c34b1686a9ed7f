/** The settings screen of a connected vault: a page for each of the bridge's sections. */

import type { SettingDefinition, SettingDefinitionItem, SettingDefinitionPage } from "obsidian";
import type { Field } from "../../core/settings/schema";
import { sanitizePlain } from "../../core/text";
import type { SettingsSection } from "../../core/wire/contract";
import { addAction, showOutcome } from "../controls";
import { confirm } from "../window";
import { extraRows, groupsAfter, groupsBefore, rowsAbove } from "./extras";
import { fieldRow } from "./fields";
import { filtered, type Form } from "./form";
import { CHOSEN } from "./searchServices";
import { rateGroup, toolGroups } from "./tools";

/** Settings that have controls of their own. */
const ELSEWHERE = new Set(["enabledTools", CHOSEN]);

export function sectionPages(form: Form): SettingDefinitionPage[] {
	const { fields, sections } = form.settings.schema;
	return sections.flatMap((section) => {
		const own = fields.filter((field) => field.section === section.id);
		return own.length > 0 ? [page(form, section, own)] : [];
	});
}

/** Every setting in one list, found by its title and by what people call it. */
export function allSettings(form: Form): SettingDefinitionPage {
	const rows = form.settings.schema.fields.flatMap((field) => rowsOf(form, [field]));
	return { type: "page", name: "Find a setting", desc: "All settings in one list, with a search.", items: [filtered(rows)] };
}

function page(form: Form, section: SettingsSection, fields: readonly Field[]): SettingDefinitionPage {
	const limits = fields.filter((field) => field.key === "rateLimits");
	const rare = rowsOf(form, fields.filter((field) => field.rare));
	const more: SettingDefinitionPage = { type: "page", name: "More settings", desc: "What few people change.", items: [filtered(rare)] };
	const items: SettingDefinitionItem[] = [
		...(fields.some((field) => field.key === "enabledTools") ? toolGroups(form) : []),
		...groupsBefore(form, section.id),
		{ type: "group", items: [...rowsOf(form, fields.filter((field) => !field.rare)), ...extraRows(form, section.id)] },
		...groupsAfter(form, section.id),
		...limits.map((field) => rateGroup(form, field)),
		{ type: "group", items: [...(rare.length > 0 ? [more] : []), resetRow(form, section)] },
	];
	return { type: "page", name: sanitizePlain(section.title), desc: sanitizePlain(section.description), items };
}

function rowsOf(form: Form, fields: readonly Field[]): SettingDefinition[] {
	return fields.flatMap((field): SettingDefinition[] => {
		const row = fieldRow(form, field);
		return row && !ELSEWHERE.has(field.key) ? [...rowsAbove(form, field.key), row] : [];
	});
}

function resetRow(form: Form, section: SettingsSection): SettingDefinition {
	return {
		name: "Reset to defaults",
		desc: "Everything on this page, and on those behind it.",
		render: (setting) => {
			addAction(setting, "Reset", async () => {
				const sure = await confirm(form.app, { title: "Reset this page?", text: `Everything under “${sanitizePlain(section.title)}” goes back to its default.`, action: "Reset" });
				if (!sure) return;
				const outcome = await form.store.reset(section.id);
				if (outcome.ok) await form.reload();
				else showOutcome(setting, outcome);
			});
		},
	};
}
