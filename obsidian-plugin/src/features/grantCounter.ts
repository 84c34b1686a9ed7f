/** Permissions to add that are counted: how much of each is used, in the status bar, and what ends or undoes them. */

import { Menu } from "obsidian";
import { countedOf, countText, grantTitle } from "../core/consent/grants";
import { Latest } from "../core/overtaking";
import { sanitizePlain } from "../core/text";
import { warn } from "../core/warn";
import type { Grant } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import { tell, tellFailure } from "../ui/notice";
import { undoAll } from "../ui/reversing";
import { addStatusItem, drawStatusItem, type Place } from "../ui/statusItem";
import { Feature } from "./feature";

export class GrantCounter extends Feature {
	private grants: readonly Grant[] = [];
	private readonly latest = new Latest();

	override onload(): void {
		const { plugin, request } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-counter", (place) => { this.openMenu(place); });
		const take = (grants: readonly Grant[]): void => {
			this.grants = countedOf(grants);
			const text = countText(this.grants);
			const label = this.grants.map((grant) => sanitizePlain(grant.sentence)).join("\n");
			drawStatusItem(el, text === null ? null : { icon: "file-plus-2", text, label: `Added without asking: ${text} files. ${label}` });
		};
		const hear = (bounded: readonly Grant[]): void => {
			this.latest.overtake();
			take(bounded);
		};
		this.hear({ "grants.changed": ({ bounded }) => { hear(bounded); } });
		this.follow(() => { this.latest.of(ask(request, "consent.grants"), take).catch(warn); }, () => { hear([]); });
		take([]);
	}

	private openMenu({ x, y }: Place): void {
		const menu = new Menu();
		for (const [index, grant] of this.grants.entries()) {
			if (index > 0) menu.addSeparator();
			menu.addItem((item) => item.setTitle(sanitizePlain(grantTitle(grant))).setIsLabel(true));
			menu.addItem((item) => item.setTitle("Undo everything added").setIcon("undo-2").onClick(() => { undoAll(this.context, { clientId: "", hours: null, grant: grant.grantId }, async () => this.revoke(grant)); }));
			menu.addItem((item) => item.setTitle("End this permission now").setIcon("x").onClick(() => { this.revoke(grant).catch(tellFailure); }));
		}
		menu.showAtPosition({ x, y });
	}

	private async revoke({ grantId }: Grant): Promise<void> {
		await this.context.request("consent.revoke", { grantId });
		tell("The permission has ended.");
	}
}
