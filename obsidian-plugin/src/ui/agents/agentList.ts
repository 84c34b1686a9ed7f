/** The programs of this machine in which people use agents: which are connected, and how the others become it. Drawn on two pages. */

import { Setting, type App } from "obsidian";
import { list } from "../../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { AgentInfo, AgentPlan } from "../../core/wire/contract";
import { readAgentInfo, readAgentOutcome, readAgentPlan } from "../../core/wire/readers";
import type { Request } from "../../core/wire/request";
import { showText } from "../text";
import { AgentModal } from "./agentModal";
import { tell, tellFailure } from "../notice";

const OLD = "The bridge of this vault is of an older version, which cannot connect programs. Update it.";

/** What the bridge said of the programs, or why it said nothing. */
export type Agents = { kind: "listed"; agents: readonly AgentInfo[] } | { kind: "trouble"; text: string };

export async function listAgents(request: Request): Promise<Agents> {
	try {
		return { kind: "listed", agents: list(readAgentInfo)(await request("agents.list"), "agents.list") };
	} catch (error) {
		return { kind: "trouble", text: error instanceof RpcError && error.code === METHOD_NOT_FOUND ? OLD : messageOf(error) };
	}
}

export class AgentConnector {
	constructor(
		private readonly app: App,
		private readonly request: Request,
		/** A program was connected or disconnected, or an attempt failed. `then` says what the person does next. */
		private readonly done: (title: string, then: string | null) => void,
	) {}

	/** Draw a row for each program that is here, and the names of the others. */
	draw(el: HTMLElement, state: Agents): void {
		if (state.kind === "trouble") {
			showText(el.createDiv({ cls: "vault-bridge-empty" }), state.text);
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
			button.setButtonText(client === null ? "Connect" : "Disconnect").onClick(() => void this.preview(agent, title, client !== null));
			button.buttonEl.setAttr("aria-label", sanitizePlain(`${client === null ? "Connect" : "Disconnect"} ${title}`));
			if (client === null) button.setCta();
		});
	}

	/** Show what would be done. What is then done is exactly that, or nothing. */
	private async preview(agent: string, title: string, remove: boolean): Promise<void> {
		await this.attempt(async () => {
			const plan = readAgentPlan(await this.request("agents.preview", { agent, remove }), "agents.preview");
			new AgentModal(this.app, title, plan, (reads) => void this.carryOut(title, plan, reads)).open();
		});
	}

	private async carryOut(title: string, { agent, client, digest, removes }: AgentPlan, reads: readonly string[]): Promise<void> {
		const method = removes ? "agents.disconnect" : "agents.connect";
		let next: string | null = null;
		await this.attempt(async () => {
			const { then } = readAgentOutcome(await this.request(method, { agent, digest }), method);
			tell(then);
			next = removes ? null : then;
			if (!removes) await this.request("consent.allowReading", { client, where: [...reads] });
		});
		this.done(title, next);
	}

	private async attempt(action: () => Promise<void>): Promise<void> {
		try {
			await action();
		} catch (error) {
			tellFailure(error);
		}
	}
}
