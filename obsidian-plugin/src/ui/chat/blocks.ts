/** Draws parts of Markdown: elements made one by one, and text as text nodes. Nothing of it is ever parsed as HTML. */

import type { Inline } from "../../core/chat/inline";
import type { Block, Item, Row } from "../../core/chat/markdown";
import { sanitizePlain } from "../../core/text/sanitize";
import { showText } from "../text";
import { shorten } from "../../core/text/shorten";

/** Where links lead. */
export interface Links {
	/** Whether there is a note that a link to `target` leads to. */
	isNote: (target: string) => boolean;
	openNote: (target: string) => void;
}

const LONGEST_TARGET = 80;

export function drawBlock(block: Block, links: Links): HTMLElement {
	switch (block.kind) {
		case "paragraph":
			return withParts(createEl("p"), block.parts, links);
		case "heading":
			// The names of levels are the page's; in an answer they are only larger or smaller.
			return withParts(createEl("p", { cls: `vault-bridge-chat-heading mod-${block.level}` }), block.parts, links);
		case "code": {
			const pre = createEl("pre", { attr: { tabindex: "0" } });
			showText(pre.createEl("code"), block.text);
			return pre;
		}
		case "quote": {
			const quote = createEl("blockquote");
			for (const inner of block.blocks) quote.append(drawBlock(inner, links));
			return quote;
		}
		case "list": {
			const list = createEl(block.start === null ? "ul" : "ol");
			if (block.start !== null && block.start !== 1) list.setAttr("start", block.start);
			for (const item of block.items) list.append(drawItem(item, links));
			return list;
		}
		case "table": {
			const frame = createDiv({ cls: "vault-bridge-chat-table", attr: { tabindex: "0", role: "group", "aria-label": "Table" } });
			const table = frame.createEl("table");
			const head = table.createEl("thead").createEl("tr");
			for (const cell of block.head) withParts(head.createEl("th", { attr: { scope: "col" } }), cell, links);
			const body = table.createEl("tbody");
			for (const row of block.rows) body.append(drawRow(row, links));
			return frame;
		}
		case "rule":
			return createEl("hr");
	}
}

/**
 * Draw a block again of which there is more now. What is the same of it stays as it is.
 *
 * @returns The element that shows it: `el`, or another one that has taken its place.
 */
export function redrawBlock(el: HTMLElement, before: Block, now: Block, links: Links): HTMLElement {
	if (before.kind === now.kind && before.source === now.source) return el;
	if (before.kind === "list" && now.kind === "list" && before.start === now.start) {
		redrawChildren(el, before.items, now.items, (item) => drawItem(item, links));
		return el;
	}
	const body = el.querySelector("tbody");
	if (before.kind === "table" && now.kind === "table" && body && before.head.length === now.head.length) {
		redrawChildren(body, before.rows, now.rows, (row) => drawRow(row, links));
		return el;
	}
	const code = el.querySelector("code");
	if (before.kind === "code" && now.kind === "code" && code && now.text.startsWith(before.text)) {
		showText(code, now.text.slice(before.text.length));
		return el;
	}
	const drawn = drawBlock(now, links);
	el.replaceWith(drawn);
	return drawn;
}

/** Draw those children again that are others now, from the first that differs. */
function redrawChildren<T extends { source: string }>(el: Element, before: readonly T[], now: readonly T[], draw: (one: T) => HTMLElement): void {
	const same = now.findIndex((one, index) => one.source !== before[index]?.source);
	if (same < 0) return;
	while (el.children.length > same) el.lastElementChild?.remove();
	for (const one of now.slice(same)) el.append(draw(one));
}

function drawItem({ done, blocks }: Item, links: Links): HTMLElement {
	const el = createEl("li");
	if (done !== null) {
		el.addClass("vault-bridge-chat-task");
		el.createEl("input", { type: "checkbox", attr: { disabled: "", "aria-label": done ? "Done" : "To do", ...(done && { checked: "" }) } });
	}
	for (const block of blocks) el.append(drawBlock(block, links));
	return el;
}

function drawRow({ cells }: Row, links: Links): HTMLElement {
	const el = createEl("tr");
	for (const cell of cells) withParts(el.createEl("td"), cell, links);
	return el;
}

function withParts(el: HTMLElement, parts: readonly Inline[], links: Links): HTMLElement {
	for (const part of parts) drawPart(el, part, links);
	return el;
}

const TAGS = { strong: "strong", emphasis: "em", strike: "del" } as const;

function drawPart(el: HTMLElement, part: Inline, links: Links): void {
	switch (part.kind) {
		case "text":
			showText(el, part.text);
			return;
		case "code":
			showText(el.createEl("code"), part.text);
			return;
		case "break":
			el.createEl("br");
			return;
		case "link":
			drawLink(el, part, links);
			return;
		case "note":
			drawNoteLink(el, part.target, [{ kind: "text", text: part.label ?? part.target }], part.source, links);
			return;
		default:
			withParts(el.createEl(TAGS[part.kind]), part.parts, links);
	}
}

/** Beside a link that is called something else stands where it leads, as the browser understands it. */
function drawLink(el: HTMLElement, { target, parts, source }: Extract<Inline, { kind: "link" }>, links: Links): void {
	const url = webAddress(target);
	if (url === null) {
		drawNoteLink(el, decoded(target), parts, source, links);
		return;
	}
	const link = el.createEl("a", { cls: "external-link", href: url, attr: { target: "_blank", rel: "noopener noreferrer nofollow", title: url } });
	withParts(link, parts, links);
	if (samePlace(link.textContent, url)) return;
	showText(el.createSpan({ cls: "vault-bridge-chat-target" }), ` (${shorten(url, LONGEST_TARGET)})`);
}

function drawNoteLink(el: HTMLElement, target: string, parts: readonly Inline[], source: string, links: Links): void {
	if (!links.isNote(target)) {
		showText(el, source);
		return;
	}
	const link = el.createEl("a", { cls: "internal-link", href: "#", title: sanitizePlain(target) });
	withParts(link, parts, links);
	link.addEventListener("click", (event) => {
		event.preventDefault();
		links.openNote(target);
	});
	if (link.textContent !== target && link.textContent !== target.replace(/^.*\//u, "")) showText(el.createSpan({ cls: "vault-bridge-chat-target" }), ` (${target})`);
}

/** An address of the web, spelled as it is opened; null for everything else. */
function webAddress(target: string): string | null {
	if (!/^https?:\/\//iu.test(target)) return null;
	try {
		return new URL(target).href;
	} catch {
		return null;
	}
}

function samePlace(label: string, url: string): boolean {
	return label === url || `${label}/` === url;
}

function decoded(target: string): string {
	try {
		return decodeURIComponent(target);
	} catch {
		return target;
	}
}
