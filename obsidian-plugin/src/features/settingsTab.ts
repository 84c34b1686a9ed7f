/** The settings tab: the bridge's settings, live, and what this device keeps for itself. */

import { PluginSettingTab, type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import type { JsonObject } from "../core/json";
import { conditionOf, type Condition } from "../core/program/wording";
import { sanitizePlain } from "../core/text/sanitize";
import type { EventName } from "../core/wire/contract";
import { pathOf } from "../platform/chosenFile";
import { deviceGroup } from "../ui/settings/device";
import { withNamedControls } from "../ui/settings/controlNames";
import type { Form } from "../ui/settings/form";
import { GrantsPage } from "../ui/settings/grantsPage";
import { AgentsPage } from "../ui/settings/agentsPage";
import { OwnToolsPage } from "../ui/settings/ownToolsPage";
import { ProgramsPage } from "../ui/settings/programsPage";
import { ServersPage } from "../ui/settings/serversPage";
import { glanceGroup } from "../ui/settings/glance";
import { allSettings, sectionPages } from "../ui/settings/sections";
import type { Context } from "./context";
import { onRecord } from "./hearing";
import type { SidecarProcess } from "./sidecarProcess";

export interface SettingsActions {
	openLog: () => void;
	openStart: () => void;
	openActivity: () => void;
	sidecar: SidecarProcess;
}

/** What changes what is shown here: other tools, and settings that somebody else has changed. */
const isNews = ({ method, params }: { method: string; params: JsonObject }): boolean =>
	method === ("tools.changed" satisfies EventName) || method === ("grants.changed" satisfies EventName) || (method === ("audit.appended" satisfies EventName) && params["kind"] === "settings");

export class SettingsTab extends PluginSettingTab {
	override icon = "shield-check";
	private stale = false;
	constructor(
		private readonly context: Context,
		private readonly actions: SettingsActions,
	) {
		super(context.app, context.plugin);
		this.containerEl.addClass("vault-bridge-settings");
	}

	/** Draw again whenever the bridge, or what it says, has changed. Returns the function that ends it. */
	follow(): () => void {
		const { connection, settings } = this.context;
		// Not at once: a refusal is shown first, and then nothing is drawn over it.
		const later = (): void => { window.setTimeout(() => { this.drawNews(this.stale); }); };
		const ends = [
			settings.changed.on(() => { this.drawNews(); }),
			settings.settled.on(later),
			connection.notified.on((event) => {
				if (isNews(event)) void this.reload();
			}),
			this.actions.sidecar.processChanged.on(() => { this.update(); }),
			connection.changed.on((state) => {
				if (state.kind === "connected") void this.reload();
				else settings.forget();
				this.update();
			}),
		];
		this.containerEl.addEventListener("focusout", later);
		return () => {
			this.containerEl.removeEventListener("focusout", later);
			for (const end of ends) end();
		};
	}

	/** Draw what is new, but not under the hands of somebody: while they type, and while what they typed is judged or refused, it waits. */
	private drawNews(news = true): void {
		const { containerEl } = this;
		const { activeElement } = containerEl.ownerDocument;
		const types = activeElement !== null && containerEl.contains(activeElement) && activeElement.matches("input:not([type='checkbox']), textarea");
		this.stale = news && (types || this.context.settings.saving || containerEl.querySelector(".vault-bridge-problem.is-error") !== null);
		if (news && !this.stale) this.update();
	}

	/** Drawn from what was said last: Obsidian asks for it often, also when somebody only searches the settings. */
	override getSettingDefinitions(): SettingDefinitionItem[] {
		return this.definitions().map((one) => withNamedControls(one));
	}

	private definitions(): SettingDefinitionItem[] {
		const { settings, app, request, connection } = this.context;
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
			glanceGroup(form, () => { this.leaveFor(this.actions.openActivity); }),
			{ type: "group", heading: "This vault", items: [...sectionPages(form), allSettings(form)] },
			{
				type: "group",
				heading: "Programs",
				items: [
					{ type: "page", name: "Connect an agent", desc: "Claude Code, Codex, Cursor and others on this machine: connect them to this vault.", page: () => new AgentsPage(app, request) },
					{ type: "page", name: "Connected programs", desc: "The programs that you gave a name of their own, and what each may do.", page: () => this.programsPage() },
					{ type: "page", name: "Other servers", desc: "Other MCP servers whose tools your agents can use, with your consent.", page: () => new ServersPage(app, request, onRecord(connection, "server", "settings")) },
					{ type: "page", name: "Your own tools", desc: "Code of yours that agents can call, with your consent.", page: () => new OwnToolsPage(app, request, onRecord(connection, "custom", "settings")) },
					{ type: "page", name: "Remembered answers", desc: "What you have allowed or denied for longer than once.", page: () => new GrantsPage(app, request, this.onEvent("grants.changed")) },
				],
			},
			this.deviceGroup(),
		];
	}

	private programsPage(): ProgramsPage {
		const { app, request } = this.context;
		return new ProgramsPage(app, { request, onChange: this.onEvent("clients.changed"), copy: async (text) => activeWindow.navigator.clipboard.writeText(text) });
	}

	/** What calls a page's listener back whenever the bridge says that this has happened. */
	private onEvent(name: EventName): (listener: () => void) => () => void {
		return (listener) => this.context.connection.notified.on(({ method }) => { if (method === name) listener(); });
	}

	private statusRow(): SettingDefinition {
		return {
			name: "Connection",
			desc: sanitizePlain(this.condition().sentence),
			searchable: false,
			render: (setting) => {
				if (this.context.connection.connected) {
					setting.addButton((button) => button.setButtonText("View log").onClick(() => { this.leaveFor(this.actions.openLog); }));
				} else {
					setting.addButton((button) => button.setButtonText("How to start").onClick(() => { this.leaveFor(this.actions.openStart); }));
					setting.addButton((button) => button.setButtonText("Connect").onClick(() => { this.context.connection.retryNow(); }));
				}
			},
		};
	}

	private condition(): Condition {
		const { sidecar } = this.actions;
		return conditionOf(this.context.connection.state, sidecar.status, sidecar.trouble, this.context.plugin.manifest.version);
	}

	private deviceGroup(): SettingDefinitionItem {
		const { device, app } = this.context;
		const { sidecar } = this.actions;
		return deviceGroup(app, device, {
			canStart: () => sidecar.canStart,
			canStop: () => sidecar.canStop,
			start: () => void sidecar.start(),
			stop: () => { sidecar.stop(); },
			restart: () => { sidecar.restart(); },
			found: () => sidecar.found,
			chosen: () => device.settings.program,
			choose: async (typed) => sidecar.choose(typed),
			chooseFile: async (file) => sidecar.choose(pathOf(file)),
			test: async () => sidecar.test(),
			startsWithObsidian: () => device.settings.startBridge && device.settings.confirmed,
			setStartsWithObsidian: (wanted) => { sidecar.startWithObsidian(wanted); },
		});
	}

	/** Ask the bridge for everything again; what is new is drawn, what is the same is not. */
	private async reload(): Promise<void> {
		try {
			await this.context.settings.load();
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
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
