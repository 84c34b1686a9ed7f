/**
 * Tells the bridge what the person looks at, while a program may see it and never else, and shows that one may. Offers
 * to open what a program wants to show.
 */

import { Component, Menu, type Notice, type WorkspaceLeaf } from "obsidian";
import { Latest } from "../core/overtaking";
import { counted, sanitizePlain, shorten } from "../core/text";
import { warn } from "../core/warn";
import type { ScreenClients, ScreenShow } from "../core/wire/contract";
import { ask, askIfKnown } from "../core/wire/reading";
import { leafInFront, openAt, screenOf, type Opened } from "../platform/screen";
import type { Context } from "../ui/context";
import { showNotice, tell, tellFailure } from "../ui/notice";
import { addStatusItem, drawStatusItem, type Place } from "../ui/statusItem";
import { Feature } from "./feature";

/** Milliseconds that the person must have been at rest. */
const PAUSE = 200;
const LONGEST_NAME = 30;
/** Milliseconds; a second click is no answer to the next offer. */
const BETWEEN_OFFERS = 1000;

export class Looking extends Feature {
	private names: readonly string[] = [];
	private readonly latest = new Latest();
	private el: HTMLElement | null = null;
	private watch: Component | null = null;
	/** The latest offer of each program that is not on the screen yet. */
	private readonly offers = new Map<string, ScreenShow>();
	private notice: Notice | null = null;
	private callOff: () => void = () => undefined;
	/** Where what nobody clicked on was opened last: one after the other. */
	private opening = Promise.resolve<Opened | null>(null);

	override onload(): void {
		const { plugin } = this.context;
		this.el = addStatusItem(plugin, this, "vault-bridge-looking", (place) => { this.openMenu(place); });
		const refresh = (): void => void this.refresh();
		this.hear({ "grants.changed": refresh, "clients.changed": refresh, "screen.show": (told) => { this.show(told); } });
		this.follow(refresh, () => {
			this.latest.overtake();
			this.take([]);
		});
		this.take([]);
		this.register(() => {
			this.callOff();
			this.notice?.hide();
		});
	}

	private show(told: ScreenShow): void {
		if (told.unasked) {
			this.opening = this.opening.then(async (before) => await this.open(told, before) ?? before);
			return;
		}
		this.offers.set(told.client, told);
		this.offer();
	}

	/** One at a time, and the next only after a while: nothing takes another's place under a click. */
	private offer(): void {
		const [first] = this.offers.values();
		if (!first || this.notice) return;
		const { client, path, part, line } = first;
		this.offers.delete(client);
		const place = part === "" ? (line === null ? "" : `, line ${String(line)}`) : `, ${part}`;
		this.notice = showNotice(`${client} wants to show you ${path}${place}`, [{ label: "Open", act: () => void this.open(first, null) }, { label: "Not now", act: () => undefined }], 0);
		// However it is put away.
		this.notice.containerEl.addEventListener("click", () => {
			this.callOff = this.context.clock.after(BETWEEN_OFFERS, () => {
				this.notice = null;
				this.offer();
			});
		}, { once: true });
	}

	private async open(told: ScreenShow, before: Opened | null): Promise<Opened | null> {
		try {
			const opened = await openAt(this.context.app, told, before);
			if (!opened) tell(`There is no ${told.path} any more.`);
			return opened;
		} catch (error) {
			tellFailure(error);
			return null;
		}
	}

	private async refresh(): Promise<void> {
		try {
			await this.learn(askIfKnown(this.context.request, "screen.clients"));
		} catch (error) {
			this.take([]);
			warn(error);
		}
	}

	/** Returns whether a program may see it. */
	private async learn(answer: Promise<ScreenClients | null>): Promise<boolean> {
		await this.latest.of(answer, (found) => { this.take(found?.clients ?? []); });
		return this.names.length > 0;
	}

	private take(names: readonly string[]): void {
		this.names = names.map((name) => sanitizePlain(name));
		const { el, watch, context } = this;
		const [first] = this.names;
		if (el) drawStatusItem(el, first === undefined ? null : { icon: "eye", text: names.length > 1 ? counted(names.length, "program") : shorten(first, LONGEST_NAME), label: `Vault Bridge: ${this.names.join(", ")} may see what you look at` });
		if (first !== undefined && !watch) this.watch = this.addChild(new Watch(context, async (answer) => this.learn(answer)));
		if (first === undefined && watch) {
			this.removeChild(watch);
			this.watch = null;
		}
	}

	private openMenu({ x, y }: Place): void {
		const menu = new Menu();
		menu.addItem((item) => item.setTitle(`${this.names.join(", ")} may see what you look at`).setIsLabel(true));
		menu.addItem((item) => item.setTitle("End this now").setIcon("eye-off").onClick(() => { this.end().catch(tellFailure); }));
		menu.addItem((item) => item.setTitle("Settings").setIcon("settings").onClick(this.context.open.settings));
		menu.showAtPosition({ x, y });
	}

	private async end(): Promise<void> {
		const { request } = this.context;
		const grants = await ask(request, "consent.grants");
		for (const { what, grantId } of grants) if (what === "looking") await request("consent.revoke", { grantId });
		tell("No program may see any more what you look at.");
	}
}

/** There only while a program may see it: until then nothing is listened to. */
class Watch extends Component {
	private told = "";
	private leaf: WorkspaceLeaf | null = null;
	private callOff: () => void = () => undefined;
	private busy = false;

	constructor(
		private readonly context: Context,
		private readonly isSeen: (answer: Promise<ScreenClients>) => Promise<boolean>,
	) {
		super();
	}

	override onload(): void {
		const { app } = this.context;
		const { workspace, vault } = app;
		const changed = (): void => {
			this.leaf = leafInFront(app, this.leaf); // before another view is in front
			this.callOff();
			this.callOff = this.context.clock.after(PAUSE, () => void this.tell());
		};
		// The selection of an editor and that of a note that is open for reading are both the document's.
		this.registerDomEvent(activeDocument, "selectionchange", changed);
		this.registerEvent(workspace.on("window-open", ({ doc }) => { this.registerDomEvent(doc, "selectionchange", changed); }));
		this.registerEvent(workspace.on("active-leaf-change", changed));
		this.registerEvent(workspace.on("file-open", changed));
		this.registerEvent(workspace.on("layout-change", changed));
		this.registerEvent(workspace.on("editor-change", changed));
		this.registerEvent(vault.on("rename", changed));
		this.register(() => { this.callOff(); });
		void this.tell();
	}

	private async tell(): Promise<void> {
		const { app, request } = this.context;
		if (this.busy) return;
		this.busy = true;
		try {
			for (;;) {
				this.leaf = leafInFront(app, this.leaf);
				const screen = screenOf(app, this.leaf);
				const now = JSON.stringify(screen);
				if (now === this.told) return;
				this.told = now;
				if (!await this.isSeen(ask(request, "screen.tell", { screen }))) return;
			}
		} catch (error) {
			this.told = "";
			warn(error);
		} finally {
			this.busy = false;
		}
	}
}
