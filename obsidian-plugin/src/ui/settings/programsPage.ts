/** The programs that the person gave a name and a token of their own: who they are, what they may do, and their end. */

import { Setting, SettingPage, type App } from "obsidian";
import { list, readable } from "../../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { labelOf } from "../../core/settings/labels";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import { capabilitySentence, presenceSentence, SHARED_ID, WEB_READER_MEANING, webReaderSentence } from "../../core/wire/clients";
import { Preset, type Capability, type ClientInfo, type Grant, type WebReaderInfo } from "../../core/wire/contract";
import { readClientInfo, readGrant, readNewClient, readWebReaderInfo } from "../../core/wire/readers";
import type { MethodName, MethodParams, Request } from "../../core/wire/request";
import { confirm } from "../confirmModal";
import { showText } from "../text";
import { drawGrant } from "./grantRow";
import { NameModal, TokenModal } from "./programModals";
import { tell } from "../notice";

const OLD = "The bridge of this vault is of an older version, which cannot tell programs apart. Update it.";

/** What a program may do in Obsidian itself. */
const SHARED = [
	["looking", "See what you look at", "The open note with the text around the cursor and what you select there, which notes have a tab and which you opened last. It is not asked about each time; closed notes stay closed. An eye in the status bar says while it is so."],
	["showing", "Open notes without a click", "Otherwise a notice offers to open what it wants to show you."],
] as const;
/** For how long, and how the bridge then says that it is so. */
const HOW_LONG = [["no", "No", null], ["session", "Until the bridge stops", "stop"], ["always", "Until I take it back", "unused"]] as const;

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
		let readers: WebReaderInfo[] = [];
		let trouble: string | null = null;
		try {
			clients = list(readClientInfo)(await this.actions.request("clients.list"), "clients.list");
			grants = readable(readGrant)(await this.actions.request("consent.grants"), "consent.grants");
			readers = await this.webReaders();
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
		for (const client of clients) {
			const { clientId } = client;
			this.drawClient(client, grants.filter((grant) => grant.clientId === clientId), readers.find((reader) => reader.clientId === clientId));
		}
		for (const reader of readers.filter(({ clientId }) => !clients.some((client) => client.clientId === clientId))) this.drawUnlisted(reader);
	}

	/** The programs that have read from the web. A bridge that does not know that marks none. */
	private async webReaders(): Promise<WebReaderInfo[]> {
		try {
			return readable(readWebReaderInfo)(await this.actions.request("web.readers"), "web.readers");
		} catch (error) {
			if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return [];
			throw error;
		}
	}

	private drawAdd(): void {
		new Setting(this.containerEl)
			.setName("Add a program")
			.setDesc("With a token of its own a program is known by the name that you give it, you can answer for it alone, and you can revoke it.")
			.addButton((button) => button.setButtonText("Add").setCta().onClick(() => { this.add(); }));
	}

	private drawClient(client: ClientInfo, grants: readonly Grant[], reader: WebReaderInfo | undefined): void {
		const { name, callsItself } = client;
		const box = this.containerEl.createDiv({ cls: "vault-bridge-program" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl, name);
		showText(setting.descEl, presenceSentence(client, day));
		if (callsItself !== null && callsItself !== name) showText(setting.descEl.createDiv(), `Calls itself “${callsItself}” (not verified).`);
		setting.addButton((button) => button.setButtonText("Rename").onClick(() => { this.rename(client); }));
		setting.addButton((button) => button.setButtonText("Revoke").onClick(() => void this.revoke(client)));
		setting.controlEl.lastElementChild?.addClass("mod-warning");
		if (reader) this.drawReader(box, reader, name);
		this.drawCapabilities(box, client);
		this.drawTools(box, client);
		this.drawElicitation(box, client);
		for (const [member, name, text] of SHARED) this.drawShared(box, client, member, name, text);
		for (const grant of grants) drawGrant(box, grant, async () => { await this.act("consent.revoke", { grantId: grant.grantId }); });
	}

	/** Those that have no name of their own, and whoever is not in the list any more. */
	private drawUnlisted(reader: WebReaderInfo): void {
		const shared = reader.clientId === SHARED_ID;
		const box = this.containerEl.createDiv({ cls: "vault-bridge-program" });
		showText(new Setting(box).setHeading().nameEl, shared ? "Programs without a name of their own" : reader.client);
		this.drawReader(box, reader, shared ? "programs without a name of their own" : reader.client);
	}

	private drawReader(box: HTMLElement, reader: WebReaderInfo, name: string): void {
		const setting = new Setting(box).setName("Has read from the web or another server");
		showText(setting.descEl, webReaderSentence(reader, day));
		setting.descEl.createDiv({ text: WEB_READER_MEANING });
		setting.addButton((button) => button.setButtonText("Trust it again").onClick(() => void this.trustAgain(reader.clientId, name)));
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

	private drawTools(box: HTMLElement, { clientId, name, preset }: ClientInfo): void {
		const setting = new Setting(box).setName("Its tools").setDesc("A set of its own. Where you chose the tools one by one, it has none but those.");
		setting.addDropdown((dropdown) => {
			dropdown.selectEl.setAttr("aria-label", sanitizePlain(`Tools of ${name}`));
			if (preset === null) dropdown.addOption("", "As set for all");
			else if (!Preset.some((one) => one === preset)) dropdown.addOption(preset, sanitizePlain(labelOf(preset)));
			for (const one of Preset) dropdown.addOption(one, labelOf(one));
			dropdown.setValue(preset ?? "").onChange((value) => {
				const chosen = Preset.find((one) => one === value);
				if (chosen !== undefined) void this.act("clients.update", { clientId, preset: chosen });
			});
		});
	}

	private drawElicitation(box: HTMLElement, { clientId, name, elicitation }: ClientInfo): void {
		const setting = new Setting(box).setName("Confirm reading there").setDesc("You may also say yes in the program itself, once at a time, when it wants to read notes. The program says whether you did: turn this on only where you trust it with that. A question appears that you then answer.");
		setting.addToggle((toggle) => {
			for (const input of toggle.toggleEl.findAll("input")) input.setAttr("aria-label", sanitizePlain(`Confirm what ${name} reads in it`));
			toggle.setValue(elicitation).onChange((wanted) => { void this.act("clients.update", { clientId, elicitation: wanted }); });
		});
	}

	private drawShared(box: HTMLElement, client: ClientInfo, member: "looking" | "showing", name: string, text: string): void {
		const { clientId } = client;
		new Setting(box).setName(name).setDesc(`${text} A question appears that you then answer.`).addDropdown((dropdown) => {
			dropdown.selectEl.setAttr("aria-label", sanitizePlain(`${name}: ${client.name}`));
			for (const [value, label] of HOW_LONG) dropdown.addOption(value, label);
			dropdown.setValue(HOW_LONG.find(([, , until]) => until === client[member])?.[0] ?? "no").onChange((value) => {
				const wanted = HOW_LONG.find(([one]) => one === value)?.[0];
				if (wanted !== undefined) void this.act("clients.update", { clientId, [member]: wanted });
			});
		});
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

	private async trustAgain(clientId: string, name: string): Promise<void> {
		const text = "What you allowed before holds again without these questions. If a page has told it what to do, it may still want to do that: begin a new conversation there first. When it reads from there again, it is asked about more again.";
		if (await confirm(this.app, { title: `Trust ${sanitizePlain(name)} again?`, text, action: "Trust it again" })) await this.act("web.clear", { clientId });
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
		if (trouble !== null) tell(trouble);
	}
}

function day(iso: string): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
	return date.toDateString() === new Date().toDateString() ? `today at ${date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}` : date.toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
}
