/** Drafts of agents: what is known of them, and how much is staged, in the status bar. */

import { debounce } from "obsidian";
import { draftingText } from "../core/drafts";
import { sanitizePlain, shorten } from "../core/text";
import { addStatusItem, drawStatusItem } from "../ui/statusItem";
import { Feature } from "./feature";

/** Milliseconds in which news are taken together. */
const SETTLE = 300;
const MOST_TEXT = 80;

export class Drafting extends Feature {
	override onload(): void {
		const { plugin, connection, drafts, open } = this.context;
		const el = addStatusItem(plugin, this, "vault-bridge-drafting", open.drafts);
		const draw = (): void => {
			const said = sanitizePlain(draftingText(drafts.all ?? []) ?? "");
			drawStatusItem(el, said === "" ? null : { icon: "git-pull-request-draft", text: shorten(said, MOST_TEXT), label: `${said}. Nothing of it is written. Review drafts` });
		};
		this.on(drafts.changed, draw);
		draw();
		this.hear({ "drafts.changed": debounce(() => { drafts.catchUp(); }, SETTLE) });
		this.register(drafts.follow(connection));
	}
}
