/** The getting-started view: opened by itself once on each device, later by command. */

import { Component, FileSystemAdapter, Notice } from "obsidian";
import { listOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text/sanitize";
import { START_VIEW, StartView, type StartState } from "../ui/views/startView";
import type { Context } from "./context";
import { showView } from "./views";

export class FirstRun extends Component {
	constructor(
		private readonly context: Context,
		private readonly openSettings: () => void,
	) {
		super();
	}

	override onload(): void {
		const { plugin } = this.context;
		plugin.registerView(
			START_VIEW,
			(leaf) =>
				new StartView(leaf, {
					state: () => this.state(),
					onChange: (listener) => this.onChange(listener),
					choosePreset: (name) => void this.choose(name),
					retry: () => { this.context.connection.retryNow(); },
					copy: (text) => void navigator.clipboard.writeText(text).then(() => new Notice("Copied.")),
					openSettings: this.openSettings,
				}),
		);
		plugin.addCommand({ id: "getting-started", name: "Getting started", callback: () => { this.open(); } });
	}

	/** Once on each device. */
	welcome(): void {
		const { device } = this.context;
		if (device.settings.welcomed) return;
		device.change({ welcomed: true });
		this.open();
	}

	open(): void {
		void showView(this.context.app, START_VIEW);
	}

	private state(): StartState {
		const { connection, settings, app } = this.context;
		const { state } = connection;
		const loaded = settings.current;
		const enabled = listOf(loaded?.values["enabledTools"]);
		const presets = Object.entries(loaded?.schema.presets ?? {}).map(([name, tools]) => ({
			name,
			tools: tools.length,
			chosen: tools.length === enabled.length && tools.every((tool) => enabled.includes(tool)),
		}));
		const vaultPath = app.vault.adapter instanceof FileSystemAdapter ? app.vault.adapter.getBasePath() : app.vault.getName();
		if (state.kind === "connected") return { kind: "connected", detail: `Version ${sanitizePlain(state.info.version)}`, vaultPath, presets };
		return { kind: state.kind === "unreachable" ? "unreachable" : "absent", detail: state.kind === "unreachable" ? state.reason : "", vaultPath, presets };
	}

	private async choose(name: string): Promise<void> {
		const tools = this.context.settings.current?.schema.presets[name];
		if (!tools) return;
		const outcome = await this.context.settings.update({ enabledTools: tools }, true);
		new Notice(outcome.ok ? "Agents have these tools from now on." : sanitizePlain(outcome.message));
	}

	private onChange(listener: () => void): () => void {
		const ends = [this.context.connection.changed.on(listener), this.context.settings.changed.on(listener)];
		return () => {
			for (const end of ends) end();
		};
	}
}
