/** What the features share. `main.ts` builds it once. */

import type { App, Plugin } from "obsidian";
import type { Clock } from "../core/clock";
import type { Questions } from "../core/consent/questions";
import type { Connection } from "../core/rpc/connection";
import type { SettingsStore } from "../core/settings/store";
import type { Device } from "../platform/device";
import type { Request } from "../core/wire/request";

export interface Context {
	plugin: Plugin;
	app: App;
	clock: Clock;
	connection: Connection;
	questions: Questions;
	settings: SettingsStore;
	device: Pick<Device, "settings" | "change" | "changed">;
	/** Ask the bridge; rejects while there is none. */
	request: Request;
}
