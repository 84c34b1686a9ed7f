/** Draws parts of Markdown: elements made one by one, and text as text nodes. Nothing of it is ever parsed as HTML. */

import type { App } from "obsidian";
import type { Inline } from "../../core/chat/inline";
import { GrowingMarkdown, type Block, type Item, type Row } from "../../core/chat/markdown";
import { sanitizePlain, shorten } from "../../core/text";
import { showText } from "../elements";
import { noteFor, openNote } from "./notes";

const LONGEST_TARGET = 80;

export function drawBlock(block: Block, app: App): HTMLElement {
	switch (block.kind) {
		case "paragraph":
			return withParts(createEl("p"), block.parts, app);
		case "heading":
			// The names of levels are the page's; in an answer they are only larger or smaller.
			return withParts(createEl("p", { cls: `vault-bridge-chat-heading mod-${block.level}` }), block.parts, app);
		case "code": {
			const pre = createEl("pre", { attr: { tabindex: "0" } });
			showText(pre.createEl("code"), block.text);
			return pre;
		}
		case "quote": {
			const quote = createEl("blockquote");
			for (const inner of block.blocks) quote.append(drawBlock(inner, app));
			return quote;
		}
		case "list": {
			const list = createEl(block.start === null ? "ul" : "ol");
			if (block.start !== null && block.start !== 1) list.setAttr("start", block.start);
			for (const item of block.items) list.append(drawItem(item, app));
			return list;
		}
		case "table": {
			const frame = createDiv({ cls: "vault-bridge-chat-table", attr: { tabindex: "0", role: "group", "aria-label": "Table" } });
			const table = frame.createEl("table");
			const head = table.createEl("thead").createEl("tr");
			for (const cell of block.head) withParts(head.createEl("th", { attr: { scope: "col" } }), cell, app);
			const body = table.createEl("tbody");
			for (const row of block.rows) body.append(drawRow(row, app));
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
export function redrawBlock(el: HTMLElement, before: Block, now: Block, app: App): HTMLElement {
	if (before.kind === now.kind && before.source === now.source) return el;
	if (before.kind === "list" && now.kind === "list" && before.start === now.start) {
		redrawChildren(el, before.items, now.items, (item) => drawItem(item, app));
		return el;
	}
	const body = el.querySelector("tbody");
	if (before.kind === "table" && now.kind === "table" && body && before.head.length === now.head.length) {
		redrawChildren(body, before.rows, now.rows, (row) => drawRow(row, app));
		return el;
	}
	const code = el.querySelector("code");
	if (before.kind === "code" && now.kind === "code" && code && now.text.startsWith(before.text)) {
		showText(code, now.text.slice(before.text.length));
		return el;
	}
	const drawn = drawBlock(now, app);
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

function drawItem({ done, blocks }: Item, app: App): HTMLElement {
	const el = createEl("li");
	if (done !== null) {
		el.addClass("vault-bridge-chat-task");
		el.createEl("input", { type: "checkbox", attr: { disabled: "", "aria-label": done ? "Done" : "To do", ...(done && { checked: "" }) } });
	}
	for (const block of blocks) el.append(drawBlock(block, app));
	return el;
}

function drawRow({ cells }: Row, app: App): HTMLElement {
	const el = createEl("tr");
	for (const cell of cells) withParts(el.createEl("td"), cell, app);
	return el;
}

function withParts(el: HTMLElement, parts: readonly Inline[], app: App): HTMLElement {
	for (const part of parts) drawPart(el, part, app);
	return el;
}

const TAGS = { strong: "strong", emphasis: "em", strike: "del" } as const;

function drawPart(el: HTMLElement, part: Inline, app: App): void {
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
			drawLink(el, part, app);
			return;
		case "note":
			drawNoteLink(el, part.target, [{ kind: "text", text: part.label ?? part.target }], part.source, app);
			return;
		default:
			withParts(el.createEl(TAGS[part.kind]), part.parts, app);
	}
}

/** Beside a link that is called something else stands where it leads, as the browser understands it. */
function drawLink(el: HTMLElement, { target, parts, source }: Extract<Inline, { kind: "link" }>, app: App): void {
	const url = webAddress(target);
	if (url === null) {
		drawNoteLink(el, decoded(target), parts, source, app);
		return;
	}
	const link = el.createEl("a", { cls: "external-link", href: url, attr: { target: "_blank", rel: "noopener noreferrer nofollow", title: url } });
	withParts(link, parts, app);
	if (samePlace(link.textContent, url)) return;
	showText(el.createSpan({ cls: "vault-bridge-chat-target" }), ` (${shorten(url, LONGEST_TARGET)})`);
}

function drawNoteLink(el: HTMLElement, target: string, parts: readonly Inline[], source: string, app: App): void {
	if (noteFor(app, target) === null) {
		showText(el, source);
		return;
	}
	const link = el.createEl("a", { cls: "internal-link", href: "#", title: sanitizePlain(target) });
	withParts(link, parts, app);
	link.addEventListener("click", (event) => {
		event.preventDefault();
		void openNote(app, target);
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

/** Characters that are parsed and drawn in one frame: more of them would hold the window up. */
const MOST_IN_FRAME = 2_000;

export class Answer {
	private readonly growing = new GrowingMarkdown();
	private open: { block: Block; el: HTMLElement } | null = null;
	/** What has come and is not drawn. */
	private waiting = "";
	private frame: number | null = null;

	/** @param drawn - Called when there is more of it on the screen. */
	constructor(
		private readonly el: HTMLElement,
		private readonly app: App,
		private readonly drawn: () => void,
	) {}

	add(text: string): void {
		this.waiting += text;
		this.next();
	}

	/** Draw all that has come, now. */
	draw(): void {
		this.end();
		// In the same portions: a long text costs as much as its parts, not the square of it.
		do this.show(); while (this.waiting !== "");
		this.drawn();
	}

	/** Draw no more. */
	end(): void {
		if (this.frame !== null) this.el.win.cancelAnimationFrame(this.frame);
		this.frame = null;
	}

	private next(): void {
		this.frame ??= this.el.win.requestAnimationFrame(() => {
			this.frame = null;
			this.show();
			this.drawn();
			if (this.waiting !== "") this.next();
		});
	}

	private show(): void {
		this.growing.add(this.waiting.slice(0, MOST_IN_FRAME));
		this.waiting = this.waiting.slice(MOST_IN_FRAME);
		const { finished, open } = this.growing.look();
		for (const block of finished) {
			this.showBlock(block);
			this.open = null;
		}
		if (open) this.showBlock(open);
	}

	private showBlock(block: Block): void {
		const el = this.open ? redrawBlock(this.open.el, this.open.block, block, this.app) : drawBlock(block, this.app);
		if (!this.open) this.el.append(el);
		this.open = { block, el };
	}
}
