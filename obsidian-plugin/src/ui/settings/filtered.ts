/** A group of settings with a field that finds one by any of its words. */

import type { SettingDefinition, SettingDefinitionGroup } from "obsidian";

export function filtered(items: SettingDefinition[], heading = ""): SettingDefinitionGroup {
	return { type: "group", ...(heading !== "" && { heading }), items, search: { placeholder: "Find", match: isFound } };
}

/** Whether every word of the query is in the title, the text or the other names of a setting. */
export function isFound({ name, desc, aliases }: SettingDefinition, query: string): boolean {
	const text = [name, typeof desc === "string" ? desc : "", ...(aliases ?? [])].join(" ").toLowerCase();
	return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
