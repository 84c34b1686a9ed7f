/** What the settings screen works with. */

import type { App, SettingDefinition, SettingDefinitionGroup } from "obsidian";
import type { Settings, SettingsStore } from "../../core/settings/store";
import type { Request } from "../../core/wire/reading";

export interface Form {
	app: App;
	store: SettingsStore;
	settings: Settings;
	request: Request;
	/** Load again what the bridge says, and draw it. */
	reload: () => Promise<void>;
	openLog: () => void;
}

export function valueOf(form: Form, key: string): unknown {
	return (form.store.current ?? form.settings).values[key];
}

export function filtered(items: SettingDefinition[], heading = ""): SettingDefinitionGroup {
	return { type: "group", ...(heading !== "" && { heading }), items, search: { placeholder: "Find", match: isFound } };
}

/** Whether every word of the query is in the title, the text or the other names of a setting. */
function isFound({ name, desc, aliases }: SettingDefinition, query: string): boolean {
	const text = [name, typeof desc === "string" ? desc : "", ...(aliases ?? [])].join(" ").toLowerCase();
	return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
