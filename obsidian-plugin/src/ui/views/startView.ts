/** From "enabled" to "first question answered": what is there, what is missing, and the next step, each in one place. */

import { ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import type { InstallCommand } from "../../core/program/commands";
import type { Trouble } from "../../core/program/trouble";
import { labelOf } from "../../core/settings/labels";
import { chooseFile } from "../chooseFile";
import { copyRow, type Copy } from "../copyRow";
import { showText } from "../text";
import { addButton } from "../addButton";
import type { AgentConnector, Agents } from "../agents/agentList";

/** What an agent may be asked at first: it reads, and proposes one change. */
const TASK = "Look through my notes in Obsidian, then write a new note “Hello.md” there that says what they are about.";
/** Milliseconds after which a page that waits for something looks again. */
const GLANCE = 3_000;

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
	showQuestion: (requestId: string) => void;
	connector: AgentConnector;
	/** The page is looked at, and time has passed. */
	glance: () => void;
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
	presets: { name: string; text: string; chosen: boolean }[];
	/** The programs of this machine; null until the bridge has said. */
	agents: Agents | null;
	/** What the person does after a program was connected just now. */
	next: string | null;
	/** The question of an agent that waits. */
	question: { requestId: string; asker: string; summary: string } | null;
	demo: Demo;
}

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
	private ownOpen = false;

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
		this.registerInterval(window.setInterval(() => { this.source.glance(); }, GLANCE));
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
		showText(el.createDiv(), program === null ? "Obsidian can start it as soon as it is installed. Or you, in a terminal:" : `Found: ${program}. Obsidian can start it, or you in a terminal:`);
		copyRow(el, serveCommand, "the command that starts the bridge", this.source.copy);
	}

	private drawTrouble(page: HTMLElement, { detail, trouble, kind }: StartState): void {
		if (detail === null) return;
		const warning = kind === "failed" || kind === "unreachable" || trouble !== null;
		const note = page.createDiv({ cls: `vault-bridge-note${warning ? " is-warning" : ""}`, attr: { role: "status" } });
		showText(note, detail);
		if (trouble && trouble.said !== "") showText(note.createEl("pre", { cls: "vault-bridge-said" }), trouble.said);
	}

	private drawInstall(el: HTMLElement, { install: [first, ...others], fromSource }: StartState): void {
		if (!first) return;
		this.title(el, "Install it, once", false);
		el.createDiv({ text: `Paste this into a terminal${fromSource ? ", in the folder of the source" : ""}. This page goes on by itself when it is done.` });
		this.drawCommand(el, first);
		if (others.length === 0) return;
		const more = el.createEl("details", { cls: "vault-bridge-details" });
		more.createEl("summary", { text: "Other ways" });
		for (const one of others) this.drawCommand(more, one);
	}

	private drawCommand(el: HTMLElement, { name, command }: InstallCommand): void {
		el.createDiv({ cls: "vault-bridge-copy-label", text: name });
		copyRow(el, command, "the command that installs the bridge", this.source.copy);
	}

	private drawRunning(page: HTMLElement, state: StartState): void {
		showText(page.createDiv({ cls: "vault-bridge-note" }), state.detail ?? "");
		const steps = page.createEl("ol", { cls: "vault-bridge-steps" });
		this.drawConnect(steps.createEl("li"), state);
		this.drawTask(steps.createEl("li"), state);
		this.drawQuestion(steps.createEl("li"), state);
		this.drawOwn(page, state);
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		const links: [string, () => void][] = [["View log", this.source.openLog], ["Changes", this.source.openChanges], ["Open settings", this.source.openSettings], ["Open the readme", this.source.openReadme]];
		for (const [text, action] of links) addButton(bar, text, action);
	}

	private drawConnect(el: HTMLElement, { agents }: StartState): void {
		this.title(el, "Connect the program in which you use AI", connectedOf(agents) !== null);
		if (agents === null) el.createDiv({ text: "Looking which programs are on this machine…" });
		else this.source.connector.draw(el, agents);
		if (agents?.kind === "listed" && !agents.agents.some(({ here }) => here)) el.createDiv({ text: "Install one of them, then open this page again." });
	}

	private drawTask(el: HTMLElement, { agents, next }: StartState): void {
		const title = connectedOf(agents);
		this.title(el, "Ask it something", false);
		if (title === null) el.createDiv({ cls: "vault-bridge-faint", text: "What to type appears here." });
		else {
			showText(el.createDiv(), next ?? `Start ${title} again if it was open.`);
			el.createDiv({ text: "Then type, for example:" });
			copyRow(el, TASK, "what to type", this.source.copy);
		}
	}

	private drawQuestion(el: HTMLElement, { kind, question, demo }: StartState): void {
		this.title(el, "Answer its first question", kind === "done");
		if (question !== null) {
			const note = el.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
			showText(note, `${question.asker} asks: ${question.summary}.`);
			addButton(note, "Show the question", () => { this.source.showQuestion(question.requestId); }, "mod-cta");
		} else if (kind === "done") el.createDiv({ text: "You have answered one. “Changes” lists what was written, each with “Undo”." });
		else el.createDiv({ text: "It opens by itself and shows what would change. Nothing is written before you allow it." });
		this.drawDemo(el, demo);
	}

	private drawDemo(el: HTMLElement, demo: Demo): void {
		const button = addButton(el, demo.kind === "asking" ? "Waiting for your answer…" : "Ask a demo question", this.source.askDemo);
		button.disabled = demo.kind === "asking";
		if (demo.kind !== "allowed" && demo.kind !== "not-allowed") return;
		const note = el.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
		showText(note, demo.text);
		const { executionId } = demo.kind === "allowed" ? demo : { executionId: null };
		if (executionId === null) return;
		addButton(note, "Undo…", () => { this.source.undoDemo(executionId); });
	}

	/** What only those need who write programs themselves. It stays open while the page is drawn anew. */
	private drawOwn(page: HTMLElement, state: StartState): void {
		const own = page.createEl("details", { cls: "vault-bridge-details vault-bridge-start-own" });
		own.open = this.ownOpen;
		own.addEventListener("toggle", () => { this.ownOpen = own.open; });
		own.createEl("summary", { text: "For your own programs" });
		own.createDiv({ text: "Programs that have no name of their own get these tools:" });
		this.drawPresets(own, state);
		own.createDiv({ text: "A name and a token for a program of yours come from a terminal:" });
		copyRow(own, state.clientCommand, "the command that adds an agent", this.source.copy);
		own.createDiv({ text: "A script that works under this name, for the Python that the bridge is installed in:" });
		copyRow(own, state.script, "the script", this.source.copy);
	}

	private drawPresets(el: HTMLElement, { presets }: StartState): void {
		const cards = el.createDiv({ cls: "vault-bridge-presets" });
		for (const preset of presets) {
			const card = cards.createEl("button", { cls: "vault-bridge-preset", type: "button", attr: { "aria-pressed": String(preset.chosen) } });
			const title = card.createDiv({ cls: "vault-bridge-preset-name" });
			showText(title, labelOf(preset.name));
			if (preset.chosen) setIcon(title.createSpan(), "check");
			showText(card.createDiv({ cls: "vault-bridge-preset-text" }), preset.text);
			card.addEventListener("click", () => { this.source.choosePreset(preset.name); });
		}
	}

	private title(el: HTMLElement, text: string, done: boolean): void {
		const title = el.createDiv({ cls: "vault-bridge-step-title", text });
		if (done) setIcon(title.createSpan({ attr: { "aria-label": "Done", role: "img" } }), "check");
	}
}

/** What the first program that is connected is called. */
function connectedOf(agents: Agents | null): string | null {
	return agents?.kind === "listed" ? (agents.agents.find(({ client }) => client !== null)?.title ?? null) : null;
}
