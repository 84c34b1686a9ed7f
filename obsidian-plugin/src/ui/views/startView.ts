/** From "enabled" to "first question answered": what is there, what is missing, and the next step, each in one place. */

import { ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import type { InstallCommand } from "../../core/program/commands";
import type { Trouble } from "../../core/program/trouble";
import { labelOf } from "../../core/settings/labels";
import { chooseFile } from "../chooseFile";
import { copyRow, type Copy } from "../copyRow";
import { showText } from "../text";
import { addButton } from "../addButton";

export const START_VIEW = "vault-bridge-start";

export interface StartSource {
	pluginName: string;
	state: () => StartState;
	onChange: (listener: () => void) => () => void;
	choosePreset: (name: string) => void;
	/** Look again for the bridge, and for its program. */
	lookAgain: () => void;
	startBridge: () => void;
	stopBridge: () => void;
	chooseProgram: (file: File) => void;
	testProgram: () => void;
	askDemo: () => void;
	undoDemo: (executionId: string) => void;
	copy: Copy;
	openReadme: () => void;
	openLog: () => void;
	openChanges: () => void;
	openSettings: () => void;
}

/** What became of the demo question. */
export type Demo =
	| { kind: "none" }
	| { kind: "asking" }
	| { kind: "allowed"; executionId: string | null; text: string }
	| { kind: "not-allowed"; text: string };

export interface StartState {
	/** How far the person is. `missing`: no program was found; `done`: a question was answered. */
	kind: "looking" | "missing" | "absent" | "starting" | "unreachable" | "failed" | "connected" | "done";
	/** How the bridge is, where that is more than the headline says. */
	detail: string | null;
	trouble: Trouble | null;
	/** Whether a program has to be installed or chosen first. */
	needsAnother: boolean;
	/** The program that was found. */
	program: string | null;
	canStart: boolean;
	canStop: boolean;
	install: InstallCommand[];
	/** Whether the installers need the folder of the source. */
	fromSource: boolean;
	serveCommand: string;
	clientCommand: string;
	script: string;
	presets: { name: string; tools: number; chosen: boolean }[];
	demo: Demo;
}

const PRESET_TEXTS: Readonly<Record<string, string>> = {
	minimal: "Agents find and read notes. Nothing can be changed.",
	vault: "Agents also create, edit, move and delete notes. Every change is shown to you first.",
	everything: "Every tool there is. Some still have a switch of their own in the settings.",
};

const HEADLINES: Readonly<Record<StartState["kind"], string>> = {
	looking: "Looking for Vault Bridge…",
	missing: "Vault Bridge is not installed, or not where Obsidian looks",
	absent: "Vault Bridge is installed but not running",
	starting: "Vault Bridge is starting…",
	unreachable: "Vault Bridge cannot be reached",
	failed: "Vault Bridge did not start",
	connected: "Vault Bridge runs",
	done: "Vault Bridge is ready",
};

export class StartView extends ItemView {
	private drawn = "";

	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: StartSource,
	) {
		super(leaf);
		this.icon = "shield-check";
	}

	override getViewType(): string {
		return START_VIEW;
	}

	override getDisplayText(): string {
		return `${this.source.pluginName}: getting started`;
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vault-bridge-view");
		this.drawn = "";
		this.register(this.source.onChange(() => { this.draw(); }));
		this.draw();
		return Promise.resolve();
	}

	/** What looks the same stays, with the focus and what was selected in it. */
	private draw(): void {
		const state = this.source.state();
		const looks = JSON.stringify(state);
		if (looks === this.drawn) return;
		this.drawn = looks;
		this.contentEl.empty();
		const page = this.contentEl.createDiv({ cls: "vault-bridge-start" });
		const runs = state.kind === "connected" || state.kind === "done";
		const head = page.createDiv({ cls: "vault-bridge-start-head", attr: { role: "heading", "aria-level": "1" } });
		setIcon(head.createSpan(), runs ? "shield-check" : state.kind === "failed" || state.kind === "unreachable" ? "shield-alert" : "shield-off");
		head.createSpan({ text: HEADLINES[state.kind] });
		if (runs) this.drawRunning(page, state);
		else this.drawStarting(page, state);
	}

	private drawStarting(page: HTMLElement, state: StartState): void {
		const { program } = state;
		this.drawTrouble(page, state);
		if (state.kind === "looking") return;
		const steps = page.createEl("ol", { cls: "vault-bridge-steps" });
		if (state.needsAnother) this.drawInstall(steps.createEl("li"), state);
		// Without ours, the command could be the other program's.
		if (program !== null || state.trouble?.kind !== "wrong") this.drawStart(steps.createEl("li"), state);
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		const add = (text: string, action: () => void, main = false): HTMLButtonElement => {
			const button = bar.createEl("button", { cls: main ? "mod-cta" : "", text, type: "button" });
			button.addEventListener("click", action);
			return button;
		};
		if (program !== null) add("Start the bridge", this.source.startBridge, true).disabled = !state.canStart;
		if (state.canStop) add(state.kind === "failed" ? "Stop trying" : "Stop", this.source.stopBridge);
		add("Look again", this.source.lookAgain, program === null);
		add("Choose the program…", () => { chooseFile(this.source.chooseProgram); });
		if (program !== null) add("Test the program", this.source.testProgram);
		add("Open the readme", this.source.openReadme);
	}

	private drawStart(el: HTMLElement, { program, serveCommand }: StartState): void {
		this.title(el, "Start it for this vault", false);
		if (program === null) el.createDiv({ text: "Select “Look again” when it is installed. Obsidian can then start it; or start it in a terminal:" });
		else showText(el.createDiv(), `Found: ${program}. Obsidian can start it, or you in a terminal:`);
		copyRow(el, serveCommand, "the command that starts the bridge", this.source.copy);
	}

	private drawTrouble(page: HTMLElement, { detail, trouble, kind }: StartState): void {
		if (detail === null) return;
		const warning = kind === "failed" || kind === "unreachable" || trouble !== null;
		const note = page.createDiv({ cls: `vault-bridge-note${warning ? " is-warning" : ""}`, attr: { role: "status" } });
		showText(note, detail);
		if (trouble && trouble.said !== "") showText(note.createEl("pre", { cls: "vault-bridge-said" }), trouble.said);
	}

	private drawInstall(el: HTMLElement, { install, fromSource }: StartState): void {
		this.title(el, "Install it, once", false);
		el.createDiv({ text: `Paste one of these into a terminal${fromSource ? ", in the folder of the source" : ""}. The first also brings the right Python; the second needs Python 3.11 to 3.13.` });
		for (const { name, command } of install) {
			el.createDiv({ cls: "vault-bridge-copy-label", text: `With ${name}` });
			copyRow(el, command, `the command for ${name}`, this.source.copy);
		}
	}

	private drawRunning(page: HTMLElement, state: StartState): void {
		const { detail, presets, demo } = state;
		showText(page.createDiv({ cls: "vault-bridge-note" }), detail ?? "");
		const steps = page.createEl("ol", { cls: "vault-bridge-steps" });
		const tools = steps.createEl("li");
		this.title(tools, "Choose which tools agents have", presets.some(({ chosen }) => chosen));
		tools.createDiv({ text: "You can change it at any time in the settings." });
		this.drawPresets(tools, state);
		const question = steps.createEl("li");
		this.title(question, "Answer a first question", state.kind === "done");
		question.createDiv({ text: "The bridge asks you whether it may create one note. Allow it or not: nothing else happens, and you can undo it." });
		this.drawDemo(question, demo);
		const agent = steps.createEl("li");
		this.title(agent, "Connect an agent", false);
		agent.createDiv({ text: "Claude Code, Claude Desktop, Codex, Cursor, VS Code, Gemini CLI and OpenCode are connected in the settings, on the page “Connect an agent”. It also says how any other program that speaks MCP connects." });
		agent.createDiv({ text: "For a program of your own, make a name and a token in a terminal:" });
		copyRow(agent, state.clientCommand, "the command that adds an agent", this.source.copy);
		agent.createDiv({ text: "A script that works under this name, for the Python that the bridge is installed in:" });
		copyRow(agent, state.script, "the script", this.source.copy);
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		const links: [string, () => void][] = [["View log", this.source.openLog], ["Changes", this.source.openChanges], ["Open settings", this.source.openSettings], ["Open the readme", this.source.openReadme]];
		for (const [text, action] of links) bar.createEl("button", { text, type: "button" }).addEventListener("click", action);
	}

	private drawDemo(el: HTMLElement, demo: Demo): void {
		const button = el.createEl("button", { cls: demo.kind === "none" ? "mod-cta" : "", text: demo.kind === "asking" ? "Waiting for your answer…" : "Ask a demo question", type: "button" });
		button.disabled = demo.kind === "asking";
		button.addEventListener("click", this.source.askDemo);
		if (demo.kind !== "allowed" && demo.kind !== "not-allowed") return;
		const note = el.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
		showText(note, demo.text);
		const { executionId } = demo.kind === "allowed" ? demo : { executionId: null };
		if (executionId === null) return;
		addButton(note, "Undo…", () => { this.source.undoDemo(executionId); });
	}

	private drawPresets(el: HTMLElement, { presets }: StartState): void {
		const cards = el.createDiv({ cls: "vault-bridge-presets" });
		for (const preset of presets) {
			const card = cards.createEl("button", { cls: "vault-bridge-preset", type: "button", attr: { "aria-pressed": String(preset.chosen) } });
			const title = card.createDiv({ cls: "vault-bridge-preset-name" });
			showText(title, labelOf(preset.name));
			if (preset.chosen) setIcon(title.createSpan(), "check");
			card.createDiv({ cls: "vault-bridge-preset-text", text: PRESET_TEXTS[preset.name] ?? `${preset.tools} tools` });
			card.addEventListener("click", () => { this.source.choosePreset(preset.name); });
		}
	}

	private title(el: HTMLElement, text: string, done: boolean): void {
		const title = el.createDiv({ cls: "vault-bridge-step-title", text });
		if (done) setIcon(title.createSpan({ attr: { "aria-label": "Done", role: "img" } }), "check");
	}
}
