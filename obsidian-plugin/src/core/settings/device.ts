/** What the plugin keeps on this device alone. A synced vault must not be able to name a program to start here. */

import { Emitter } from "../emitter";
import { boolean, isObject, optional, record, string } from "../json";

export interface DeviceSettings {
	/** Whether to start the bridge when Obsidian opens this vault. */
	startBridge: boolean;
	/** The whole path of the program to start; null where the usual places are searched. */
	program: string | null;
	/** Whether the person has said that this program may be started. */
	confirmed: boolean;
	/** Whether a question was answered in this window once. */
	answered: boolean;
	welcomed: boolean;
	/** Whether the system says that a question waits while no window of the app has the focus. */
	notify: boolean;
	/** Whether a question about a note that is open is shown in it. */
	inNote: boolean;
	/** Up to when the person has seen what was refused for want of an answer; empty: never looked. */
	logSeen: string;
}

const readSettings = record<DeviceSettings>({
	startBridge: optional(boolean, false),
	program: optional(string, null),
	confirmed: optional(boolean, false),
	answered: optional(boolean, false),
	welcomed: optional(boolean, false),
	notify: optional(boolean, true),
	inNote: optional(boolean, true),
	logSeen: optional(string, ""),
});

const KEY = "vault-bridge";

export class Device {
	readonly changed = new Emitter<null>();

	/** @param storage - What the app keeps on this device for the vault. */
	constructor(private readonly storage: { loadLocalStorage: (key: string) => unknown; saveLocalStorage: (key: string, kept: object) => void }) {}

	get settings(): DeviceSettings {
		const kept = this.storage.loadLocalStorage(KEY);
		return readSettings(isObject(kept) ? kept : {}, KEY);
	}

	change(part: Partial<DeviceSettings>): void {
		this.storage.saveLocalStorage(KEY, { ...this.settings, ...part });
		this.changed.emit(null);
	}
}
