/** One glance: is the bridge there, and does it ask something. */

import { Menu } from "obsidian";
import type { Condition, Tone } from "../core/program/wording";
import { counted, sanitizePlain } from "../core/text";
import type { Context } from "../ui/context";
import { addStatusItem, drawStatusItem, type Place } from "../ui/statusItem";
import type { Activity } from "./activity";
import { Feature } from "./feature";
import type { SidecarProcess } from "./sidecarProcess";

interface Face {
	icon: string;
	text: string;
	label: string;
	tone: Tone | "is-asking";
}

const ICONS: Readonly<Record<Tone, string>> = { "is-connected": "shield-check", "is-off": "shield-off", "is-trouble": "shield-alert" };

export class StatusBar extends Feature {
	private running: readonly string[] = [];

	constructor(
		context: Context,
		private readonly activity: Activity,
		private readonly sidecar: SidecarProcess,
	) {
		super(context);
	}

	override onload(): void {
		const { plugin, connection, inbox, questions } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-status", (place) => { this.select(place); });
		const draw = (): void => { this.draw(el); };
		for (const changes of [connection.changed, questions.changed, inbox.changed, this.sidecar.changed]) this.register(changes.on(draw));
		this.on(this.activity.changed, (tools) => {
			this.running = tools;
			draw();
		});
		plugin.addRibbonIcon("shield-check", plugin.manifest.name, (event) => { this.select(event); });
		draw();
	}

	/** How much is in the inbox, where that is more than questions; else 0. */
	private get inboxed(): number {
		const all = this.context.inbox.all ?? [];
		return all.every((line) => line.kind === "question") ? 0 : all.length;
	}

	private draw(el: HTMLElement): void {
		const face = faceOf(this.sidecar.condition, this.context.questions.all.length, this.inboxed, this.running);
		el.removeClasses(["is-connected", "is-asking", "is-off", "is-trouble"]);
		el.addClass(face.tone);
		drawStatusItem(el, face);
	}

	private select({ x, y }: Place): void {
		const { connection, open, questions } = this.context;
		const { sidecar } = this;
		if (this.inboxed > 0 || questions.all.length > 0) {
			if (this.inboxed > 0) open.inbox();
			else open.question(null);
			return;
		}
		const menu = new Menu();
		const add = (title: string, icon: string, action: () => void): void => void menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(action));
		if (sidecar.canStart) add("Start the bridge", "play", () => void sidecar.start());
		if (sidecar.canStop) {
			add("Restart the bridge", "rotate-cw", () => { sidecar.restart(); });
			add("Stop the bridge", "square", () => { sidecar.stop(); });
		}
		if (connection.state.kind === "unreachable") add("Connect now", "refresh-cw", () => { connection.retryNow(); });
		menu.addSeparator();
		add("Chat", "message-circle", open.chat);
		add("View tool logs", "scroll-text", open.log);
		add("Changes", "history", open.changes);
		add("Inbox", "inbox", open.inbox);
		add("Drafts of agents", "git-pull-request-draft", open.drafts);
		add("Templates", "list-checks", open.templates);
		add("Getting started", "info", open.start);
		add("Settings", "settings", open.settings);
		menu.showAtPosition({ x, y });
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
