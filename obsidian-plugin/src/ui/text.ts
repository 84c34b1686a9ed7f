/** Puts text from outside on the screen: as text nodes, whatever it holds, with what cannot be seen made visible. */

import { sanitize } from "../core/text/sanitize";
import { addButton } from "./addButton";

/** Characters that are shown before a person asks for more: a line of a megabyte would freeze the window. */
const FIRST = 2_000;
const MORE = 20_000;

/** Append all of `text`. */
export function showText(el: HTMLElement, text: string): void {
	for (const piece of sanitize(text)) {
		if (piece.hidden === null) el.appendText(piece.text);
		else el.createSpan({ cls: "vault-bridge-escape", text: piece.text, title: piece.hidden });
	}
}

/** Append the beginning of `text`; the rest comes at the press of a button that says how much there is. */
export function showLongText(el: HTMLElement, text: string, most = FIRST): void {
	const first = cut(text, most);
	showText(el, text.slice(0, first));
	if (first < text.length) offerMore(el, text, first);
}

function offerMore(el: HTMLElement, text: string, from: number): void {
	const label = `Show ${Math.min(MORE, text.length - from).toLocaleString()} of ${(text.length - from).toLocaleString()} more characters`;
	const button = addButton(el, label, () => {
		const to = cut(text, from + MORE);
		const rest = el.createSpan();
		showText(rest, text.slice(from, to));
		button.replaceWith(rest);
		if (to < text.length) offerMore(el, text, to);
	}, "vault-bridge-more");
}

/** Where to cut so that no character is torn in two. */
function cut(text: string, at: number): number {
	const code = text.charCodeAt(at - 1);
	return at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : Math.min(at, text.length);
}
