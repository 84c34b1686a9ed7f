/** The other MCP servers that the person has entered: what each is and has, whether it is trusted, and its end. */

import { Setting, SettingPage, type App } from "obsidian";
import { list } from "../../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { ServerInfo, ServerList } from "../../core/wire/contract";
import { readFoundServer, readServerInfo, readServerList } from "../../core/wire/readers";
import type { MethodName, MethodParams, Request } from "../../core/wire/request";
import { stateSentence, toolCount, trustSentence } from "../../core/wire/servers";
import { confirm } from "../confirmModal";
import { showText } from "../text";
import { drawLines, drawTold, drawTool } from "./serverFacts";
import { AddServerModal, TakeOverModal, TrustModal } from "./serverModals";
import { tell } from "../notice";

const OLD = "The bridge of this vault is of an older version, which cannot use other servers. Update it.";
const FORBIDDEN = "Agents cannot use them yet: “Allow other servers” is off, under Network.";

export class ServersPage extends SettingPage {
	override title = "Other servers";
	private unfollow: (() => void) | null = null;
	private drawing = 0;
	/** What the person has opened, so that it stays open when the page is drawn again. */
	private readonly opened = new Set<string>();

	/** @param onChange - Calls back whenever a server or a setting was changed. Returns the function that ends it. */
	constructor(
		private readonly app: App,
		private readonly request: Request,
		private readonly onChange: (listener: () => void) => () => void,
	) {
		super();
	}

	override display(): void {
		this.unfollow ??= this.onChange(() => {
			if (this.containerEl.isConnected) void this.draw();
			else this.hide();
		});
		void this.draw();
	}

	override hide(): void {
		this.unfollow?.();
		this.unfollow = null;
	}

	private async draw(): Promise<void> {
		const turn = ++this.drawing;
		let listed: ServerList | null = null;
		let trouble = "";
		try {
			listed = readServerList(await this.request("servers.list"), "servers.list");
		} catch (error) {
			trouble = error instanceof RpcError && error.code === METHOD_NOT_FOUND ? OLD : messageOf(error);
		}
		if (turn !== this.drawing) return;
		this.containerEl.empty();
		if (listed === null) {
			showText(this.containerEl.createDiv({ cls: "vault-bridge-empty" }), trouble);
			return;
		}
		const { servers, file, fault, allowed } = listed;
		if (!allowed) this.containerEl.createDiv({ cls: "vault-bridge-note is-warning", text: FORBIDDEN });
		if (fault !== null) showText(this.containerEl.createDiv({ cls: "vault-bridge-note is-warning" }), `${fault}. Until that is corrected, no server is used: ${file}`);
		this.drawAdd();
		if (servers.length === 0 && fault === null) this.containerEl.createDiv({ cls: "vault-bridge-empty", text: "No other server is entered yet. Its tools would come under the same questions, limits and log as everything else." });
		for (const server of servers) this.drawServer(server);
	}

	private drawAdd(): void {
		const setting = new Setting(this.containerEl)
			.setName("Add a server")
			.setDesc("A program or an address that lends its tools to your agents, in all your vaults. It is neither started nor trusted by that.");
		setting.addButton((button) => button.setButtonText("Take over from other programs").onClick(() => void this.takeOver()));
		setting.addButton((button) => button.setButtonText("Add").setCta().onClick(() => { this.add(); }));
	}

	private drawServer(server: ServerInfo): void {
		const { name, description } = server;
		const box = this.containerEl.createDiv({ cls: "vault-bridge-program vault-bridge-server" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl, name);
		if (description !== "") showText(setting.descEl, description);
		setting.addButton((button) =>
			button.setButtonText(server.state === "ready" ? "Restart" : "Test").onClick(async () => {
				button.setDisabled(true);
				await this.act("servers.test", { name });
			}),
		);
		setting.addButton((button) => button.setButtonText("Remove").onClick(() => void this.remove(name)));
		setting.controlEl.lastElementChild?.addClass("mod-warning");
		this.drawState(box, server);
		this.drawTrust(box, server);
		this.drawTools(box, server);
		if (server.log.length > 0) drawLines(this.details(box, `${name} log`, "What it wrote last"), server.log.join("\n"), "What it wrote last");
	}

	private drawState(box: HTMLElement, server: ServerInfo): void {
		const { name, enabled } = server;
		const setting = new Setting(box).setName("Agents can load it");
		showText(setting.descEl, stateSentence(server));
		drawTold(setting.infoEl, server);
		setting.addToggle((toggle) => {
			for (const input of toggle.toggleEl.findAll("input")) input.setAttr("aria-label", sanitizePlain(`Agents can load ${name}`));
			toggle.setValue(enabled).onChange((wanted) => { void this.act("servers.enable", { name, enabled: wanted }); });
		});
	}

	private drawTrust(box: HTMLElement, server: ServerInfo): void {
		const { name, trusted } = server;
		const setting = new Setting(box).setName("Trust").setDesc(trustSentence(server));
		setting.addButton((button) =>
			button.setButtonText(trusted ? "No longer trust" : "Trust").onClick(async () => {
				button.setDisabled(true);
				if (trusted) await this.act("servers.trust", { name, trusted: false });
				else await this.showAndTrust(name);
			}),
		);
	}

	private drawTools(box: HTMLElement, { name, tools, faults }: ServerInfo): void {
		if (tools.length > 0) {
			const details = this.details(box, `${name} tools`, toolCount(tools.length));
			for (const tool of tools) drawTool(details, tool, false);
		}
		for (const fault of faults) showText(box.createDiv({ cls: "vault-bridge-problem is-warning" }), fault);
	}

	/** What opens at a press, and stays open. */
	private details(box: HTMLElement, key: string, summary: string): HTMLElement {
		const details = box.createEl("details", { cls: "vault-bridge-details" });
		details.open = this.opened.has(key);
		details.createEl("summary", { text: summary });
		details.addEventListener("toggle", () => {
			if (details.open) this.opened.add(key);
			else this.opened.delete(key);
		});
		return details;
	}

	/** Connect it anew, and show what it is now. What is then trusted is exactly that, or nothing. */
	private async showAndTrust(name: string): Promise<void> {
		const trouble = await this.attempt(async () => {
			const server = readServerInfo(await this.request("servers.test", { name }), "servers.test");
			if (server.state !== "ready") throw new Error(server.reason);
			new TrustModal(this.app, server, () => void this.act("servers.trust", { name, trusted: true, digest: server.digest })).open();
		});
		if (trouble !== null) tell(trouble);
	}

	private add(): void {
		new AddServerModal(this.app, async (name, entry) => this.attempt(async () => this.request("servers.add", { name, entry }))).open();
	}

	private async takeOver(): Promise<void> {
		const trouble = await this.attempt(async () => {
			const found = list(readFoundServer)(await this.request("servers.found"), "servers.found");
			new TakeOverModal(this.app, found, async ({ agent, name }) => this.attempt(async () => this.request("servers.import", { agent, name }))).open();
		});
		if (trouble !== null) tell(trouble);
	}

	private async remove(name: string): Promise<void> {
		const text = "It ends, its tools are gone, and what you allowed of it is forgotten. Variables and headers that are entered for it are gone, too.";
		if (await confirm(this.app, { title: `Remove ${sanitizePlain(name)}?`, text, action: "Remove" })) await this.act("servers.remove", { name });
	}

	/** Do something and draw what is then. Null, or what went wrong. */
	private async attempt(action: () => Promise<unknown>): Promise<string | null> {
		try {
			await action();
			return null;
		} catch (error) {
			return messageOf(error);
		} finally {
			void this.draw();
		}
	}

	private async act<M extends MethodName>(method: M, params: MethodParams<M>): Promise<void> {
		const trouble = await this.attempt(async () => this.request(method, params));
		if (trouble !== null) tell(trouble);
	}
}
