/** One glance: is the bridge there, and does it ask something. */

import { Component, Menu, setIcon, type MenuItem } from "obsidian";
import type { Emitter } from "../core/emitter";
import type { State } from "../core/rpc/connection";
import { sanitizePlain } from "../core/text/sanitize";
import type { Context } from "./context";

export interface StatusActions {
	answer: () => void;
	log: () => void;
	changes: () => void;
	start: () => void;
	settings: () => void;
}

interface Face {
	icon: string;
	text: string;
	label: string;
	tone: "is-connected" | "is-asking" | "is-off" | "is-trouble";
}

export class StatusBar extends Component {
	private running: readonly string[] = [];

	constructor(
		private readonly context: Context,
		private readonly actions: StatusActions,
		private readonly activity: Emitter<readonly string[]>,
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
		this.register(this.activity.on((tools) => {
			this.running = tools;
			draw();
		}));
		this.registerDomEvent(el, "click", (event) => { this.select(event); });
		this.registerDomEvent(el, "keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " ") return;
			event.preventDefault();
			this.select(event);
		});
		draw();
	}

	private draw(el: HTMLElement): void {
		const { text, icon, label, tone } = faceOf(this.context.connection.state, this.context.questions.all.length, this.running);
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
		if (!this.context.connection.connected) {
			add("Connect now", "refresh-cw", () => { this.context.connection.retryNow(); });
			menu.addSeparator();
		}
		add("View tool logs", "scroll-text", this.actions.log);
		add("Changes by agents", "history", this.actions.changes);
		add("Getting started", "info", this.actions.start);
		add("Settings", "settings", this.actions.settings);
		if (event.instanceOf(MouseEvent)) menu.showAtMouseEvent(event);
		else {
			const { x, y } = (event.target as HTMLElement).getBoundingClientRect();
			menu.showAtPosition({ x, y });
		}
	}
}

function faceOf(state: State, questions: number, running: readonly string[]): Face {
	if (questions > 0) {
		const text = questions === 1 ? "1 question" : `${questions} questions`;
		return { icon: "shield-question", text, label: `Vault Bridge: ${text} to answer`, tone: "is-asking" };
	}
	switch (state.kind) {
		case "connected":
			if (running.length > 0) {
				const tool = sanitizePlain(running.at(-1)?.slice(0, 40) ?? "");
				return { icon: "shield-ellipsis", text: tool, label: `Vault Bridge: an agent uses ${tool}`, tone: "is-connected" };
			}
			return { icon: "shield-check", text: "Bridge", label: `Vault Bridge: connected, version ${state.info.version}`, tone: "is-connected" };
		case "absent":
			return { icon: "shield-off", text: "No bridge", label: "Vault Bridge: no bridge serves this vault", tone: "is-off" };
		case "unreachable":
			return { icon: "shield-alert", text: "Bridge lost", label: `Vault Bridge: ${state.reason}`, tone: "is-trouble" };
		case "connecting":
		case "stopped":
			return { icon: "shield", text: "Bridge…", label: "Vault Bridge: looking for the bridge", tone: "is-off" };
	}
}
