/** What the settings screen works with. */

import type { App } from "obsidian";
import type { JsonObject } from "../../core/json";
import type { Settings, SettingsStore } from "../../core/settings/store";

export interface Form {
	app: App;
	store: SettingsStore;
	settings: Settings;
	request: (method: string, params?: JsonObject) => Promise<unknown>;
	/** Load again what the bridge says, and draw it. */
	reload: () => Promise<void>;
	openLog: () => void;
}

/** The value of a setting as it is now. */
export function valueOf(form: Form, key: string): unknown {
	return (form.store.current ?? form.settings).values[key];
}
