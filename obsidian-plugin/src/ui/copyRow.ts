/** A command or a text in a frame, with a button that copies it. */

import { showText } from "./text";

export type Copy = (text: string) => Promise<void>;

export function copyRow(el: HTMLElement, text: string, what: string, copy: Copy): void {
	const row = el.createDiv({ cls: "vault-bridge-copy" });
	showText(row.createEl("pre").createEl("code"), text);
	const button = row.createEl("button", { text: "Copy", type: "button", attr: { "aria-label": `Copy ${what}` } });
	button.addEventListener("click", () => {
		void copy(text).then(
			() => { button.setText("Copied"); },
			() => { button.setText("Not copied"); },
		);
	});
}
