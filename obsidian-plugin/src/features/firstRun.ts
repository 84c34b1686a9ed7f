/** The getting-started view: opened by itself once on each device, later by command. */

import { Emitter } from "../core/emitter";
import { onEvents } from "../core/hearing";
import type { Installer } from "../core/program/commands";
import { messageOf } from "../core/settings/store";
import { ask } from "../core/wire/reading";
import { AgentConnector, connectedOf, listAgents, type Agents } from "../ui/agents/agentList";
import type { Context } from "../ui/context";
import { tell } from "../ui/notice";
import type { Face } from "../ui/views/pane";
import { Feature } from "./feature";
import type { SidecarProcess } from "./sidecarProcess";

export const START: Omit<Face, "title"> = { type: "vault-bridge-start", icon: "shield-check", command: ["getting-started", "Getting started"] };

/** What became of the demo question. */
export type Demo =
	| { kind: "none" }
	| { kind: "asking" }
	| { kind: "allowed"; executionId: string | null; text: string }
	| { kind: "not-allowed"; text: string };

export class FirstRun extends Feature {
	readonly changed = new Emitter<undefined>();
	readonly connector: AgentConnector;
	demo: Demo = { kind: "none" };
	/** The programs of this machine; null until the bridge has said. */
	agents: Agents | null = null;
	/** What the person does after a program was connected just now. */
	next: string | null = null;
	installers: readonly Installer[] = [];

	constructor(
		context: Context,
		readonly sidecar: SidecarProcess,
	) {
		super(context);
		this.connector = new AgentConnector(context, (then) => {
			this.next = then;
			void this.lookForAgents();
		});
	}

	override onload(): void {
		const { connection, device } = this.context;
		this.command("ask-demo-question", "Ask a demo question", () => void this.askDemo(), () => connection.connected && this.demo.kind !== "asking");
		const look = (): void => { if (this.context.app.workspace.getLeavesOfType(START.type).length > 0) void this.lookForAgents(); };
		this.follow(look, () => undefined);
		this.register(onEvents(connection, ["clients.changed"], [], look));
		this.hear({
			"consent.resolved": ({ by }) => {
				if (device.settings.answered || by === null) return;
				device.change({ answered: true });
				this.changed.emit(undefined);
			},
		});
	}

	/** Once on each device. */
	welcome(): void {
		const { device } = this.context;
		if (device.settings.welcomed) return;
		device.change({ welcomed: true });
		this.context.open.start();
	}

	/** Look for everything: the page is about to be shown. */
	look(): void {
		void this.sidecar.look();
		void this.lookForInstallers();
		if (this.context.connection.connected) void this.lookForAgents();
	}

	/** What has been installed meanwhile is found without a click: the bridge, then a program to connect. */
	glance(): void {
		const { sidecar } = this;
		if (this.context.connection.connected && connectedOf(this.agents) === null) void this.lookForAgents();
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

	lookAgain(): void {
		this.context.connection.retryNow();
		void this.sidecar.lookAgain().then(() => {
			if (typeof this.sidecar.found !== "string") tell(this.sidecar.finder.missing().text);
		});
	}

	async chooseProgram(path: string): Promise<void> {
		const refusal = await this.sidecar.choose(path);
		if (refusal === null) await this.testProgram();
		else tell(refusal);
	}

	async testProgram(): Promise<void> {
		const test = await this.sidecar.test();
		tell(test.ok ? `This is Vault Bridge ${test.version}.` : test.trouble.text);
	}

	async askDemo(): Promise<void> {
		if (this.demo.kind === "asking") return;
		this.show({ kind: "asking" });
		try {
			const { success, text, error, executionId } = await ask(this.context.request, "demo.ask");
			this.show(success ? { kind: "allowed", executionId, text: "You allowed it, and the note was written as you saw it." } : { kind: "not-allowed", text: `Nothing was written. The agent was answered: ${error ?? text}` });
		} catch (error) {
			this.show({ kind: "not-allowed", text: messageOf(error) });
		}
	}

	private show(demo: Demo): void {
		this.demo = demo;
		this.changed.emit(undefined);
	}

	async choosePreset(name: string): Promise<void> {
		const tools = this.context.settings.current?.schema.presets[name];
		if (!tools) return;
		const outcome = await this.context.settings.update({ enabledTools: tools }, true);
		tell(outcome.ok ? "Agents have these tools from now on." : outcome.message);
	}
}
