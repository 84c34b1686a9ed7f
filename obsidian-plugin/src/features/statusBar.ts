/** One glance: is the bridge there, and does it ask something. */

import { Component, Menu, setIcon, type MenuItem } from "obsidian";
import type { Emitter } from "../core/emitter";
import { conditionOf, type Condition, type Tone } from "../core/program/wording";
import { sanitizePlain } from "../core/text/sanitize";
import type { Context } from "./context";
import type { SidecarProcess } from "./sidecarProcess";

export interface StatusActions {
	answer: () => void;
	log: () => void;
	changes: () => void;
	chat: () => void;
	drafts: () => void;
	templates: () => void;
	start: () => void;
	settings: () => void;
}

interface Face {
	icon: string;
	text: string;
	label: string;
	tone: Tone | "is-asking";
}

const ICONS: Readonly<Record<Tone, string>> = { "is-connected": "shield-check", "is-off": "shield-off", "is-trouble": "shield-alert" };

export class StatusBar extends Component {
	private running: readonly string[] = [];

	constructor(
		private readonly context: Context,
		private readonly actions: StatusActions,
		private readonly activity: Emitter<readonly string[]>,
		private readonly sidecar: SidecarProcess,
	) {
		super();
	}

	override onload(): void {
		const { plugin, connection, questions } = this.context;
		const el = plugin.addStatusBarItem();
		el.addClasses(["mod-clickable", "vault-bridge-status"]);
		el.setAttrs({ role: "button", tabindex: "0" });
		const draw = (): void => {
			this.draw(el);
		};
		this.register(connection.changed.on(draw));
		this.register(questions.changed.on(draw));
		this.register(this.sidecar.changed.on(draw));
		this.register(this.activity.on((tools) => {
			this.running = tools;
			draw();
		}));
		plugin.addRibbonIcon("shield-check", plugin.manifest.name, (event) => { this.select(event); });
		this.registerDomEvent(el, "click", (event) => { this.select(event); });
		this.registerDomEvent(el, "keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " ") return;
			event.preventDefault();
			this.select(event);
		});
		draw();
	}

	private draw(el: HTMLElement): void {
		const condition = conditionOf(this.context.connection.state, this.sidecar.status, this.sidecar.trouble, this.context.plugin.manifest.version);
		const { text, icon, label, tone } = faceOf(condition, this.context.questions.all.length, this.running);
		el.empty();
		el.removeClasses(["is-connected", "is-asking", "is-off", "is-trouble"]);
		el.addClass(tone);
		setIcon(el.createSpan({ cls: "status-bar-item-icon" }), icon);
		el.createSpan({ cls: "status-bar-item-segment", text });
		el.setAttrs({ "aria-label": label, "data-tooltip-position": "top" });
	}

	private select(event: MouseEvent | KeyboardEvent): void {
		if (this.context.questions.all.length > 0) {
			this.actions.answer();
			return;
		}
		const menu = new Menu();
		const add = (title: string, icon: string, action: () => void): void => {
			menu.addItem((item: MenuItem) => item.setTitle(title).setIcon(icon).onClick(action));
		};
		const { connection } = this.context;
		const { sidecar } = this;
		if (sidecar.canStart) add("Start the bridge", "play", () => void sidecar.start());
		if (sidecar.canStop) {
			add("Restart the bridge", "rotate-cw", () => { sidecar.restart(); });
			add("Stop the bridge", "square", () => { sidecar.stop(); });
		}
		if (connection.state.kind === "unreachable") add("Connect now", "refresh-cw", () => { connection.retryNow(); });
		menu.addSeparator();
		add("Chat", "message-circle", this.actions.chat);
		add("View tool logs", "scroll-text", this.actions.log);
		add("Changes", "history", this.actions.changes);
		add("Drafts of agents", "git-pull-request-draft", this.actions.drafts);
		add("Templates", "list-checks", this.actions.templates);
		add("Getting started", "info", this.actions.start);
		add("Settings", "settings", this.actions.settings);
		if (event.instanceOf(MouseEvent)) menu.showAtMouseEvent(event);
		else {
			const { x, y } = (event.target as HTMLElement).getBoundingClientRect();
			menu.showAtPosition({ x, y });
		}
	}
}

function faceOf(condition: Condition, questions: number, running: readonly string[]): Face {
	if (questions > 0) {
		const text = questions === 1 ? "1 question" : `${questions} questions`;
		return { icon: "shield-question", text, label: `Vault Bridge: ${text} to answer`, tone: "is-asking" };
	}
	const { short, sentence, tone } = condition;
	if (tone === "is-connected" && running.length > 0) {
		const tool = sanitizePlain(running.at(-1)?.slice(0, 40) ?? "");
		return { icon: "shield-ellipsis", text: tool, label: `Vault Bridge: an agent uses ${tool}`, tone };
	}
	return { icon: ICONS[tone], text: short, label: `Vault Bridge. ${short}: ${sanitizePlain(sentence)}`, tone };
}
