/** The programs of this machine in which people use agents: which are connected to this vault, and how they become it. */

import { SettingPage, type App } from "obsidian";
import type { Request } from "../../core/wire/request";
import { AgentConnector, listAgents } from "../agents/agentList";
import { showText } from "../text";

const PRINT = "vault-bridge install-client --print";

export class AgentsPage extends SettingPage {
	override title = "Connect an agent";
	private drawing = 0;
	private readonly connector: AgentConnector;

	constructor(
		app: App,
		private readonly request: Request,
	) {
		super();
		this.connector = new AgentConnector(app, request, () => void this.draw());
	}

	override display(): void {
		void this.draw();
	}

	private async draw(): Promise<void> {
		const turn = ++this.drawing;
		const agents = await listAgents(this.request);
		if (turn !== this.drawing) return;
		this.containerEl.empty();
		this.connector.draw(this.containerEl, agents);
		if (agents.kind === "trouble") return;
		const other = this.containerEl.createDiv({ cls: "vault-bridge-agents-rest", text: "Any other program that speaks MCP: " });
		showText(other.createEl("code"), PRINT);
		other.appendText(" in a terminal prints what it needs.");
	}
}
