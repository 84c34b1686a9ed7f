/** The getting-started view: opened by itself once on each device, later by command. */

import { Component } from "obsidian";
import { Emitter } from "../core/emitter";
import { askerOf } from "../core/consent/asker";
import { installCommands, installSource, quoted, typedProgram, type Installer } from "../core/program/commands";
import { needsAnother, NOT_INSTALLED } from "../core/program/trouble";
import { conditionOf } from "../core/program/wording";
import type { State } from "../core/rpc/connection";
import { presetText } from "../core/settings/presets";
import { listOf, messageOf } from "../core/settings/store";
import type { EventName } from "../core/wire/contract";
import { readConsentResolved, readToolResult } from "../core/wire/readers";
import { pathOf } from "../platform/chosenFile";
import { folderOf } from "../platform/discovery";
import { AgentConnector, listAgents, type Agents } from "../ui/agents/agentList";
import { START_VIEW, StartView, type Demo, type StartState } from "../ui/views/startView";
import type { Context } from "./context";
import type { SidecarProcess } from "./sidecarProcess";
import { showView } from "./views";
import { tell } from "../ui/notice";

/** Where the project's releases are, from `package.json`; empty as long as it names no repository. Set by `scripts/build.mjs`. */
declare const REPOSITORY: string;

export interface StartActions {
	settings: () => void;
	log: () => void;
	changes: () => void;
	undo: (executionId: string) => void;
	showQuestion: (requestId: string) => void;
}

export class FirstRun extends Component {
	private readonly changed = new Emitter<undefined>();
	private demo: Demo = { kind: "none" };
	private agents: Agents | null = null;
	private next: string | null = null;
	private installers: readonly Installer[] = [];
	private readonly connector: AgentConnector;

	constructor(
		private readonly context: Context,
		private readonly sidecar: SidecarProcess,
		private readonly actions: StartActions,
	) {
		super();
		this.connector = new AgentConnector(context.app, context.request, (_, then) => {
			this.next = then;
			void this.lookForAgents();
		});
	}

	override onload(): void {
		const { plugin, connection, device } = this.context;
		const { actions, sidecar } = this;
		plugin.registerView(
			START_VIEW,
			(leaf) =>
				new StartView(leaf, {
					pluginName: plugin.manifest.name,
					state: () => this.state(),
					onChange: (listener) => this.onChange(listener),
					choosePreset: (name) => void this.choosePreset(name),
					lookAgain: () => { this.lookAgain(); },
					startBridge: () => void sidecar.start(),
					stopBridge: () => { sidecar.stop(); },
					chooseProgram: (file) => void this.chooseProgram(file),
					testProgram: () => void this.testProgram(),
					askDemo: () => void this.askDemo(),
					undoDemo: actions.undo,
					copy: async (text) => activeWindow.navigator.clipboard.writeText(text),
					showQuestion: actions.showQuestion,
					connector: this.connector,
					glance: () => { this.glance(); },
					openReadme: () => { window.open(`obsidian://show-plugin?id=${plugin.manifest.id}`); },
					openLog: actions.log,
					openChanges: actions.changes,
					openSettings: actions.settings,
				}),
		);
		plugin.addCommand({ id: "getting-started", name: "Getting started", callback: () => { this.open(); } });
		plugin.addCommand({
			id: "ask-demo-question",
			name: "Ask a demo question",
			checkCallback: (checking) => {
				if (!connection.connected || this.demo.kind === "asking") return false;
				if (!checking) void this.askDemo();
				return true;
			},
		});
		this.register(connection.changed.on(({ kind }) => {
			if (kind === "connected" && this.isOpen()) void this.lookForAgents();
		}));
		this.register(connection.notified.on(({ method, params }) => {
			if (method === ("clients.changed" satisfies EventName) && this.isOpen()) void this.lookForAgents();
			if (method !== "consent.resolved" || device.settings.answered || readConsentResolved(params, method).by === null) return;
			device.change({ answered: true });
			this.changed.emit(undefined);
		}));
	}

	/** Once on each device. */
	welcome(): void {
		const { device } = this.context;
		if (device.settings.welcomed) return;
		device.change({ welcomed: true });
		this.open();
	}

	open(): void {
		void this.sidecar.look();
		void this.lookForInstallers();
		if (this.context.connection.connected) void this.lookForAgents();
		void showView(this.context.app, START_VIEW);
	}

	private isOpen(): boolean {
		return this.context.app.workspace.getLeavesOfType(START_VIEW).length > 0;
	}

	/** A program that has been installed meanwhile is found without a click. */
	private glance(): void {
		const { sidecar } = this;
		if (sidecar.found === null && sidecar.status.kind === "off") void sidecar.look();
	}

	private async lookForInstallers(): Promise<void> {
		this.installers = await this.sidecar.finder.installers();
		this.changed.emit(undefined);
	}

	private async lookForAgents(): Promise<void> {
		this.agents = await listAgents(this.context.request);
		this.changed.emit(undefined);
	}

	private lookAgain(): void {
		this.context.connection.retryNow();
		void this.sidecar.lookAgain().then(() => {
			if (typeof this.sidecar.found !== "string") tell(this.sidecar.finder.missing().text);
		});
	}

	private async chooseProgram(file: File): Promise<void> {
		const refusal = await this.sidecar.choose(pathOf(file));
		if (refusal === null) await this.testProgram();
		else tell(refusal);
	}

	private async testProgram(): Promise<void> {
		const test = await this.sidecar.test();
		tell(test.ok ? `This is Vault Bridge ${test.version}.` : test.trouble.text);
	}

	private async askDemo(): Promise<void> {
		if (this.demo.kind === "asking") return;
		this.show({ kind: "asking" });
		try {
			const { success, text, error, executionId } = readToolResult(await this.context.request("demo.ask"), "demo.ask");
			this.show(success ? { kind: "allowed", executionId, text: "You allowed it, and the note was written as you saw it." } : { kind: "not-allowed", text: `Nothing was written. The agent was answered: ${error ?? text}` });
		} catch (error) {
			this.show({ kind: "not-allowed", text: messageOf(error) });
		}
	}

	private show(demo: Demo): void {
		this.demo = demo;
		this.changed.emit(undefined);
	}

	private state(): StartState {
		const { connection, settings, app } = this.context;
		const { sidecar } = this;
		const { state } = connection;
		const { machine } = sidecar.finder;
		const enabled = listOf(settings.current?.values["enabledTools"]);
		const presets = Object.entries(settings.current?.schema.presets ?? {}).map(([name, tools]) => ({
			name,
			text: presetText(name, tools),
			chosen: tools.length === enabled.length && tools.every((tool) => enabled.includes(tool)),
		}));
		const program = sidecar.found ?? null;
		const folder = folderOf(app.vault);
		const command = typedProgram(machine, program);
		const vault = `--vault ${quoted(folder, machine.system)}`;
		return {
			kind: this.kind(),
			detail: this.isSaid(state, sidecar) ? null : conditionOf(state, sidecar.status, sidecar.trouble, this.context.plugin.manifest.version).sentence,
			trouble: connection.connected ? null : sidecar.trouble,
			// What turned out to be another program is not the one that is found now.
			needsAnother: program === null || (sidecar.trouble !== null && sidecar.trouble.kind !== "wrong" && needsAnother(sidecar.trouble)),
			program,
			canStart: sidecar.canStart,
			canStop: sidecar.canStop,
			install: installCommands(installSource(REPOSITORY, this.context.plugin.manifest.version), machine, this.installers),
			fromSource: REPOSITORY === "",
			serveCommand: `${command} serve ${vault}`,
			clientCommand: `${command} clients add "My agent" --save ${vault}`,
			script: scriptFor(folder),
			presets,
			agents: this.agents,
			next: this.next,
			question: this.question(),
			demo: this.demo,
		};
	}

	/** Whether the headline alone says how the bridge is. */
	private isSaid(state: State, { status, trouble, found }: SidecarProcess): boolean {
		if (status.kind !== "off") return status.kind === "starting" || status.kind === "running";
		return state.kind === "absent" ? state.reason === null && (trouble === null || (trouble === NOT_INSTALLED && found === null)) : state.kind !== "unreachable" && state.kind !== "connected";
	}

	private kind(): StartState["kind"] {
		const { connection, device } = this.context;
		const { sidecar } = this;
		if (connection.connected) return device.settings.answered ? "done" : "connected";
		switch (sidecar.status.kind) {
			case "starting":
			case "running":
				return "starting";
			case "waiting":
			case "failed":
				return "failed";
			default:
				if (connection.state.kind === "unreachable") return "unreachable";
				if (sidecar.found === undefined || connection.state.kind === "connecting") return "looking";
				return sidecar.found === null ? "missing" : sidecar.trouble === null ? "absent" : "failed";
		}
	}

	private question(): StartState["question"] {
		const first = this.context.questions.all[0]?.request;
		return first ? { requestId: first.requestId, asker: askerOf(first), summary: first.summary } : null;
	}

	private async choosePreset(name: string): Promise<void> {
		const tools = this.context.settings.current?.schema.presets[name];
		if (!tools) return;
		const outcome = await this.context.settings.update({ enabledTools: tools }, true);
		tell(outcome.ok ? "Agents have these tools from now on." : outcome.message);
	}

	private onChange(listener: () => void): () => void {
		const { connection, settings, questions } = this.context;
		const ends = [questions.changed.on(listener), connection.changed.on(listener), settings.changed.on(listener), this.sidecar.changed.on(listener), this.changed.on(listener)];
		return () => {
			for (const end of ends) end();
		};
	}
}

/** A script that finds the notes of the vault, as an agent with a name would. */
function scriptFor(folder: string): string {
	return `import asyncio
from bridge.client import connect

async def main():
    async with connect(${JSON.stringify(folder)}, name="my script", client="My agent") as bridge:
        print((await bridge.call("find", pattern="**/*.md")).text)

asyncio.run(main())`;
}
