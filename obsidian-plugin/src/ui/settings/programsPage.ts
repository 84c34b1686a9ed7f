/** The programs that the person gave a name and a token of their own: who they are, what they may do, and their end. */

import { Notice, Setting, SettingPage, type App } from "obsidian";
import { list, readable } from "../../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import { capabilitySentence, presenceSentence } from "../../core/wire/clients";
import type { Capability, ClientInfo, Grant } from "../../core/wire/contract";
import { readClientInfo, readGrant, readNewClient } from "../../core/wire/readers";
import type { MethodName, MethodParams, Request } from "../../core/wire/request";
import { confirm } from "../confirmModal";
import { showText } from "../text";
import { drawGrant } from "./grantRow";
import { NameModal, TokenModal } from "./programModals";

const OLD = "The bridge of this vault is of an older version, which cannot tell programs apart. Update it.";

/** What more a program may be allowed, and the words of the button. */
const MORE: readonly (readonly [Capability, string])[] = [
	["answer", "Let it answer questions"],
	["administer", "Let it administer"],
];

export interface ProgramActions {
	request: Request;
	/** Call back whenever a program was added or changed. Returns the function that ends it. */
	onChange: (listener: () => void) => () => void;
	copy: (text: string) => Promise<void>;
}

export class ProgramsPage extends SettingPage {
	override title = "Connected programs";
	private unfollow: (() => void) | null = null;
	private drawing = 0;

	constructor(
		private readonly app: App,
		private readonly actions: ProgramActions,
	) {
		super();
	}

	override display(): void {
		this.unfollow ??= this.actions.onChange(() => {
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
		let clients: ClientInfo[] = [];
		let grants: Grant[] = [];
		let trouble: string | null = null;
		try {
			clients = list(readClientInfo)(await this.actions.request("clients.list"), "clients.list");
			grants = readable(readGrant)(await this.actions.request("consent.grants"), "consent.grants");
		} catch (error) {
			trouble = error instanceof RpcError && error.code === METHOD_NOT_FOUND ? OLD : messageOf(error);
		}
		if (turn !== this.drawing) return;
		this.containerEl.empty();
		if (trouble !== null) {
			showText(this.containerEl.createDiv({ cls: "vault-bridge-empty" }), trouble);
			return;
		}
		this.drawAdd();
		if (clients.length === 0) {
			this.containerEl.createDiv({ cls: "vault-bridge-empty", text: "No program has a name of its own yet. All that connect share one token, and what they call themselves proves nothing." });
		}
		for (const client of clients) this.drawClient(client, grants.filter((grant) => grant.clientId === client.clientId));
	}

	private drawAdd(): void {
		new Setting(this.containerEl)
			.setName("Add a program")
			.setDesc("With a token of its own a program is known by the name that you give it, you can answer for it alone, and you can revoke it.")
			.addButton((button) => button.setButtonText("Add").setCta().onClick(() => { this.add(); }));
	}

	private drawClient(client: ClientInfo, grants: readonly Grant[]): void {
		const { name, callsItself } = client;
		const box = this.containerEl.createDiv({ cls: "vault-bridge-program" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl, name);
		showText(setting.descEl, presenceSentence(client, day));
		if (callsItself !== null && callsItself !== name) showText(setting.descEl.createDiv(), `Calls itself “${callsItself}” (not verified).`);
		setting.addButton((button) => button.setButtonText("Rename").onClick(() => { this.rename(client); }));
		setting.addButton((button) => button.setButtonText("Revoke").onClick(() => void this.revoke(client)));
		setting.controlEl.lastElementChild?.addClass("mod-warning");
		this.drawCapabilities(box, client);
		for (const grant of grants) drawGrant(box, grant, async () => { await this.act("consent.revoke", { grantId: grant.grantId }); });
	}

	private drawCapabilities(box: HTMLElement, { clientId, capabilities }: ClientInfo): void {
		const missing = MORE.filter(([capability]) => !capabilities.includes(capability));
		const setting = new Setting(box).setName("What it may do");
		showText(setting.descEl, capabilitySentence(capabilities));
		if (missing.length > 0) setting.descEl.createDiv({ text: "For more, a question appears that you then answer." });
		for (const [capability, label] of missing) {
			setting.addButton((button) =>
				button.setButtonText(label).onClick(async () => {
					button.setDisabled(true);
					await this.act("clients.allow", { clientId, capability });
				}),
			);
		}
	}

	private add(): void {
		const take = async (name: string): Promise<string | null> =>
			this.attempt(async () => {
				const { client, token } = readNewClient(await this.actions.request("clients.add", { name }), "clients.add");
				new TokenModal(this.app, client.name, token, this.actions.copy).open();
			});
		new NameModal(this.app, { title: "Add a program", text: "What do you call it? You see this name wherever it asks or does something.", name: "", action: "Add", take }).open();
	}

	private rename({ clientId, name }: ClientInfo): void {
		const take = async (wanted: string): Promise<string | null> => this.attempt(async () => this.actions.request("clients.rename", { clientId, name: wanted }));
		new NameModal(this.app, { title: "Rename a program", text: "Its token, its answers and its history stay.", name, action: "Rename", take }).open();
	}

	private async revoke({ clientId, name }: ClientInfo): Promise<void> {
		const text = "Its token is refused from now on, for good. Its connections and its open questions end, and what you answered for it is forgotten. What it did stays in the log and can still be undone.";
		if (await confirm(this.app, { title: `Revoke ${sanitizePlain(name)}?`, text, action: "Revoke" })) await this.act("clients.revoke", { clientId });
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
		const trouble = await this.attempt(async () => this.actions.request(method, params));
		if (trouble !== null) new Notice(sanitizePlain(trouble));
	}
}

function day(iso: string): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
	return date.toDateString() === new Date().toDateString() ? `today at ${date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}` : date.toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
}
