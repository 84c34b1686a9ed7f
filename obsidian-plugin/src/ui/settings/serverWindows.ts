/** The windows of other MCP servers: one enters a server, one takes servers over, one shows what is trusted. What servers say is text of others. */

import { Setting, type App } from "obsidian";
import { sanitizePlain } from "../../core/text";
import type { FoundServer, ServerInfo, ServerToolInfo } from "../../core/wire/contract";
import { differenceOf, entryOf, toolCount, toolWords, WHILE_TRUSTED } from "../../core/wire/servers";
import { addDetails, addLines, addProblem, showLongText, showText } from "../elements";
import { focusAtOpening, openWindow } from "../window";

/** What is started or reached, and how that differs from what was allowed. */
export function drawTold(el: HTMLElement, { told, change }: ServerInfo): void {
	addLines(el, told.join("\n"), "What is started or reached");
	if (change === null) return;
	const difference = differenceOf(change);
	const note = el.createDiv({ cls: "vault-bridge-problem is-warning" });
	showText(note, difference === null ? "Not allowed yet: you are asked before an agent connects it." : "It is started or reached otherwise than when you allowed it, and you are asked again:");
	if (difference !== null) addLines(el, difference, "What is different");
}

/**
 * One tool, as it describes itself.
 *
 * @param isOpen - Whether its schema is shown at once, and not only when it is opened.
 */
export function drawTool(el: HTMLElement, tool: ServerToolInfo, isOpen: boolean): void {
	const box = el.createDiv({ cls: "vault-bridge-server-tool" });
	showText(box.createEl("code"), tool.call);
	if (tool.title !== "" && tool.title !== tool.name) showText(box.createSpan(), ` ${tool.title}`);
	const words = toolWords(tool);
	if (words !== "") showText(box.createDiv({ cls: "vault-bridge-faint" }), words);
	showLongText(box.createDiv(), tool.description);
	if (tool.takes !== "") {
		const details = addDetails(box, "What it takes");
		details.open = isOpen;
		addLines(details, tool.takes, "What it takes");
	}
	const difference = differenceOf(tool.change);
	if (difference === null) return;
	box.createDiv({ cls: "vault-bridge-problem is-warning", text: "It describes itself otherwise than when you allowed it, and is asked about again:" });
	addLines(box, difference, "What is different");
}

const IN_A_TERMINAL = "vault-bridge servers add";

/** @param enter - Enter the server. Null, or why it cannot be: then the person may write something else. */
export function askServer(app: App, enter: (name: string, entry: Record<string, unknown>) => Promise<string | null>): void {
	openWindow(app, "Add a server", "small", (window) => {
		const { contentEl } = window;
		const field = <K extends "input" | "textarea">(tag: K, label: string, description: string): HTMLElementTagNameMap[K] =>
			new Setting(contentEl).setName(label).setDesc(description).controlEl.createEl(tag, { attr: { "aria-label": label, spellcheck: "false", ...(tag === "input" ? { type: "text" } : { rows: "3" }) } });
		const name = field("input", "Name", "Up to 24 letters, digits, - and single _. Its tools are called after it.");
		const target = field("input", "Program or address", "What is started on this machine, such as npx, or what is reached, beginning with https://.");
		const args = field("textarea", "Arguments", "What the program is started with, one on each line. Folders among them it may read and write.");
		const description = field("input", "Description", "What it is for. Agents read it.");
		const secrets = contentEl.createEl("p", { cls: "vault-bridge-faint", text: "Variables and headers, which can hold secrets, are not entered here but in a terminal, where their values are not shown: " });
		showText(secrets.createEl("code"), IN_A_TERMINAL);
		window.addForm("Add", [name, target, description], async () => {
			const [called, reached] = [name.value.trim(), target.value.trim()];
			return called === "" || reached === "" ? "" : enter(called, entryOf({ target: reached, args: args.value, description: description.value }));
		});
		focusAtOpening(name);
	});
}

/** @param take - Take one over. Null, or why it cannot be. */
export function showFoundServers(app: App, found: readonly FoundServer[], take: (server: FoundServer) => Promise<string | null>): void {
	openWindow(app, "Take over from other programs", "tall", (window) => {
		const body = window.addBody();
		body.createEl("p", { text: found.length > 0 ? "These programs have the servers in their configurations. There they stay too; here they are entered, not started and not trusted." : "No other program on this machine has a server that can be taken over." });
		for (const server of found) drawFound(body, server, take);
		focusAtOpening(window.addCloser(window.addBar(), "Done"));
	});
}

function drawFound(body: HTMLElement, server: FoundServer, take: (server: FoundServer) => Promise<string | null>): void {
	const { name, program, told, fault, known } = server;
	const setting = new Setting(body);
	setting.settingEl.addClass("vault-bridge-server-found");
	showText(setting.nameEl, name);
	showText(setting.descEl, fault ?? `In the configuration of ${program}.`);
	if (told.length > 0) addLines(setting.infoEl, told.join("\n"), "What is started or reached");
	if (fault !== null) return;
	setting.addButton((button) => {
		const entered = (): void => {
			button.setButtonText("Entered").setDisabled(true);
			button.buttonEl.removeAttribute("aria-label");
		};
		button.buttonEl.setAttr("aria-label", sanitizePlain(`Take over ${name}`));
		button.setButtonText("Take over").onClick(async () => {
			button.setDisabled(true);
			const refusal = await take(server);
			if (refusal === null) entered();
			else {
				button.setDisabled(false);
				addProblem(setting.infoEl, refusal);
			}
		});
		if (known) entered();
	});
}

/** Show exactly what is trusted. */
export function showTrust(app: App, server: ServerInfo, trust: () => void): void {
	const { name, tools, faults } = server;
	openWindow(app, `Trust ${name}?`, "tall", (window) => {
		const body = window.addBody();
		body.createEl("p", { text: `Agents then use its tools without a question, as long as they are as shown here, ${WHILE_TRUSTED}` });
		drawTold(body, server);
		body.createDiv({ cls: "vault-bridge-label", text: toolCount(tools.length) });
		for (const tool of tools) drawTool(body, tool, true);
		for (const fault of faults) showText(body.createDiv({ cls: "vault-bridge-note" }), fault);
		window.offer("Trust", trust, "mod-warning");
	});
}
