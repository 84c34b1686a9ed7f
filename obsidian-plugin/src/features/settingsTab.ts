/** The settings tab: the bridge's settings, live, and what this device keeps for itself. */

import { PluginSettingTab, type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import { confirm } from "../ui/confirmModal";
import type { Form } from "../ui/settings/form";
import { GrantsPage } from "../ui/settings/grantsPage";
import { ProgramsPage } from "../ui/settings/programsPage";
import { sectionPages } from "../ui/settings/sections";
import type { Context } from "./context";

export interface SettingsActions {
	openLog: () => void;
	openStart: () => void;
	startBridge: () => void;
	stopBridge: () => void;
}

/** Milliseconds in which what the bridge said last is not asked for again. */
const FRESH = 1_000;

export class SettingsTab extends PluginSettingTab {
	override icon = "shield-check";
	private loadedAt = 0;

	constructor(
		private readonly context: Context,
		private readonly actions: SettingsActions,
	) {
		super(context.app, context.plugin);
	}

	/** Draw again whenever the bridge, or what it says, has changed. Returns the function that ends it. */
	follow(): () => void {
		const { connection, settings } = this.context;
		const ends = [
			settings.changed.on(() => { this.update(); }),
			connection.notified.on(({ method }) => {
				if (method === "tools.changed") void this.reload();
			}),
			connection.changed.on((state) => {
				if (state.kind === "connected") void this.reload();
				else settings.forget();
				this.update();
			}),
		];
		return () => {
			for (const end of ends) end();
		};
	}

	override getSettingDefinitions(): SettingDefinitionItem[] {
		this.refreshIfOld();
		const { settings, app, request } = this.context;
		const loaded = settings.current;
		if (!loaded) return [{ type: "group", items: [this.statusRow()] }, this.deviceGroup()];
		const form: Form = {
			app,
			request,
			store: settings,
			settings: loaded,
			reload: async () => this.reload(),
			openLog: () => { this.leaveFor(this.actions.openLog); },
		};
		return [
			{ type: "group", items: [this.statusRow()] },
			{
				type: "group",
				heading: "This vault",
				items: [
					...sectionPages(form),
					{ type: "page", name: "Connected programs", desc: "The programs that you gave a name of their own, and what each may do.", page: () => this.programsPage() },
					{ type: "page", name: "Remembered answers", desc: "What you have allowed or denied for longer than once.", page: () => new GrantsPage(app, request) },
				],
			},
			this.deviceGroup(),
		];
	}

	private programsPage(): ProgramsPage {
		const { app, connection, request } = this.context;
		const onChange = (listener: () => void): (() => void) => connection.notified.on(({ method }) => { if (method === "clients.changed") listener(); });
		return new ProgramsPage(app, { request, onChange, copy: async (text) => navigator.clipboard.writeText(text) });
	}

	private statusRow(): SettingDefinition {
		return {
			name: "Connection",
			desc: this.stateSentence(),
			searchable: false,
			render: (setting) => {
				if (this.context.connection.connected) {
					setting.addButton((button) => button.setButtonText("View log").onClick(() => { this.leaveFor(this.actions.openLog); }));
				} else {
					setting.addButton((button) => button.setButtonText("How to start").onClick(() => { this.leaveFor(this.actions.openStart); }));
					setting.addButton((button) => button.setButtonText("Connect").setCta().onClick(() => { this.context.connection.retryNow(); }));
				}
			},
		};
	}

	private stateSentence(): string {
		const { state } = this.context.connection;
		switch (state.kind) {
			case "connected":
				return `Connected to the bridge of this vault, version ${state.info.version}.`;
			case "unreachable":
				return `${state.reason} The plugin tries again by itself.`;
			case "absent":
				return "No bridge serves this vault. Its settings are shown here as soon as one does.";
			case "connecting":
			case "stopped":
				return "Looking for the bridge of this vault.";
		}
	}

	/** Kept on this device: a synced vault must not be able to say what is started here. */
	private deviceGroup(): SettingDefinitionItem {
		const { device, app } = this.context;
		return {
			type: "group",
			heading: "This device",
			items: [
				{
					name: "Start the bridge with Obsidian",
					desc: "Starts the program below when this vault opens and stops it when it closes. Nothing is installed or updated.",
					render: (setting) => {
						setting.addToggle((toggle) =>
							toggle.setValue(device.settings.startBridge).onChange((wanted) => {
								if (wanted === device.settings.startBridge) return;
								void (async () => {
									const text = `From now on Obsidian starts “${device.settings.command} serve” on this device whenever this vault opens.`;
									if (wanted && !(await confirm(app, { title: "Start a program with Obsidian?", text, action: "Start with Obsidian" }))) {
										toggle.setValue(false);
										return;
									}
									device.change({ startBridge: wanted });
									if (wanted) this.actions.startBridge();
									else this.actions.stopBridge();
								})();
							}),
						);
					},
				},
				{
					name: "Program",
					desc: "The name or full path of the installed bridge. It is started as it is, without a shell.",
					aliases: ["command", "path"],
					render: (setting) => {
						setting.addText((text) => {
							text.setPlaceholder("Name or path").setValue(device.settings.command);
							text.inputEl.addEventListener("change", () => { device.change({ command: text.getValue().trim() || "vault-bridge" }); });
						});
					},
				},
			],
		};
	}

	private refreshIfOld(): void {
		if (!this.context.connection.connected || this.context.clock.now() - this.loadedAt < FRESH) return;
		void this.reload();
	}

	private async reload(): Promise<void> {
		this.loadedAt = this.context.clock.now();
		try {
			await this.context.settings.load();
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
		this.loadedAt = this.context.clock.now();
	}

	/** A view lies behind the settings window. */
	private leaveFor(action: () => void): void {
		closeSettings(this.context);
		action();
	}
}

/** Obsidian opens and closes its settings window by members that its typings leave out. Without them nothing happens. */
interface SettingsWindow {
	open?: () => void;
	close?: () => void;
	openTabById?: (id: string) => unknown;
}

export function openSettings(context: Context): void {
	const window = settingsWindow(context);
	window?.open?.();
	window?.openTabById?.(context.plugin.manifest.id);
}

function closeSettings(context: Context): void {
	settingsWindow(context)?.close?.();
}

function settingsWindow({ app }: Context): SettingsWindow | undefined {
	return (app as { setting?: SettingsWindow }).setting;
}
