/** Puts a text on the clipboard of the window that is in front. */

import { showText } from "./elements";
import { tell } from "./notice";

export async function copyText(text: string): Promise<void> {
	try {
		await activeWindow.navigator.clipboard.writeText(text);
		tell("Copied.");
	} catch {
		tell("The clipboard could not be written.");
	}
}

export function copyRow(el: HTMLElement, text: string, what: string): void {
	const row = el.createDiv({ cls: "vault-bridge-copy" });
	showText(row.createEl("pre").createEl("code"), text);
	const button = row.createEl("button", { text: "Copy", type: "button", attr: { "aria-label": `Copy ${what}` } });
	button.addEventListener("click", () => {
		void activeWindow.navigator.clipboard.writeText(text).then(
			() => { button.setText("Copied"); },
			() => { button.setText("Not copied"); },
		);
	});
}
