/** The conversations that are kept: to go on with one, or to delete it. */

import { setIcon } from "obsidian";
import { momentWords } from "../../core/drafts";
import { sanitizePlain } from "../../core/text/sanitize";
import type { ConversationInfo } from "../../core/wire/contract";
import { showText } from "../text";
import { counted } from "../../core/text/shorten";

export interface ConversationActions {
	open: (conversation: ConversationInfo) => void;
	remove: (conversation: ConversationInfo) => void;
	now: () => number;
}

export function drawConversations(el: HTMLElement, all: readonly ConversationInfo[], current: string | null, actions: ConversationActions): void {
	el.empty();
	if (all.length === 0) el.createDiv({ cls: "vault-bridge-empty", text: "No conversation is kept yet. Those that you have are listed here, on this computer only." });
	const list = el.createEl("ul", { cls: "vault-bridge-chat-list" });
	list.toggle(all.length > 0);
	for (const one of all) {
		const row = list.createEl("li");
		const open = row.createEl("button", { cls: "vault-bridge-chat-listed", type: "button", attr: { "aria-current": one.conversationId === current ? "true" : null } });
		showText(open.createSpan({ cls: "vault-bridge-chat-listed-title" }), one.title);
		showText(open.createSpan({ cls: "vault-bridge-faint" }), `${one.running ? "The model is at it · " : ""}${momentWords(one.updated, actions.now())} · ${counted(one.messages, "message")} · ${one.model}`);
		open.addEventListener("click", () => { actions.open(one); });
		const remove = row.createEl("button", { cls: "clickable-icon", type: "button", attr: { "aria-label": `Delete the conversation ${sanitizePlain(one.title)}` } });
		setIcon(remove, "trash-2");
		remove.addEventListener("click", () => { actions.remove(one); });
	}
}
