/** The other MCP servers that the person has entered: what each is and has, whether it is trusted, and its end. */

import { Setting } from "obsidian";
import { sanitizePlain } from "../../core/text";
import type { ServerInfo, ServerList } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { stateSentence, toolCount, trustSentence } from "../../core/wire/servers";
import { addAction, addSwitch, busy } from "../controls";
import { addDetails, addEmpty, addLines, addWarning, showText } from "../elements";
import { LiveList } from "../liveList";
import { tell } from "../notice";
import { confirm } from "../window";
import { askServer, drawTold, drawTool, showFoundServers, showTrust } from "./serverWindows";

const FORBIDDEN = "Agents cannot use them yet: “Allow other servers” is off, under Network.";

export class ServerRows extends LiveList<ServerList> {
	protected override readonly old = "cannot use other servers";
	protected override readonly kinds = ["server", "settings"];
	/** What the person has opened, so that it stays open when the page is drawn again. */
	private readonly opened = new Set<string>();

	protected override async load(): Promise<ServerList> {
		return ask(this.context.request, "servers.list");
	}

	protected override drawAll({ servers, file, fault, allowed }: ServerList): void {
		if (!allowed) addWarning(this.el, FORBIDDEN);
		if (fault !== null) addWarning(this.el, `${fault}. Until that is corrected, no server is used: ${file}`);
		this.drawAdd();
		if (servers.length === 0 && fault === null) addEmpty(this.el, "No other server is entered yet. Its tools would come under the same questions, limits and log as everything else.");
		for (const server of servers) this.drawServer(server);
	}

	private drawAdd(): void {
		const setting = new Setting(this.el)
			.setName("Add a server")
			.setDesc("A program or an address that lends its tools to your agents, in all your vaults. It is neither started nor trusted by that.");
		addAction(setting, "Take over from other programs", async () => this.takeOver());
		addAction(setting, "Add", () => { this.add(); }, "mod-cta");
	}

	private drawServer(server: ServerInfo): void {
		const { name, description } = server;
		const box = this.el.createDiv({ cls: "vault-bridge-program vault-bridge-server" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl, name);
		if (description !== "") showText(setting.descEl, description);
		addAction(setting, server.state === "ready" ? "Restart" : "Test", busy(async () => this.act("servers.test", { name })));
		addAction(setting, "Remove", async () => this.remove(name), "mod-warning");
		this.drawState(box, server);
		this.drawTrust(box, server);
		this.drawTools(box, server);
		if (server.log.length > 0) addLines(this.details(box, `${name} log`, "What it wrote last"), server.log.join("\n"), "What it wrote last");
	}

	private drawState(box: HTMLElement, server: ServerInfo): void {
		const { name, enabled } = server;
		const setting = new Setting(box).setName("Agents can load it");
		showText(setting.descEl, stateSentence(server));
		drawTold(setting.infoEl, server);
		addSwitch(setting, `Agents can load ${name}`, enabled, (wanted) => { void this.act("servers.enable", { name, enabled: wanted }); });
	}

	private drawTrust(box: HTMLElement, server: ServerInfo): void {
		const { name, trusted } = server;
		const setting = new Setting(box).setName("Trust").setDesc(trustSentence(server));
		if (trusted) addAction(setting, "No longer trust", busy(async () => this.act("servers.trust", { name, trusted: false })));
		else addAction(setting, "Trust", busy(async () => this.showAndTrust(name)));
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
		const details = addDetails(box, summary);
		details.open = this.opened.has(key);
		details.addEventListener("toggle", () => {
			if (details.open) this.opened.add(key);
			else this.opened.delete(key);
		});
		return details;
	}

	/** Connect it anew, and show what it is now. What is then trusted is exactly that, or nothing. */
	private async showAndTrust(name: string): Promise<void> {
		const trouble = await this.attempt(async () => {
			const server = await ask(this.context.request, "servers.test", { name });
			if (server.state !== "ready") throw new Error(server.reason);
			showTrust(this.context.app, server, () => void this.act("servers.trust", { name, trusted: true, digest: server.digest }));
		});
		if (trouble !== null) tell(trouble);
	}

	private add(): void {
		askServer(this.context.app, async (name, entry) => this.attempt(async () => this.context.request("servers.add", { name, entry })));
	}

	private async takeOver(): Promise<void> {
		const trouble = await this.attempt(async () => {
			const found = await ask(this.context.request, "servers.found");
			showFoundServers(this.context.app, found, async ({ agent, name }) => this.attempt(async () => this.context.request("servers.import", { agent, name })));
		});
		if (trouble !== null) tell(trouble);
	}

	private async remove(name: string): Promise<void> {
		const text = "It ends, its tools are gone, and what you allowed of it is forgotten. Variables and headers that are entered for it are gone, too.";
		if (await confirm(this.context.app, { title: `Remove ${sanitizePlain(name)}?`, text, action: "Remove" })) await this.act("servers.remove", { name });
	}
}
