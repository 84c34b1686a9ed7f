/** From the note: ask the chat about it, or send it to a connected program, whose next answer carries it. The bridge says in which words. */

import { FuzzySuggestModal, type App } from "obsidian";
import { sanitizePlain } from "../core/text";
import type { ClientInfo, Screen } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import { screenOf } from "../platform/screen";
import { tell, tellFailure } from "../ui/notice";
import { confirm } from "../ui/window";
import { Feature } from "./feature";

type Open = NonNullable<Screen["open"]>;

const CHAT = "chat";

export class Sending extends Feature {
	override onload(): void {
		const add = (id: string, name: string, act: () => Promise<void>): void => { this.command(id, name, () => { act().catch(tellFailure); }); };
		add("ask-about-note", "Ask about this note", async () => this.askAbout(false));
		add("ask-about-selection", "Ask about the selection", async () => this.askAbout(true));
		add("send-to-agent", "Send to the agent", async () => this.choose());
		this.hear({ "screen.sent": ({ message }) => { tell(message, 0); } });
	}

	private async askAbout(selection: boolean): Promise<void> {
		const open = this.inFront();
		if (!open) return;
		if (selection && !open.selection?.text) tell("Nothing is selected.");
		else this.context.open.message(await this.request("screen.compose", CHAT, selection ? open : { ...open, selection: null }));
	}

	private async choose(): Promise<void> {
		const { app, request } = this.context;
		const open = this.inFront();
		if (!open) return;
		const clients = (await ask(request, "clients.list")).filter(({ connected }) => connected > 0);
		if (clients.length === 0) tell("No program with a name of its own is connected.");
		else new ProgramModal(app, clients, (client) => void this.send(client, open).catch(tellFailure)).open();
	}

	private async send({ clientId, name }: ClientInfo, open: Open): Promise<void> {
		const quote = await this.request("screen.compose", clientId, open);
		const text = `This is what ${name} gets with its next answer, once. It lapses if ${name} disconnects before.`;
		if (!(await confirm(this.context.app, { title: `Send to ${name}?`, text, quote, action: "Send" }))) return;
		await this.request("screen.send", clientId, open);
		tell(`${name} gets it with its next answer.`);
	}

	private inFront(): Open | null {
		const { app } = this.context;
		const { open = null } = screenOf(app, app.workspace.getMostRecentLeaf());
		if (!open) tell("No note is open.");
		return open;
	}

	private async request(method: "screen.compose" | "screen.send", clientId: string, open: Open): Promise<string> {
		return (await ask(this.context.request, method, { clientId, open })).text;
	}
}

class ProgramModal extends FuzzySuggestModal<ClientInfo> {
	constructor(
		app: App,
		private readonly clients: ClientInfo[],
		private readonly choose: (client: ClientInfo) => void,
	) {
		super(app);
		this.setPlaceholder("Send to which program?");
	}

	override getItems(): ClientInfo[] {
		return this.clients;
	}

	override getItemText({ name }: ClientInfo): string {
		return sanitizePlain(name);
	}

	override onChooseItem(client: ClientInfo): void {
		this.choose(client);
	}
}
