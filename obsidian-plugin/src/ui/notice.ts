/** Notices: words, and buttons where there is something to do. One takes no focus, and a click beside its buttons only puts it away. */

import { Notice } from "obsidian";
import { messageOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text";
import { addButton, showText } from "./elements";

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
	for (const { label, act } of actions) addButton(bar, label, act);
	return new Notice(content, duration);
}

/** Say something in passing, whatever it holds. */
export function tell(text: string, duration?: number): void {
	new Notice(sanitizePlain(text), duration);
}

export function tellFailure(error: unknown): void {
	tell(messageOf(error));
}
