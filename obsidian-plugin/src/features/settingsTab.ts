/** The settings tab: the bridge's settings, live, and what this device keeps for itself. */

import { PluginSettingTab, type SettingDefinition, type SettingDefinitionItem, type SettingDefinitionPage } from "obsidian";
import { onEvents } from "../core/hearing";
import { sanitizePlain } from "../core/text";
import { warn } from "../core/warn";
import { AgentRows } from "../ui/agents/agentList";
import type { Context } from "../ui/context";
import { withNamedControls } from "../ui/controls";
import { ListPage } from "../ui/liveList";
import { ToolList } from "../ui/ownTools/toolList";
import type { Form } from "../ui/settings/form";
import { glanceGroup } from "../ui/settings/glance";
import { GrantList } from "../ui/settings/grantList";
import { ProgramList } from "../ui/settings/programList";
import { allSettings, sectionPages } from "../ui/settings/sections";
import { ServerRows } from "../ui/settings/serverList";
import { deviceGroup } from "./deviceRows";
import type { SidecarProcess } from "./sidecarProcess";

export class SettingsTab extends PluginSettingTab {
	override icon = "shield-check";
	private stale = false;
	constructor(
		private readonly context: Context,
		private readonly sidecar: SidecarProcess,
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
			// Other tools, and settings that somebody else has changed.
			onEvents(connection, ["tools.changed", "grants.changed"], ["settings"], () => void this.reload()),
			this.sidecar.processChanged.on(() => { this.update(); }),
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
		const { context } = this;
		const loaded = context.settings.current;
		if (!loaded) return [{ type: "group", items: [this.statusRow()] }, deviceGroup(this.context, this.sidecar)];
		const form: Form = {
			app: context.app,
			request: context.request,
			store: context.settings,
			settings: loaded,
			reload: async () => this.reload(),
			openLog: () => { this.leaveFor(this.context.open.log); },
		};
		const page = (name: string, desc: string, List: ConstructorParameters<typeof ListPage>[2]): SettingDefinitionPage => ({ type: "page", name, desc, page: () => new ListPage(name, context, List) });
		return [
			{ type: "group", items: [this.statusRow()] },
			glanceGroup(form, () => { this.leaveFor(this.context.open.activity); }),
			{ type: "group", heading: "This vault", items: [...sectionPages(form), allSettings(form)] },
			{
				type: "group",
				heading: "Programs",
				items: [
					page("Connect an agent", "Claude Code, Codex, Cursor and others on this machine: connect them to this vault.", AgentRows),
					page("Connected programs", "The programs that you gave a name of their own, and what each may do.", ProgramList),
					page("Other servers", "Other MCP servers whose tools your agents can use, with your consent.", ServerRows),
					page("Your own tools", "Code of yours that agents can call, with your consent.", ToolList),
					page("Remembered answers", "What you have allowed or denied for longer than once.", GrantList),
				],
			},
			deviceGroup(this.context, this.sidecar),
		];
	}

	private statusRow(): SettingDefinition {
		return {
			name: "Connection",
			desc: sanitizePlain(this.sidecar.condition.sentence),
			searchable: false,
			render: (setting) => {
				if (this.context.connection.connected) {
					setting.addButton((button) => button.setButtonText("View log").onClick(() => { this.leaveFor(this.context.open.log); }));
				} else {
					setting.addButton((button) => button.setButtonText("How to start").onClick(() => { this.leaveFor(this.context.open.start); }));
					setting.addButton((button) => button.setButtonText("Connect").onClick(() => { this.context.connection.retryNow(); }));
				}
			},
		};
	}

	/** Ask the bridge for everything again; what is new is drawn, what is the same is not. */
	private async reload(): Promise<void> {
		await this.context.settings.load().catch(warn);
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
