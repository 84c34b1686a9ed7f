/** The windows of other MCP servers: one enters a server, one takes servers over, one shows what is trusted. */

import { Modal, Setting, type App } from "obsidian";
import { sanitizePlain } from "../../core/text/sanitize";
import type { FoundServer, ServerInfo } from "../../core/wire/contract";
import { entryOf, toolCount } from "../../core/wire/servers";
import { focusAtOpening } from "../firstFocus";
import { showText } from "../text";
import { drawLines, drawTold, drawTool } from "./serverFacts";
import { addBar, addButton } from "../addButton";

const IN_A_TERMINAL = "vault-bridge servers add";

export class AddServerModal extends Modal {
	/** @param enter - Enter the server. Null, or why it cannot be: then the person may write something else. */
	constructor(
		app: App,
		private readonly enter: (name: string, entry: Record<string, unknown>) => Promise<string | null>,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-window");
		this.setTitle("Add a server");
		const name = this.field("Name", "Up to 24 letters, digits, - and single _. Its tools are called after it.");
		const target = this.field("Program or address", "What is started on this machine, such as npx, or what is reached, beginning with https://.");
		const row = new Setting(this.contentEl).setName("Arguments").setDesc("What the program is started with, one on each line. Folders among them it may read and write.");
		const args = row.controlEl.createEl("textarea", { attr: { rows: "3", "aria-label": "Arguments", spellcheck: "false" } });
		const description = this.field("Description", "What it is for. Agents read it.");
		const secrets = this.contentEl.createEl("p", { cls: "vault-bridge-faint", text: "Variables and headers, which can hold secrets, are not entered here but in a terminal, where their values are not shown: " });
		showText(secrets.createEl("code"), IN_A_TERMINAL);
		const problem = this.contentEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
		const bar = addBar(this.contentEl);
		const button = bar.createEl("button", { cls: "mod-cta", text: "Add", type: "button" });
		const submit = async (): Promise<void> => {
			if (button.disabled || name.value.trim() === "" || target.value.trim() === "") return;
			button.disabled = true;
			const refusal = await this.enter(name.value.trim(), entryOf({ target: target.value, args: args.value, description: description.value }));
			button.disabled = false;
			problem.empty();
			if (refusal === null) this.close();
			else showText(problem, refusal);
		};
		button.addEventListener("click", () => void submit());
		for (const input of [name, target, description]) {
			input.addEventListener("keydown", (event) => {
				if (event.key === "Enter" && !event.isComposing) void submit();
			});
		}
		addButton(bar, "Cancel", () => { this.close(); });
		focusAtOpening(name);
	}

	override onClose(): void {
		this.contentEl.empty();
	}

	private field(label: string, description: string): HTMLInputElement {
		const setting = new Setting(this.contentEl).setName(label).setDesc(description);
		return setting.controlEl.createEl("input", { type: "text", attr: { "aria-label": label, spellcheck: "false" } });
	}
}

export class TakeOverModal extends Modal {
	/** @param take - Take one over. Null, or why it cannot be. */
	constructor(
		app: App,
		private readonly found: readonly FoundServer[],
		private readonly take: (server: FoundServer) => Promise<string | null>,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-consent");
		this.setTitle("Take over from other programs");
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		body.createEl("p", { text: this.found.length > 0 ? "These programs have the servers in their configurations. There they stay too; here they are entered, not started and not trusted." : "No other program on this machine has a server that can be taken over." });
		for (const server of this.found) this.drawFound(body, server);
		const bar = addBar(this.contentEl);
		const done = addButton(bar, "Done", () => { this.close(); });
		focusAtOpening(done);
	}

	override onClose(): void {
		this.contentEl.empty();
	}

	private drawFound(body: HTMLElement, server: FoundServer): void {
		const { name, program, told, fault, known } = server;
		const setting = new Setting(body);
		setting.settingEl.addClass("vault-bridge-server-found");
		showText(setting.nameEl, name);
		showText(setting.descEl, fault ?? `In the configuration of ${program}.`);
		if (told.length > 0) drawLines(setting.infoEl, told.join("\n"), "What is started or reached");
		if (fault !== null) return;
		setting.addButton((button) => {
			const entered = (): void => {
				button.setButtonText("Entered").setDisabled(true);
				button.buttonEl.removeAttribute("aria-label");
			};
			button.buttonEl.setAttr("aria-label", sanitizePlain(`Take over ${name}`));
			button.setButtonText("Take over").onClick(async () => {
				button.setDisabled(true);
				const refusal = await this.take(server);
				if (refusal === null) entered();
				else {
					button.setDisabled(false);
					showText(setting.infoEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } }), refusal);
				}
			});
			if (known) entered();
		});
	}
}

/** Shows exactly what is trusted. */
export class TrustModal extends Modal {
	constructor(
		app: App,
		private readonly server: ServerInfo,
		private readonly trust: () => void,
	) {
		super(app);
	}

	override onOpen(): void {
		const { name, tools, faults } = this.server;
		this.modalEl.addClass("vault-bridge-consent");
		this.setTitle(sanitizePlain(`Trust ${name}?`));
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		body.createEl("p", { text: "Agents then use its tools without a question, as they are shown here, and can send it anything that they have read. A tool that says of itself that it destroys, is new, or has changed is asked about all the same." });
		drawTold(body, this.server);
		body.createDiv({ cls: "vault-bridge-label", text: toolCount(tools.length) });
		for (const tool of tools) drawTool(body, tool, true);
		for (const fault of faults) showText(body.createDiv({ cls: "vault-bridge-note" }), fault);
		const bar = addBar(this.contentEl);
		const cancel = addButton(bar, "Cancel", () => { this.close(); });
		addButton(bar, "Trust", () => {
			this.close();
			this.trust();
		}, "mod-warning");
		focusAtOpening(cancel);
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}
