/** One glance: is the bridge there, and does it ask something. */

import { Component, Menu, type MenuItem } from "obsidian";
import type { Emitter } from "../core/emitter";
import { conditionOf, type Condition, type Tone } from "../core/program/wording";
import type { Listing } from "../core/listing";
import { sanitizePlain } from "../core/text/sanitize";
import type { InboxLine } from "../core/wire/contract";
import { addStatusItem, drawStatusItem } from "../ui/statusItem";
import type { Context } from "./context";
import type { SidecarProcess } from "./sidecarProcess";
import { counted } from "../core/text/shorten";

export interface StatusActions {
	answer: () => void;
	inbox: () => void;
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
		private readonly inbox: Listing<InboxLine>,
	) {
		super();
	}

	override onload(): void {
		const { plugin, connection, questions } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-status", (event) => { this.select(event); });
		const draw = (): void => {
			this.draw(el);
		};
		this.register(connection.changed.on(draw));
		this.register(questions.changed.on(draw));
		this.register(this.inbox.changed.on(draw));
		this.register(this.sidecar.changed.on(draw));
		this.register(this.activity.on((tools) => {
			this.running = tools;
			draw();
		}));
		plugin.addRibbonIcon("shield-check", plugin.manifest.name, (event) => { this.select(event); });
		draw();
	}

	/** How much is in the inbox, where that is more than questions; else 0. */
	private get inboxed(): number {
		const all = this.inbox.all ?? [];
		return all.every((line) => line.kind === "question") ? 0 : all.length;
	}

	private draw(el: HTMLElement): void {
		const condition = conditionOf(this.context.connection.state, this.sidecar.status, this.sidecar.trouble, this.context.plugin.manifest.version);
		const face = faceOf(condition, this.context.questions.all.length, this.inboxed, this.running);
		el.removeClasses(["is-connected", "is-asking", "is-off", "is-trouble"]);
		el.addClass(face.tone);
		drawStatusItem(el, face);
	}

	private select(event: MouseEvent | KeyboardEvent): void {
		if (this.inboxed > 0 || this.context.questions.all.length > 0) {
			if (this.inboxed > 0) this.actions.inbox();
			else this.actions.answer();
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
		add("Inbox", "inbox", this.actions.inbox);
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

function faceOf(condition: Condition, questions: number, inboxed: number, running: readonly string[]): Face {
	if (inboxed > 0) return { icon: "inbox", text: `${inboxed} waiting`, label: `Vault Bridge: ${inboxed} waiting in the inbox`, tone: "is-asking" };
	if (questions > 0) {
		const text = counted(questions, "question");
		return { icon: "shield-question", text, label: `Vault Bridge: ${text} to answer`, tone: "is-asking" };
	}
	const { short, sentence, tone } = condition;
	if (tone === "is-connected" && running.length > 0) {
		const tool = sanitizePlain(running.at(-1)?.slice(0, 40) ?? "");
		return { icon: "shield-ellipsis", text: tool, label: `Vault Bridge: an agent uses ${tool}`, tone };
	}
	return { icon: ICONS[tone], text: short, label: `Vault Bridge. ${short}: ${sanitizePlain(sentence)}`, tone };
}
