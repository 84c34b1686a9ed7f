/** What the settings screen works with. */

import type { App } from "obsidian";
import type { Settings, SettingsStore } from "../../core/settings/store";
import type { Request } from "../../core/wire/request";

export interface Form {
	app: App;
	store: SettingsStore;
	settings: Settings;
	request: Request;
	/** Load again what the bridge says, and draw it. */
	reload: () => Promise<void>;
	openLog: () => void;
}

/** The value of a setting as it is now. */
export function valueOf(form: Form, key: string): unknown {
	return (form.store.current ?? form.settings).values[key];
}
