/** The programs of this machine in which people use agents: which are connected, and how the others become it. Drawn on two pages. */

import { Setting } from "obsidian";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import type { AgentInfo, AgentPlan } from "../../core/wire/contract";
import { ask, isUnknown, type Request } from "../../core/wire/reading";
import type { Context } from "../context";
import { addEmpty, showText } from "../elements";
import { LiveList } from "../liveList";
import { tell, tellFailure } from "../notice";
import { showAgentPlan } from "./agentWindow";

const OLD = "The bridge of this vault is of an older version, which cannot connect programs. Update it.";

/** What the bridge said of the programs, or why it said nothing. */
export type Agents = { kind: "listed"; agents: readonly AgentInfo[] } | { kind: "trouble"; text: string };

export async function listAgents(request: Request): Promise<Agents> {
	try {
		return { kind: "listed", agents: await ask(request, "agents.list") };
	} catch (error) {
		return { kind: "trouble", text: isUnknown(error) ? OLD : messageOf(error) };
	}
}

/** What the first program that is connected is called. */
export function connectedOf(agents: Agents | null): string | null {
	return agents?.kind === "listed" ? (agents.agents.find(({ client }) => client !== null)?.title ?? null) : null;
}

export class AgentConnector {
	constructor(
		private readonly context: Context,
		/** A program was connected or disconnected, or an attempt failed. `then` says what the person does next. */
		private readonly done: (then: string | null) => void,
	) {}

	/** Draw a row for each program that is here, and the names of the others. */
	draw(el: HTMLElement, state: Agents): void {
		if (state.kind === "trouble") {
			addEmpty(el, state.text);
			return;
		}
		for (const agent of state.agents.filter(({ here }) => here)) this.drawAgent(el, agent);
		const missing = state.agents.filter(({ here }) => !here).map(({ title }) => title);
		if (missing.length > 0) showText(el.createDiv({ cls: "vault-bridge-agents-rest" }), `Not found on this machine: ${missing.join(", ")}.`);
	}

	private drawAgent(el: HTMLElement, { agent, title, client, fault, file }: AgentInfo): void {
		const setting = new Setting(el);
		setting.settingEl.addClass("vault-bridge-agent");
		showText(setting.nameEl, title);
		showText(setting.descEl, fault ?? (client === null ? "Not connected to this vault." : `Connected as “${client}”.`));
		if (fault !== null) return;
		setting.settingEl.setAttr("title", sanitizePlain(file));
		setting.addButton((button) => {
			button.setButtonText(client === null ? "Connect" : "Disconnect").onClick(() => { this.preview(agent, title, client !== null).catch(tellFailure); });
			button.buttonEl.setAttr("aria-label", sanitizePlain(`${client === null ? "Connect" : "Disconnect"} ${title}`));
			if (client === null) button.setCta();
		});
	}

	/** Show what would be done. What is then done is exactly that, or nothing. */
	private async preview(agent: string, title: string, remove: boolean): Promise<void> {
		const plan = await ask(this.context.request, "agents.preview", { agent, remove });
		showAgentPlan(this.context.app, title, plan, (reads) => void this.carryOut(plan, reads));
	}

	private async carryOut({ agent, client, digest, removes }: AgentPlan, reads: readonly string[]): Promise<void> {
		let next: string | null = null;
		try {
			const { then } = await ask(this.context.request, removes ? "agents.disconnect" : "agents.connect", { agent, digest });
			tell(then);
			next = removes ? null : then;
			if (!removes) await this.context.request("consent.allowReading", { client, where: [...reads] });
		} catch (error) {
			tellFailure(error);
		}
		this.done(next);
	}
}

const PRINT = "vault-bridge install-client --print";

export class AgentRows extends LiveList<Agents> {
	protected override readonly old = "";

	protected override async load(): Promise<Agents> {
		return listAgents(this.context.request);
	}

	protected override drawAll(agents: Agents): void {
		new AgentConnector(this.context, () => void this.draw()).draw(this.el, agents);
		if (agents.kind === "trouble") return;
		const other = this.el.createDiv({ cls: "vault-bridge-agents-rest", text: "Any other program that speaks MCP: " });
		showText(other.createEl("code"), PRINT);
		other.appendText(" in a terminal prints what it needs.");
	}
}
