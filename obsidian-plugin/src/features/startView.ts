/** From "enabled" to "first question answered": what is there, what is missing, and the next step, each in one place. */

import { setIcon, type WorkspaceLeaf } from "obsidian";
import { askerOf } from "../core/consent/asker";
import { installCommands, installSource, quoted, typedProgram, type InstallCommand } from "../core/program/commands";
import { needsAnother, NOT_INSTALLED } from "../core/program/trouble";
import type { Connection, State } from "../core/rpc/connection";
import { labelOf } from "../core/settings/labels";
import { listOf } from "../core/settings/store";
import { presetOf, presetText } from "../core/settings/tools";
import { chooseFile } from "../platform/chosenFile";
import { folderOf } from "../platform/discovery";
import { connectedOf } from "../ui/agents/agentList";
import { copyRow } from "../ui/clipboard";
import type { Context } from "../ui/context";
import { addButton, addDetails, keepFocus, showText } from "../ui/elements";
import { reverse } from "../ui/reversing";
import { Pane, type Face } from "../ui/views/pane";
import type { Demo, FirstRun } from "./firstRun";
import type { SidecarProcess } from "./sidecarProcess";

/** What an agent may be asked at first: it reads, and proposes one change. */
const TASK = "Look through my notes in Obsidian, then write a new note “Hello.md” there that says what they are about.";
/** Milliseconds after which a page that waits for something looks again. */
const GLANCE = 3_000;

const HEADLINES = {
	looking: "Looking for Vault Bridge…",
	missing: "Vault Bridge is not installed, or not where Obsidian looks",
	absent: "Vault Bridge is installed but not running",
	starting: "Vault Bridge is starting…",
	unreachable: "Vault Bridge cannot be reached",
	failed: "Vault Bridge did not start",
	connected: "Vault Bridge runs",
	done: "Vault Bridge is ready",
} as const;

/** Where the project's releases are, from `package.json`; empty as long as it names no repository. Set by `scripts/build.mjs`. */
declare const REPOSITORY: string;

/** How far the person is. `missing`: no program was found; `done`: a question was answered. */
type Stage = keyof typeof HEADLINES;
type StartState = ReturnType<typeof stateOf>;

function stateOf({ connection, settings, app, plugin, questions, device }: Context, { sidecar, installers, agents, next, demo }: FirstRun) {
	const { machine } = sidecar.finder;
	const enabled = listOf(settings.current?.values["enabledTools"]);
	const sets = settings.current?.schema.presets ?? {};
	const chosen = presetOf(sets, enabled);
	const program = sidecar.found ?? null;
	const folder = folderOf(app.vault);
	const command = typedProgram(machine, program);
	const vault = `--vault ${quoted(folder, machine.system)}`;
	const waiting = questions.all[0]?.request;
	return {
		kind: stageOf(connection, sidecar, device.settings.answered),
		/** How the bridge is, where that is more than the headline says. */
		detail: isSaid(connection.state, sidecar) ? null : sidecar.condition.sentence,
		trouble: connection.connected ? null : sidecar.trouble,
		// What turned out to be another program is not the one that is found now.
		needsAnother: program === null || (sidecar.trouble !== null && sidecar.trouble.kind !== "wrong" && needsAnother(sidecar.trouble)),
		program,
		canStart: sidecar.canStart,
		canStop: sidecar.canStop,
		install: installCommands(installSource(REPOSITORY, plugin.manifest.version), machine, installers),
		/** Whether the installers need the folder of the source. */
		fromSource: REPOSITORY === "",
		serveCommand: `${command} serve ${vault}`,
		clientCommand: `${command} clients add "My agent" --save ${vault}`,
		script: scriptFor(folder),
		presets: Object.entries(sets).map(([name, tools]) => ({ name, text: presetText(name, tools), chosen: name === chosen })),
		agents,
		next,
		question: waiting ? { requestId: waiting.requestId, asker: askerOf(waiting), summary: waiting.summary } : null,
		demo,
	};
}

/** Whether the headline alone says how the bridge is. */
function isSaid(state: State, { status, trouble, found }: SidecarProcess): boolean {
	if (status.kind !== "off") return status.kind === "starting" || status.kind === "running";
	return state.kind === "absent" ? state.reason === null && (trouble === null || (trouble === NOT_INSTALLED && found === null)) : state.kind !== "unreachable" && state.kind !== "connected";
}

function stageOf({ connected, state }: Connection, { status, found, trouble }: SidecarProcess, answered: boolean): Stage {
	if (connected) return answered ? "done" : "connected";
	if (status.kind === "starting" || status.kind === "running") return "starting";
	if (status.kind === "waiting" || status.kind === "failed") return "failed";
	if (state.kind === "unreachable") return "unreachable";
	if (found === undefined || state.kind === "connecting") return "looking";
	return found === null ? "missing" : trouble === null ? "absent" : "failed";
}

export class StartView extends Pane {
	private drawn = "";
	private ownOpen = false;

	constructor(
		leaf: WorkspaceLeaf,
		face: Face,
		context: Context,
		private readonly source: FirstRun,
	) {
		super(leaf, face, context);
	}

	protected override fill(): void {
		this.drawn = "";
		const { connection, settings, questions } = this.context;
		for (const changes of [connection.changed, settings.changed, questions.changed, this.source.sidecar.changed, this.source.changed]) this.register(changes.on(() => { this.draw(); }));
		this.registerInterval(window.setInterval(() => { this.source.glance(); }, GLANCE));
		this.draw();
	}

	/** What looks the same stays, with the focus and what was selected in it. */
	private draw(): void {
		const state = stateOf(this.context, this.source);
		const looks = JSON.stringify(state);
		if (looks === this.drawn) return;
		this.drawn = looks;
		const giveBack = keepFocus(this.contentEl);
		this.contentEl.empty();
		const page = this.contentEl.createDiv({ cls: "vault-bridge-start" });
		const runs = state.kind === "connected" || state.kind === "done";
		const head = page.createDiv({ cls: "vault-bridge-start-head", attr: { role: "heading", "aria-level": "1" } });
		setIcon(head.createSpan(), runs ? "shield-check" : state.kind === "failed" || state.kind === "unreachable" ? "shield-alert" : "shield-off");
		head.createSpan({ text: HEADLINES[state.kind] });
		if (runs) this.drawRunning(page, state);
		else this.drawStarting(page, state);
		giveBack();
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
		const { source } = this;
		const add = (text: string, action: () => void, main = false): HTMLButtonElement => addButton(bar, text, action, main ? "mod-cta" : "");
		if (program !== null) add("Start the bridge", () => void source.sidecar.start(), true).disabled = !state.canStart;
		if (state.canStop) add(state.kind === "failed" ? "Stop trying" : "Stop", () => { source.sidecar.stop(); });
		add("Look again", () => { source.lookAgain(); }, program === null);
		add("Choose the program…", () => { chooseFile((path) => void source.chooseProgram(path)); });
		if (program !== null) add("Test the program", () => void source.testProgram());
		add("Open the readme", () => { this.openReadme(); });
	}

	private drawStart(el: HTMLElement, { program, serveCommand }: StartState): void {
		this.stepTitle(el, "Start it for this vault", false);
		showText(el.createDiv(), program === null ? "Obsidian can start it as soon as it is installed. Or you, in a terminal:" : `Found: ${program}. Obsidian can start it, or you in a terminal:`);
		copyRow(el, serveCommand, "the command that starts the bridge");
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
		this.stepTitle(el, "Install it, once", false);
		el.createDiv({ text: `Paste this into a terminal${fromSource ? ", in the folder of the source" : ""}. This page goes on by itself when it is done.` });
		this.drawCommand(el, first);
		if (others.length === 0) return;
		const more = addDetails(el, "Other ways");
		for (const one of others) this.drawCommand(more, one);
	}

	private drawCommand(el: HTMLElement, { name, command }: InstallCommand): void {
		el.createDiv({ cls: "vault-bridge-copy-label", text: name });
		copyRow(el, command, "the command that installs the bridge");
	}

	private drawRunning(page: HTMLElement, state: StartState): void {
		showText(page.createDiv({ cls: "vault-bridge-note" }), state.detail ?? "");
		const steps = page.createEl("ol", { cls: "vault-bridge-steps" });
		this.drawConnect(steps.createEl("li"), state);
		this.drawTask(steps.createEl("li"), state);
		this.drawQuestion(steps.createEl("li"), state);
		this.drawOwn(page, state);
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		const { log, changes, settings } = this.context.open;
		const links: [string, () => void][] = [["View log", log], ["Changes", changes], ["Open settings", settings], ["Open the readme", () => { this.openReadme(); }]];
		for (const [text, action] of links) addButton(bar, text, action);
	}

	private drawConnect(el: HTMLElement, { agents }: StartState): void {
		this.stepTitle(el, "Connect the program in which you use AI", connectedOf(agents) !== null);
		if (agents === null) el.createDiv({ text: "Looking which programs are on this machine…" });
		else this.source.connector.draw(el, agents);
		if (agents?.kind === "listed" && !agents.agents.some(({ here }) => here)) el.createDiv({ text: "Install one of them. This page goes on by itself." });
	}

	private drawTask(el: HTMLElement, { agents, next }: StartState): void {
		const title = connectedOf(agents);
		this.stepTitle(el, "Ask it something", false);
		if (title === null) el.createDiv({ cls: "vault-bridge-faint", text: "What to type appears here." });
		else {
			showText(el.createDiv(), next ?? `Start ${title} again if it was open.`);
			el.createDiv({ text: "Then type, for example:" });
			copyRow(el, TASK, "what to type");
		}
	}

	private drawQuestion(el: HTMLElement, { kind, question, demo }: StartState): void {
		this.stepTitle(el, "Answer its first question", kind === "done");
		if (question !== null) {
			const note = el.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
			showText(note, `${question.asker} asks: ${question.summary}.`);
			addButton(note, "Show the question", () => { this.context.open.question(question.requestId); }, "mod-cta");
		} else if (kind === "done") el.createDiv({ text: "You have answered one. “Changes” lists what was written, each with “Undo”." });
		else el.createDiv({ text: "It opens by itself and shows what would change. Nothing is written before you allow it." });
		this.drawDemo(el, demo);
	}

	private drawDemo(el: HTMLElement, demo: Demo): void {
		const button = addButton(el, demo.kind === "asking" ? "Waiting for your answer…" : "Ask a demo question", () => void this.source.askDemo());
		button.disabled = demo.kind === "asking";
		if (demo.kind !== "allowed" && demo.kind !== "not-allowed") return;
		const note = el.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
		showText(note, demo.text);
		const { executionId } = demo.kind === "allowed" ? demo : { executionId: null };
		if (executionId === null) return;
		addButton(note, "Undo…", () => { reverse(this.context, "undo", executionId); });
	}

	/** What only those need who write programs themselves. It stays open while the page is drawn anew. */
	private drawOwn(page: HTMLElement, state: StartState): void {
		const own = addDetails(page, "For your own programs", "vault-bridge-details vault-bridge-start-own");
		own.open = this.ownOpen;
		own.addEventListener("toggle", () => { this.ownOpen = own.open; });
		own.createDiv({ text: "Programs that have no name of their own get these tools:" });
		this.drawPresets(own, state);
		own.createDiv({ text: "A name and a token for a program of yours come from a terminal:" });
		copyRow(own, state.clientCommand, "the command that adds an agent");
		own.createDiv({ text: "A script that works under this name, for the Python that the bridge is installed in:" });
		copyRow(own, state.script, "the script");
	}

	private drawPresets(el: HTMLElement, { presets }: StartState): void {
		const cards = el.createDiv({ cls: "vault-bridge-presets" });
		for (const preset of presets) {
			const card = cards.createEl("button", { cls: "vault-bridge-preset", type: "button", attr: { "aria-pressed": String(preset.chosen) } });
			const title = card.createDiv({ cls: "vault-bridge-preset-name" });
			showText(title, labelOf(preset.name));
			if (preset.chosen) setIcon(title.createSpan(), "check");
			showText(card.createDiv({ cls: "vault-bridge-preset-text" }), preset.text);
			card.addEventListener("click", () => void this.source.choosePreset(preset.name));
		}
	}

	private openReadme(): void {
		window.open(`obsidian://show-plugin?id=${this.context.plugin.manifest.id}`);
	}

	private stepTitle(el: HTMLElement, text: string, done: boolean): void {
		const title = el.createDiv({ cls: "vault-bridge-step-title", text });
		if (done) setIcon(title.createSpan({ attr: { "aria-label": "Done", role: "img" } }), "check");
	}
}

/** A script that finds the notes of the vault, as an agent with a name would. */
function scriptFor(folder: string): string {
	return `import asyncio
from bridge.client import connect

async def main():
    async with connect(${JSON.stringify(folder)}, name="my script", client="My agent") as bridge:
        print((await bridge.call("find", pattern="**/*.md")).text)

asyncio.run(main())`;
}
