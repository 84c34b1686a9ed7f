/** Markdown as parts that can be drawn. There is no HTML in it: what would be HTML, an embed or an image is text. */

import type { SyntaxNode } from "@lezer/common";
import { Autolink, parser, Strikethrough, Table, TaskList, type MarkdownConfig } from "@lezer/markdown";

export type Inline =
	| { kind: "text" | "code"; text: string }
	| { kind: "strong" | "emphasis" | "strike"; parts: Inline[] }
	/** `source` is how it is written, for where it leads nowhere. */
	| { kind: "link"; target: string; parts: Inline[]; source: string }
	/** A wikilink; `label` is null where it has none of its own. */
	| { kind: "note"; target: string; label: string | null; source: string }
	| { kind: "break" };

export interface Item {
	/** What is written of it: as long as that is the same, so is what is drawn. */
	source: string;
	/** Of a task, whether it is done; null: it is none. */
	done: boolean | null;
	blocks: Block[];
}

export interface Row {
	source: string;
	cells: Inline[][];
}

export type Block =
	| { kind: "paragraph"; source: string; parts: Inline[] }
	| { kind: "heading"; source: string; level: number; parts: Inline[] }
	| { kind: "code"; source: string; language: string; text: string }
	| { kind: "quote"; source: string; blocks: Block[] }
	| { kind: "list"; source: string; start: number | null; items: Item[] }
	| { kind: "table"; source: string; head: Inline[][]; rows: Row[] }
	| { kind: "rule"; source: string };

/** Parts of parts that are drawn; what lies deeper is text. A model can write `> > > …` for as long as it likes. */
const DEEPEST = 24;
const BRACKET = 91;

/** Obsidian's links, which are no Markdown of anybody else's. */
const wikilinks: MarkdownConfig = {
	defineNodes: ["Wikilink"],
	parseInline: [{
		name: "Wikilink",
		before: "Link",
		parse: (context, next, at) => {
			if (next !== BRACKET || context.char(at + 1) !== BRACKET) return -1;
			const found = /^\[\[[^[\]\n]{1,500}\]\]/u.exec(context.slice(at, Math.min(context.end, at + 504)));
			return found ? context.addElement(context.elt("Wikilink", at, at + found[0].length)) : -1;
		},
	}],
};

const markdown = parser.configure([Table, TaskList, Strikethrough, Autolink, wikilinks]);

/** A block, and where in the text it begins. */
export interface Placed {
	from: number;
	block: Block;
}

export function parse(text: string): Placed[] {
	return childrenOf(markdown.parse(text).topNode).map((node) => ({ from: node.from, block: blockOf(text, node, 1) }));
}

function blockOf(text: string, node: SyntaxNode, depth: number): Block {
	const source = text.slice(node.from, node.to);
	if (depth > DEEPEST) return { kind: "paragraph", source, parts: [{ kind: "text", text: source }] };
	const { name } = node;
	switch (name) {
		case "Blockquote":
			return { kind: "quote", source, blocks: blocksIn(text, node, depth) };
		case "BulletList":
		case "OrderedList":
			return listOf(text, node, depth);
		case "Table":
			return tableOf(text, node, depth);
		case "FencedCode":
		case "CodeBlock":
			return { kind: "code", source, language: textOf(text, node.getChild("CodeInfo")), text: node.getChildren("CodeText").map((part) => textOf(text, part)).join("") };
		case "HorizontalRule":
			return { kind: "rule", source };
		case "Paragraph":
		case "Task":
			return { kind: "paragraph", source, parts: inlines(text, node, depth) };
		default: {
			const level = /^(?:ATX|Setext)Heading(\d)$/u.exec(name)?.[1];
			if (level !== undefined) return { kind: "heading", source, level: Number(level), parts: trimmed(inlines(text, node, depth)) };
			return { kind: "paragraph", source, parts: [{ kind: "text", text: source }] };
		}
	}
}

function blocksIn(text: string, node: SyntaxNode, depth: number): Block[] {
	return childrenOf(node).filter(({ name }) => !name.endsWith("Mark")).map((child) => blockOf(text, child, depth + 1));
}

function listOf(text: string, node: SyntaxNode, depth: number): Block {
	const source = text.slice(node.from, node.to);
	const items = node.getChildren("ListItem").map((item): Item => {
		const mark = item.getChild("Task")?.getChild("TaskMarker") ?? null;
		return { source: text.slice(item.from, item.to), done: mark && /x/iu.test(textOf(text, mark)), blocks: blocksIn(text, item, depth) };
	});
	return { kind: "list", source, start: node.name === "OrderedList" ? Number.parseInt(source, 10) : null, items };
}

function tableOf(text: string, node: SyntaxNode, depth: number): Block {
	const cellsOf = (row: SyntaxNode | null): Inline[][] => row?.getChildren("TableCell").map((cell) => inlines(text, cell, depth)) ?? [];
	return {
		kind: "table",
		source: text.slice(node.from, node.to),
		head: cellsOf(node.getChild("TableHeader")),
		rows: node.getChildren("TableRow").map((row) => ({ source: textOf(text, row), cells: cellsOf(row) })),
	};
}

/** What stands in a node, between what only marks it. */
function inlines(text: string, node: SyntaxNode, depth: number, from = node.from, to = node.to): Inline[] {
	const parts: Inline[] = [];
	let at = from;
	for (const child of childrenOf(node)) {
		if (child.from < at || child.to > to) continue;
		addText(parts, text.slice(at, child.from));
		addPart(parts, text, child, depth + 1);
		at = child.to;
	}
	addText(parts, text.slice(at, to));
	return parts;
}

function addPart(parts: Inline[], text: string, node: SyntaxNode, depth: number): void {
	const source = text.slice(node.from, node.to);
	if (depth > DEEPEST) {
		addText(parts, source);
		return;
	}
	switch (node.name) {
		case "StrongEmphasis":
			parts.push({ kind: "strong", parts: inlines(text, node, depth) });
			return;
		case "Emphasis":
			parts.push({ kind: "emphasis", parts: inlines(text, node, depth) });
			return;
		case "Strikethrough":
			parts.push({ kind: "strike", parts: inlines(text, node, depth) });
			return;
		case "InlineCode":
			parts.push({ kind: "code", text: codeIn(source) });
			return;
		case "HardBreak":
			parts.push({ kind: "break" });
			return;
		case "Escape":
			addText(parts, source.slice(1));
			return;
		case "Entity":
			addText(parts, ENTITIES[source] ?? source);
			return;
		case "Wikilink": {
			const [target = "", ...label] = source.slice(2, -2).split("|");
			parts.push({ kind: "note", target, label: label.length > 0 ? label.join("|") : null, source });
			return;
		}
		case "URL":
		case "Autolink": {
			const url = source.replace(/^<|>$/gu, "");
			parts.push({ kind: "link", target: url, parts: [{ kind: "text", text: url }], source });
			return;
		}
		case "Link":
			addLink(parts, text, node, depth);
			return;
		default:
			// Marks say how to draw what they are around, and are not drawn. What is left (images, HTML) is text.
			if (!MARKS.has(node.name)) addText(parts, source);
	}
}

const MARKS: ReadonlySet<string> = new Set(["EmphasisMark", "StrikethroughMark", "HeaderMark", "QuoteMark", "TaskMarker"]);
/** Those that models write. */
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": "\u00a0" };

/** A reference leads somewhere only by a line elsewhere, which may not have come yet. So it is text. */
function addLink(parts: Inline[], text: string, node: SyntaxNode, depth: number): void {
	const source = text.slice(node.from, node.to);
	const [open, close] = node.getChildren("LinkMark");
	const url = node.getChild("URL");
	if (open && close && url) parts.push({ kind: "link", target: textOf(text, url).replace(/^<|>$/gu, ""), parts: inlines(text, node, depth, open.to, close.from), source });
	else addText(parts, source);
}

function codeIn(source: string): string {
	const inner = source.replace(/^`+|`+$/gu, "").replace(/\n/gu, " ");
	return /^ .*[^ ].* $/u.test(inner) ? inner.slice(1, -1) : inner;
}

/** A line ends where it ends, as in Obsidian; how far the next one is indented says nothing. */
function addText(parts: Inline[], text: string): void {
	for (const [index, line] of text.split("\n").entries()) {
		if (index > 0) parts.push({ kind: "break" });
		const last = parts.at(-1);
		const shown = last === undefined || last.kind === "break" ? line.trimStart() : line;
		if (shown === "") continue;
		if (last?.kind === "text") last.text += shown;
		else parts.push({ kind: "text", text: shown });
	}
}

function trimmed(parts: Inline[]): Inline[] {
	const last = parts.at(-1);
	if (last?.kind === "text") last.text = last.text.trimEnd();
	return parts.filter((part) => part.kind !== "break" && !(part.kind === "text" && part.text === ""));
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
	const children: SyntaxNode[] = [];
	for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
	return children;
}

function textOf(text: string, node: SyntaxNode | null): string {
	return node ? text.slice(node.from, node.to) : "";
}
