/** A notice with buttons. It takes no focus, and a click beside its buttons only puts it away. */

import { Notice } from "obsidian";
import { showText } from "./text";

export interface NoticeAction {
	label: string;
	act: () => void;
}

/**
 * @param duration - Milliseconds; 0: until it is put away.
 * @param cls - A class of its own.
 */
export function showNotice(text: string, actions: readonly NoticeAction[], duration: number, cls = ""): Notice {
	const content = createFragment();
	const line = content.createDiv({ cls: `vault-bridge-notice-text ${cls}` });
	showText(line, text);
	const bar = content.createDiv({ cls: "vault-bridge-notice-bar" });
	for (const { label, act } of actions) bar.createEl("button", { text: label, type: "button" }).addEventListener("click", act);
	return new Notice(content, duration);
}
