/** What connecting or disconnecting a program would change on this machine, and how much it may read without asking. */

import { TFolder, type App } from "obsidian";
import type { AgentPlan } from "../../core/wire/contract";
import { drawFiles } from "../diff/fileList";
import { showText } from "../elements";
import { openWindow } from "../window";

const WHOLE = "/";

const CHOICES = [
	["ask", "It asks each time", "You are asked about every note."],
	["some", "These folders", "It asks for everything else."],
	["all", "All notes", "It does not ask you to read, only to change."],
] as const;

type Choice = (typeof CHOICES)[number][0];

/** Draw the choice. Returns what is chosen now, as the bridge takes it. */
function drawReadingChoice(el: HTMLElement, app: App): () => string[] {
	let chosen: Choice = "ask";
	const folders = new Set<string>();
	const group = el.createDiv({ cls: "vault-bridge-reading", attr: { role: "radiogroup", "aria-label": "What it may read without asking" } });
	group.createDiv({ cls: "vault-bridge-reading-title", text: "What may it read without asking?" });
	const list = createDiv({ cls: "vault-bridge-reading-folders" });
	for (const [choice, name, text] of CHOICES) {
		const label = group.createEl("label");
		const input = label.createEl("input", { type: "radio", attr: { name: "vault-bridge-reading", value: choice } });
		input.checked = choice === chosen;
		input.addEventListener("change", () => {
			chosen = choice;
			list.toggleClass("is-hidden", choice !== "some");
		});
		const words = label.createSpan();
		words.createSpan({ text: name });
		words.createSpan({ cls: "vault-bridge-faint", text });
		if (choice === "some") group.append(list);
	}
	list.addClass("is-hidden");
	for (const path of topFolders(app)) {
		const label = list.createEl("label");
		const box = label.createEl("input", { type: "checkbox" });
		box.addEventListener("change", () => {
			if (box.checked) folders.add(path);
			else folders.delete(path);
		});
		showText(label.createSpan(), path);
	}
	group.createDiv({ cls: "vault-bridge-faint", text: "Closed notes stay closed. You can change this at any time under “Remembered answers”." });
	return () => (chosen === "all" ? [WHOLE] : chosen === "some" ? [...folders].map((path) => `${path}/`) : []);
}

function topFolders(app: App): string[] {
	return app.vault.getRoot().children.filter((child) => child instanceof TFolder).map(({ path }) => path).sort((left, right) => left.localeCompare(right));
}

/** @param act - Does it; `reads` are the folders that the program reads without asking. */
export function showAgentPlan(app: App, title: string, { client, files, kept, removes }: AgentPlan, act: (reads: readonly string[]) => void): void {
	const label = removes ? "Disconnect" : "Connect";
	openWindow(app, `${label} ${title}?`, "tall", (window) => {
		const body = window.addBody();
		showText(
			body.createEl("p"),
			removes
				? "Its entry is taken out of the configuration. If connecting had made its token, that is refused from then on."
				: `It is called “${client}” here, and asks about whatever you have not allowed.`,
		);
		const reads = removes ? () => [] : drawReadingChoice(body, app);
		for (const sentence of kept) showText(body.createDiv({ cls: "vault-bridge-note" }), sentence);
		if (files.length > 0) body.createDiv({ cls: "vault-bridge-reading-title", text: "What changes on this machine" });
		if (files.length > 0) window.ends.push(drawFiles(body, files, null));
		else body.createDiv({ cls: "vault-bridge-note", text: "No file has to be changed." });
		window.offer(label, () => { act(reads()); }, removes ? "mod-warning" : "mod-cta");
	});
}
