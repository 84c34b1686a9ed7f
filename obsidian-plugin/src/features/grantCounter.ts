/** Permissions to add that are counted: how much of each is used, in the status bar, and what ends or undoes them. */

import { Component, Menu } from "obsidian";
import { countedOf, countText, grantTitle } from "../core/consent/bounded";
import { readable } from "../core/json";
import { sanitizePlain } from "../core/text/sanitize";
import type { Grant } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import { readGrant } from "../core/wire/readers";
import { addStatusItem, drawStatusItem } from "../ui/statusItem";
import type { Context } from "./context";
import { hear } from "./hearing";
import { tell, tellFailure } from "../ui/notice";

export interface GrantActions {
	/** Show what one answer allowed, and take all of it back when the person says so; `first` is done before that. */
	undoAll: (grantId: string, first: () => Promise<void>) => void;
}

export class GrantCounter extends Component {
	private grants: readonly Grant[] = [];
	private el: HTMLElement | null = null;

	constructor(
		private readonly context: Context,
		private readonly actions: GrantActions,
	) {
		super();
	}

	override onload(): void {
		const { plugin, connection } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-counter", (event) => { this.openMenu(event.instanceOf(MouseEvent) ? event : el.getBoundingClientRect()); });
		this.el = el;
		this.register(hear(connection, this.handlers));
		this.register(connection.changed.on((state) => {
			if (state.kind === "connected") void this.refresh();
			else this.take([]);
		}));
		this.take([]);
	}

	private readonly handlers: EventHandlers = {
		"grants.changed": ({ bounded }) => { this.take(bounded); },
	};

	private async refresh(): Promise<void> {
		try {
			this.take(readable(readGrant)(await this.context.request("consent.grants"), "consent.grants"));
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
	}

	private take(grants: readonly Grant[]): void {
		this.grants = countedOf(grants);
		const text = countText(this.grants);
		if (!this.el) return;
		const label = this.grants.map((grant) => sanitizePlain(grant.sentence)).join("\n");
		drawStatusItem(this.el, text === null ? null : { icon: "file-plus-2", text, label: `Added without asking: ${text} files. ${label}` });
	}

	private openMenu(place: MouseEvent | { x: number; y: number }): void {
		const menu = new Menu();
		for (const [index, grant] of this.grants.entries()) {
			if (index > 0) menu.addSeparator();
			menu.addItem((item) => item.setTitle(sanitizePlain(grantTitle(grant))).setIsLabel(true));
			menu.addItem((item) => item.setTitle("Undo everything added").setIcon("undo-2").onClick(() => { this.actions.undoAll(grant.grantId, async () => this.revoke(grant)); }));
			menu.addItem((item) => item.setTitle("End this permission now").setIcon("x").onClick(() => { void this.revoke(grant); }));
		}
		menu.showAtPosition({ x: place.x, y: place.y });
	}

	private async revoke({ grantId }: Grant): Promise<void> {
		try {
			await this.context.request("consent.revoke", { grantId });
			tell("The permission has ended.");
		} catch (error) {
			tellFailure(error);
		}
	}
}
