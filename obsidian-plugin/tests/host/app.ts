/** The app of the page: one vault, one workspace, one settings window. */

import type { Command } from "./component";
import { Keymap } from "./keymap";
import { MetadataCache } from "./metadata";
import { SettingsWindow } from "./settingsWindow";
import { FileManager, FileSystemAdapter, Vault, type HostDisk } from "./vault";
import { Workspace } from "./workspace";

/** The commands by their ids, run as the palette and the hotkeys run them. */
class Commands extends Map<string, Command> {
	executeCommandById(id: string): boolean {
		const command = this.get(id);
		if (command?.checkCallback) return command.checkCallback(true) && command.checkCallback(false);
		command?.callback?.();
		return command !== undefined;
	}
}

export class App {
	readonly commands = new Commands();
	readonly keymap = new Keymap();
	readonly ribbonEl: HTMLElement;
	readonly statusBarEl: HTMLElement;
	readonly workspace: Workspace;
	readonly setting: SettingsWindow;
	readonly vault: Vault;
	readonly fileManager: FileManager;
	readonly metadataCache: MetadataCache;

	constructor(disk: HostDisk, basePath: string) {
		const frame = document.body.createDiv({ cls: "app-container" });
		this.vault = new Vault(new FileSystemAdapter(disk, basePath));
		this.fileManager = new FileManager(this.vault);
		this.metadataCache = new MetadataCache(this.vault);
		this.ribbonEl = frame.createDiv({ cls: "workspace-ribbon mod-left" });
		this.workspace = new Workspace(this, frame.createDiv({ cls: "workspace" }));
		this.statusBarEl = frame.createDiv({ cls: "status-bar" });
		this.setting = new SettingsWindow(this);
	}

	loadLocalStorage(key: string): unknown {
		return JSON.parse(window.localStorage.getItem(key) ?? "null");
	}

	saveLocalStorage(key: string, value: unknown): void {
		window.localStorage.setItem(key, JSON.stringify(value));
	}
}
