/** The programs that the person gave a name and a token of their own: who they are, what they may do, and their end. */

import { Setting, type App } from "obsidian";
import { labelOf } from "../../core/settings/labels";
import { sanitizePlain } from "../../core/text";
import { capabilitySentence, presenceSentence, SHARED_ID, WEB_READER_MEANING, webReaderSentence } from "../../core/wire/clients";
import { Preset, type Capability, type ClientInfo, type Grant, type WebReaderInfo } from "../../core/wire/contract";
import { ask, askIfKnown } from "../../core/wire/reading";
import { addAction, addChoice, addSwitch, busy } from "../controls";
import { addButton, addEmpty, showText } from "../elements";
import { LiveList } from "../liveList";
import { confirm, focusAtOpening, openWindow } from "../window";
import { drawGrant } from "./grantList";

const LONGEST_NAME = 80;

export interface NameQuestion {
	title: string;
	text: string;
	name: string;
	/** What the button says that takes the name. */
	action: string;
	/** Take the name. Null, or why it cannot be taken: then the person may write another. */
	take: (name: string) => Promise<string | null>;
}

function askName(app: App, { title, text, name, action, take }: NameQuestion): void {
	openWindow(app, title, "small", (window) => {
		window.addText(text);
		const input = window.contentEl.createEl("input", { cls: "vault-bridge-wide", type: "text", value: name, attr: { maxlength: String(LONGEST_NAME), "aria-label": "Name", spellcheck: "false" } });
		window.addForm(action, [input], async () => (input.value.trim() === "" ? "" : take(input.value.trim())));
		input.select();
		focusAtOpening(input);
	});
}

/** A window of its own, so that nothing that is drawn again behind it takes the token away. */
function showToken(app: App, name: string, token: string): void {
	openWindow(app, "Token of the new program", "small", (window) => {
		window.addText(`${name} was added and may call tools. It connects with this token:`);
		const row = window.contentEl.createDiv({ cls: "vault-bridge-token" });
		const field = row.createEl("input", { type: "text", value: token, attr: { readonly: "true", "aria-label": "Token", spellcheck: "false", autocomplete: "off" } });
		field.addEventListener("focus", () => { field.select(); });
		const button = addButton(row, "Copy", () => {
			void activeWindow.navigator.clipboard.writeText(token).then(
				() => { button.setText("Copied"); },
				() => { field.focus(); },
			);
		}, "mod-cta");
		window.addText("This is the only time it is shown; it cannot be shown again. If it gets lost, revoke the program and add it again. Keep it out of your notes: whoever has it can connect as this program.", "vault-bridge-faint");
		window.addCloser(window.addBar(), "Done");
		focusAtOpening(button);
	});
}

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

interface Programs {
	clients: ClientInfo[];
	grants: Grant[];
	readers: WebReaderInfo[];
}

export class ProgramList extends LiveList<Programs> {
	protected override readonly old = "cannot tell programs apart";
	protected override readonly events = ["clients.changed"] as const;

	protected override async load(): Promise<Programs> {
		const { request } = this.context;
		const [clients, grants, readers] = await Promise.all([ask(request, "clients.list"), ask(request, "consent.grants"), askIfKnown(request, "web.readers")]);
		// A bridge that does not know that marks none.
		return { clients, grants, readers: readers ?? [] };
	}

	protected override drawAll({ clients, grants, readers }: Programs): void {
		this.drawAdd();
		if (clients.length === 0) {
			addEmpty(this.el, "No program has a name of its own yet. All that connect share one token, and what they call themselves proves nothing.");
		}
		for (const client of clients) {
			const { clientId } = client;
			this.drawClient(client, grants.filter((grant) => grant.clientId === clientId), readers.find((reader) => reader.clientId === clientId));
		}
		for (const reader of readers.filter(({ clientId }) => !clients.some((client) => client.clientId === clientId))) this.drawUnlisted(reader);
	}

	private drawAdd(): void {
		const setting = new Setting(this.el).setName("Add a program").setDesc("With a token of its own a program is known by the name that you give it, you can answer for it alone, and you can revoke it.");
		addAction(setting, "Add", () => { this.add(); }, "mod-cta");
	}

	private drawClient(client: ClientInfo, grants: readonly Grant[], reader: WebReaderInfo | undefined): void {
		const { name, callsItself } = client;
		const box = this.el.createDiv({ cls: "vault-bridge-program" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl, name);
		showText(setting.descEl, presenceSentence(client, day));
		if (callsItself !== null && callsItself !== name) showText(setting.descEl.createDiv(), `Calls itself “${callsItself}” (not verified).`);
		addAction(setting, "Rename", () => { this.rename(client); });
		addAction(setting, "Revoke", async () => this.revoke(client), "mod-warning");
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
		const box = this.el.createDiv({ cls: "vault-bridge-program" });
		showText(new Setting(box).setHeading().nameEl, shared ? "Programs without a name of their own" : reader.client);
		this.drawReader(box, reader, shared ? "programs without a name of their own" : reader.client);
	}

	private drawReader(box: HTMLElement, reader: WebReaderInfo, name: string): void {
		const setting = new Setting(box).setName("Has read from the web or another server");
		showText(setting.descEl, webReaderSentence(reader, day));
		setting.descEl.createDiv({ text: WEB_READER_MEANING });
		addAction(setting, "Trust it again", async () => this.trustAgain(reader.clientId, name));
	}

	private drawCapabilities(box: HTMLElement, { clientId, capabilities }: ClientInfo): void {
		const missing = MORE.filter(([capability]) => !capabilities.includes(capability));
		const setting = new Setting(box).setName("What it may do");
		showText(setting.descEl, capabilitySentence(capabilities));
		if (missing.length > 0) setting.descEl.createDiv({ text: "For more, a question appears that you then answer." });
		for (const [capability, label] of missing) addAction(setting, label, busy(async () => this.act("clients.allow", { clientId, capability })));
	}

	private drawTools(box: HTMLElement, { clientId, name, preset }: ClientInfo): void {
		const setting = new Setting(box).setName("Its tools").setDesc("A set of its own. Where you chose the tools one by one, it has none but those.");
		const own: [string, string][] = preset === null ? [["", "As set for all"]] : Preset.some((one) => one === preset) ? [] : [[preset, labelOf(preset)]];
		addChoice(setting, `Tools of ${name}`, [...own, ...Preset.map((one) => [one, labelOf(one)] as const)], preset ?? "", (value) => {
			const chosen = Preset.find((one) => one === value);
			if (chosen !== undefined) void this.act("clients.update", { clientId, preset: chosen });
		});
	}

	private drawElicitation(box: HTMLElement, { clientId, name, elicitation }: ClientInfo): void {
		const setting = new Setting(box).setName("Confirm reading there").setDesc("You may also say yes in the program itself, once at a time, when it wants to read notes. The program says whether you did: turn this on only where you trust it with that. A question appears that you then answer.");
		addSwitch(setting, `Confirm what ${name} reads in it`, elicitation, (wanted) => { void this.act("clients.update", { clientId, elicitation: wanted }); });
	}

	private drawShared(box: HTMLElement, client: ClientInfo, member: "looking" | "showing", name: string, text: string): void {
		const setting = new Setting(box).setName(name).setDesc(`${text} A question appears that you then answer.`);
		const held = HOW_LONG.find(([, , until]) => until === client[member])?.[0] ?? "no";
		addChoice(setting, `${name}: ${client.name}`, HOW_LONG.map(([value, label]) => [value, label]), held, (value) => {
			const wanted = HOW_LONG.find(([one]) => one === value)?.[0];
			if (wanted !== undefined) void this.act("clients.update", { clientId: client.clientId, [member]: wanted });
		});
	}

	private add(): void {
		const take = async (name: string): Promise<string | null> =>
			this.attempt(async () => {
				const { client, token } = await ask(this.context.request, "clients.add", { name });
				showToken(this.context.app, client.name, token);
			});
		askName(this.context.app, { title: "Add a program", text: "What do you call it? You see this name wherever it asks or does something.", name: "", action: "Add", take });
	}

	private rename({ clientId, name }: ClientInfo): void {
		const take = async (wanted: string): Promise<string | null> => this.attempt(async () => this.context.request("clients.rename", { clientId, name: wanted }));
		askName(this.context.app, { title: "Rename a program", text: "Its token, its answers and its history stay.", name, action: "Rename", take });
	}

	private async revoke({ clientId, name }: ClientInfo): Promise<void> {
		const text = "Its token is refused from now on, for good. Its connections and its open questions end, and what you answered for it is forgotten. What it did stays in the log and under “Changes”.";
		if (await confirm(this.context.app, { title: `Revoke ${sanitizePlain(name)}?`, text, action: "Revoke" })) await this.act("clients.revoke", { clientId });
	}

	private async trustAgain(clientId: string, name: string): Promise<void> {
		const text = "Your earlier permissions apply again without these questions. If a page has told the program what to do, it may still try to do that, so begin a new conversation there first. When it reads from there again, these questions come back.";
		if (await confirm(this.context.app, { title: `Trust ${sanitizePlain(name)} again?`, text, action: "Trust it again" })) await this.act("web.clear", { clientId });
	}
}

function day(iso: string): string {
	const date = new Date(iso);
	if (Number.isNaN(date.getTime())) return iso.slice(0, 40);
	return date.toDateString() === new Date().toDateString() ? `today at ${date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" })}` : date.toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
}
