/** One remembered answer, with the button that takes it back. */

import { Setting } from "obsidian";
import type { Grant } from "../../core/wire/contract";
import { grantSentence } from "../../core/wire/grants";
import { showText } from "../text";

export function drawGrant(container: HTMLElement, grant: Grant, takeBack: () => Promise<void>): void {
	const { title, detail } = grantSentence(grant);
	const setting = new Setting(container);
	showText(setting.nameEl, title);
	showText(setting.descEl, detail);
	setting.addButton((button) => button.setButtonText("Take back").onClick(takeBack));
}
