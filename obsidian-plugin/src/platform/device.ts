/** What the plugin keeps on this device alone. A synced vault must not be able to name a program to start here. */

import type { App } from "obsidian";
import { boolean, isObject, optional, record, string } from "../core/json";

export interface DeviceSettings {
	/** Whether to start the bridge when Obsidian opens this vault. */
	startBridge: boolean;
	/** The program to start. */
	command: string;
	/** Whether the first-run view was shown. */
	welcomed: boolean;
}

const KEY = "vault-bridge";
const read = record<DeviceSettings>({
	startBridge: optional(boolean, false),
	command: optional(string, "vault-bridge"),
	welcomed: optional(boolean, false),
});

export class Device {
	constructor(private readonly app: App) {}

	get settings(): DeviceSettings {
		const kept: unknown = this.app.loadLocalStorage(KEY);
		return read(isObject(kept) ? kept : {}, KEY);
	}

	change(part: Partial<DeviceSettings>): void {
		this.app.saveLocalStorage(KEY, { ...this.settings, ...part });
	}
}
