/** The programs of this machine in which people use agents: which are connected to this vault, and how they become it. */

import { Notice, Setting, SettingPage, type App } from "obsidian";
import { list } from "../../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { AgentInfo, AgentPlan } from "../../core/wire/contract";
import { readAgentInfo, readAgentOutcome, readAgentPlan } from "../../core/wire/readers";
import type { Request } from "../../core/wire/request";
import { showText } from "../text";
import { AgentModal } from "./agentModal";

const OLD = "The bridge of this vault is of an older version, which cannot connect programs. Update it.";

const PRINT = "vault-bridge install-client --print";

export class AgentsPage extends SettingPage {
	override title = "Connect an agent";
	private drawing = 0;

	constructor(
		private readonly app: App,
		private readonly request: Request,
	) {
		super();
	}

	override display(): void {
		void this.draw();
	}

	private async draw(): Promise<void> {
		const turn = ++this.drawing;
		let agents: AgentInfo[] = [];
		let trouble: string | null = null;
		try {
			agents = list(readAgentInfo)(await this.request("agents.list"), "agents.list");
		} catch (error) {
			trouble = error instanceof RpcError && error.code === METHOD_NOT_FOUND ? OLD : messageOf(error);
		}
		if (turn !== this.drawing) return;
		this.containerEl.empty();
		if (trouble !== null) {
			showText(this.containerEl.createDiv({ cls: "vault-bridge-empty" }), trouble);
			return;
		}
		for (const agent of agents.filter(({ here }) => here)) this.drawAgent(agent);
		const missing = agents.filter(({ here }) => !here).map(({ title }) => title);
		const rest = this.containerEl.createDiv({ cls: "vault-bridge-agents-rest" });
		if (missing.length > 0) showText(rest.createDiv(), `Not found on this machine: ${missing.join(", ")}.`);
		const other = rest.createDiv({ text: "Any other program that speaks MCP: " });
		showText(other.createEl("code"), PRINT);
		other.appendText(" in a terminal prints what it needs.");
	}

	private drawAgent({ agent, title, client, fault, file }: AgentInfo): void {
		const setting = new Setting(this.containerEl);
		setting.settingEl.addClass("vault-bridge-agent");
		showText(setting.nameEl, title);
		showText(setting.descEl, fault ?? (client === null ? "Not connected to this vault." : `Connected as “${client}”.`));
		if (fault !== null) return;
		showText(setting.descEl.createDiv(), file);
		setting.addButton((button) => {
			button.setButtonText(client === null ? "Connect" : "Disconnect").onClick(() => void this.preview(agent, title, client !== null));
			if (client === null) button.setCta();
		});
	}

	/** Show what would be done. What is then done is exactly that, or nothing. */
	private async preview(agent: string, title: string, remove: boolean): Promise<void> {
		await this.attempt(async () => {
			const plan = readAgentPlan(await this.request("agents.preview", { agent, remove }), "agents.preview");
			new AgentModal(this.app, title, plan, () => void this.carryOut(plan)).open();
		});
	}

	private async carryOut({ agent, digest, removes }: AgentPlan): Promise<void> {
		const method = removes ? "agents.disconnect" : "agents.connect";
		await this.attempt(async () => {
			const { then } = readAgentOutcome(await this.request(method, { agent, digest }), method);
			new Notice(sanitizePlain(then));
		});
		await this.draw();
	}

	private async attempt(action: () => Promise<void>): Promise<void> {
		try {
			await action();
		} catch (error) {
			new Notice(sanitizePlain(messageOf(error)));
		}
	}
}
