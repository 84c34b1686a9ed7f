/** What is known of another MCP server: what is started or reached, its tools, what changed, and what it wrote. All of it is text of others. */

import type { ServerInfo, ServerToolInfo } from "../../core/wire/contract";
import { differenceOf, toolWords } from "../../core/wire/servers";
import { showLongText, showText } from "../text";

/** What is started or reached, and how that differs from what was allowed. */
export function drawTold(el: HTMLElement, { told, change }: ServerInfo): void {
	drawLines(el, told.join("\n"), "What is started or reached");
	if (change === null) return;
	const difference = differenceOf(change);
	const note = el.createDiv({ cls: "vault-bridge-problem is-warning" });
	showText(note, difference === null ? "Not allowed yet: you are asked before an agent connects it." : "It is started or reached otherwise than when you allowed it, and you are asked again:");
	if (difference !== null) drawLines(el, difference, "What is different");
}

/**
 * One tool, as it describes itself.
 *
 * @param isOpen - Whether its schema is shown at once, and not only when it is opened.
 */
export function drawTool(el: HTMLElement, tool: ServerToolInfo, isOpen: boolean): void {
	const box = el.createDiv({ cls: "vault-bridge-server-tool" });
	showText(box.createEl("code"), tool.call);
	if (tool.title !== "" && tool.title !== tool.name) showText(box.createSpan(), ` ${tool.title}`);
	const words = toolWords(tool);
	if (words !== "") showText(box.createDiv({ cls: "vault-bridge-faint" }), words);
	showLongText(box.createDiv(), tool.description);
	if (tool.takes !== "") {
		const details = box.createEl("details", { cls: "vault-bridge-details" });
		details.open = isOpen;
		details.createEl("summary", { text: "What it takes" });
		drawLines(details, tool.takes, "What it takes");
	}
	const difference = differenceOf(tool.change);
	if (difference === null) return;
	box.createDiv({ cls: "vault-bridge-problem is-warning", text: "It describes itself otherwise than when you allowed it, and is asked about again:" });
	drawLines(box, difference, "What is different");
}

/** Lines as they are, which can be scrolled with the keyboard too. */
export function drawLines(el: HTMLElement, text: string, label: string): void {
	showLongText(el.createEl("pre", { cls: "vault-bridge-request", attr: { tabindex: "0", role: "group", "aria-label": label } }), text);
}
