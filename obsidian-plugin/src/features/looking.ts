/**
 * Tells the bridge what the person looks at, while a program may see it and never else, and shows that one may. Offers
 * to open what a program wants to show.
 */

import { Component, Menu, type Notice, type WorkspaceLeaf } from "obsidian";
import { readable } from "../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../core/rpc/messages";
import { sanitizePlain } from "../core/text/sanitize";
import { counted, shorten } from "../core/text/shorten";
import type { ScreenShow } from "../core/wire/contract";
import { readGrant, readScreenClients } from "../core/wire/readers";
import { leafInFront, openAt, screenOf } from "../platform/screen";
import { showNotice, tell, tellFailure } from "../ui/notice";
import { addStatusItem, drawStatusItem } from "../ui/statusItem";
import type { Context } from "./context";
import { hear } from "./hearing";

/** Milliseconds that the person must have been at rest. */
const PAUSE = 200;
const LONGEST_NAME = 30;

export class Looking extends Component {
	private names: readonly string[] = [];
	private el: HTMLElement | null = null;
	private watch: Component | null = null;
	private offer: Notice | null = null;

	/** @param settings - Open the settings, where it is allowed. */
	constructor(
		private readonly context: Context,
		private readonly settings: () => void,
	) {
		super();
	}

	override onload(): void {
		const { plugin, connection } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-looking", (event) => { this.openMenu(event.instanceOf(MouseEvent) ? event : el.getBoundingClientRect()); });
		this.el = el;
		const refresh = (): void => void this.refresh();
		this.register(hear(connection, { "grants.changed": refresh, "clients.changed": refresh, "screen.show": (told) => { this.show(told); } }));
		this.register(connection.changed.on(({ kind }) => {
			if (kind === "connected") refresh();
			else this.take([]);
		}));
		this.take([]);
		this.register(() => { this.offer?.hide(); });
	}

	/** The latest takes the place of the one before. */
	private show(told: ScreenShow): void {
		this.offer?.hide();
		const { client, path, part, line, unasked } = told;
		const place = part === "" ? (line === null ? "" : `, line ${String(line)}`) : `, ${part}`;
		const open = (): void => void openAt(this.context.app, told).then((opened) => { if (!opened) tell(`There is no ${path} any more.`); }, tellFailure);
		if (unasked) open();
		else this.offer = showNotice(`${client} wants to show you ${path}${place}`, [{ label: "Open", act: open }, { label: "Not now", act: () => undefined }], 0);
	}

	private async refresh(): Promise<void> {
		try {
			this.take(readScreenClients(await this.context.request("screen.clients"), "screen.clients").clients);
		} catch (error) {
			this.take([]);
			if (!(error instanceof RpcError && error.code === METHOD_NOT_FOUND)) console.warn("Vault Bridge:", error);
		}
	}

	private take(names: readonly string[]): void {
		this.names = names.map((name) => sanitizePlain(name));
		const { el, watch, context } = this;
		const [first] = this.names;
		if (el) drawStatusItem(el, first === undefined ? null : { icon: "eye", text: names.length > 1 ? counted(names.length, "program") : shorten(first, LONGEST_NAME), label: `Vault Bridge: ${this.names.join(", ")} may see what you look at` });
		if (first !== undefined && !watch) this.watch = this.addChild(new Watch(context, (now) => { this.take(now); }));
		if (first === undefined && watch) {
			this.removeChild(watch);
			this.watch = null;
		}
	}

	private openMenu({ x, y }: { x: number; y: number }): void {
		const menu = new Menu();
		menu.addItem((item) => item.setTitle(`${this.names.join(", ")} may see what you look at`).setIsLabel(true));
		menu.addItem((item) => item.setTitle("End this now").setIcon("eye-off").onClick(() => void this.end()));
		menu.addItem((item) => item.setTitle("Settings").setIcon("settings").onClick(this.settings));
		menu.showAtPosition({ x, y });
	}

	private async end(): Promise<void> {
		const { request } = this.context;
		try {
			const grants = readable(readGrant)(await request("consent.grants"), "consent.grants");
			for (const { what, grantId } of grants) if (what === "looking") await request("consent.revoke", { grantId });
			tell("No program may see any more what you look at.");
		} catch (error) {
			tellFailure(error);
		}
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
		private readonly take: (names: readonly string[]) => void,
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
				const { clients } = readScreenClients(await request("screen.tell", { screen }), "screen.tell");
				if (clients.length === 0) {
					this.take([]);
					return;
				}
			}
		} catch (error) {
			this.told = "";
			console.warn("Vault Bridge:", error);
		} finally {
			this.busy = false;
		}
	}
}
