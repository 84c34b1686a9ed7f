/** Markdown as parts that can be drawn. */

import { asText, DEEPEST, inlines, type Inline } from "./inline";

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

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/u;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*)|)$/u;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/u;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/u;
const QUOTE = /^ {0,3}> ?/u;
const ITEM = /^ {0,3}(?:\d{1,9}[.)]|[-*+])(?=[ \t]|$)/u;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/u;
/** Blanks before code that has no fence. */
const CODE_INDENT = 4;

type Lines = readonly string[];

type Found = readonly [end: number, block: Block];

export interface Placed {
	from: number;
	block: Block;
}

export function parse(text: string): Placed[] {
	const lines = text.split("\n");
	const starts = [0];
	for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
	return [...blocksIn(lines.map((line) => line.replace(/\r$/u, "")), 1)].map(([at, block]) => ({ from: starts[at] ?? 0, block }));
}

function* blocksIn(lines: Lines, depth: number): Generator<[number, Block]> {
	for (let at = 0; at < lines.length;) {
		if (isBlank(lines, at)) {
			at++;
			continue;
		}
		const [end, block] = depth > DEEPEST ? textAt(lines, at) : blockAt(lines, at, depth);
		yield [at, block];
		at = end;
	}
}

function inner(lines: Lines, depth: number): Block[] {
	return [...blocksIn(lines, depth + 1)].map(([, block]) => block);
}

function blockAt(lines: Lines, at: number, depth: number): Found {
	const line = lines[at] ?? "";
	const fence = FENCE.exec(line);
	if (fence) return fencedAt(lines, at, fence);
	if (indentOf(line) >= CODE_INDENT) return indentedAt(lines, at);
	const heading = HEADING.exec(line);
	if (heading) return [at + 1, { kind: "heading", source: line, level: heading[1]?.length ?? 1, parts: inlines((heading[2] ?? "").trim().replace(/(?:^|[ \t]+)#+$/u, ""), depth) }];
	if (RULE.test(line)) return [at + 1, { kind: "rule", source: line }];
	if (QUOTE.test(line)) return quoteAt(lines, at, depth);
	if (ITEM.test(line)) return listAt(lines, at, depth);
	if (isTable(lines, at)) return tableAt(lines, at, depth);
	return paragraphAt(lines, at, depth);
}

function textAt(lines: Lines, at: number): Found {
	const source = sourceOf(lines, at, lines.length);
	return [lines.length, { kind: "paragraph", source, parts: [asText(source)] }];
}

/** Code between fences, or to the end where the second one has not come. */
function fencedAt(lines: Lines, at: number, [, indent = "", fence = "", info = ""]: RegExpExecArray): Found {
	const closing = new RegExp(`^ {0,3}${fence}${fence.charAt(0)}*[ \\t]*$`, "u");
	const last = lines.findIndex((line, index) => index > at && closing.test(line));
	const end = last < 0 ? lines.length : last;
	const text = lines.slice(at + 1, end).map((line) => outdented(line, Math.min(indent.length, indentOf(line)))).join("\n");
	return [end + 1, { kind: "code", source: sourceOf(lines, at, end + 1), language: info.trim(), text }];
}

function indentedAt(lines: Lines, at: number): Found {
	let end = at + 1;
	for (let next = end; next < lines.length && (isBlank(lines, next) || indentOf(lines[next]) >= CODE_INDENT); next++) if (!isBlank(lines, next)) end = next + 1;
	return [end, { kind: "code", source: sourceOf(lines, at, end), language: "", text: lines.slice(at, end).map((line) => outdented(line, CODE_INDENT)).join("\n") }];
}

function quoteAt(lines: Lines, at: number, depth: number): Found {
	let end = at + 1;
	while (QUOTE.test(lines[end] ?? "") || goesOn(lines, end)) end++;
	return [end, { kind: "quote", source: sourceOf(lines, at, end), blocks: inner(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth) }];
}

function listAt(lines: Lines, first: number, depth: number): Found {
	const kind = kindOfItem(lines[first]);
	const items: Item[] = [];
	let end = first;
	for (let at = first; kindOfItem(lines[at]) === kind;) {
		const marker = ITEM.exec(lines[at] ?? "")?.[0] ?? "";
		const line = " ".repeat(marker.length) + (lines[at] ?? "").slice(marker.length);
		const blanks = line.trim() === "" ? 1 : indentOf(line) - marker.length;
		const indent = marker.length + (blanks > CODE_INDENT ? 1 : blanks);
		end = at + 1;
		let next = end;
		// Blank lines belong to an item when more of it follows.
		for (; next < lines.length; next++) {
			if (isBlank(lines, next)) continue;
			if (indentOf(lines[next]) < indent && !(next === end && goesOn(lines, next) && kindOfItem(lines[next]) !== kind)) break;
			end = next + 1;
		}
		const [begin = "", ...rest] = [line, ...lines.slice(at + 1, end)].map((one) => outdented(one, indent));
		const task = TASK.exec(begin);
		items.push({ source: sourceOf(lines, at, end), done: task && task[1] !== " ", blocks: inner([begin.slice(task?.[0].length ?? 0), ...rest], depth) });
		at = next;
	}
	return [end, { kind: "list", source: sourceOf(lines, first, end), start: /^[.)]$/u.test(kind) ? Number.parseInt(lines[first] ?? "", 10) : null, items }];
}

/** What the items of one list have in common; "" for a line that begins none. */
function kindOfItem(line = ""): string {
	return RULE.test(line) ? "" : (ITEM.exec(line)?.[0].at(-1) ?? "");
}

function isTable(lines: Lines, at: number): boolean {
	const [head = "", rule = ""] = lines.slice(at, at + 2);
	if (!head.includes("|") || !rule.includes("|")) return false;
	const cells = cellsIn(rule);
	return cells.every((cell) => /^:?-+:?$/u.test(cell)) && cells.length === cellsIn(head).length;
}

function tableAt(lines: Lines, at: number, depth: number): Found {
	let end = at + 2;
	while (end < lines.length && !beginsBlock(lines, end)) end++;
	const [head = [], , ...rows] = lines.slice(at, end).map((line) => cellsIn(line).map((cell) => inlines(cell, depth)));
	return [end, { kind: "table", source: sourceOf(lines, at, end), head, rows: rows.map((cells, index) => ({ source: lines[at + 2 + index] ?? "", cells })) }];
}

function cellsIn(line: string): string[] {
	return line.trim().replace(/^\||(?<!\\)\|$/gu, "").split(/(?<!\\)\|/u).map((cell) => cell.trim().replace(/\\\|/gu, "|"));
}

function paragraphAt(lines: Lines, at: number, depth: number): Found {
	let end = at + 1;
	while (end < lines.length && !UNDERLINE.test(lines[end] ?? "") && !beginsBlock(lines, end)) end++;
	// How far a line is indented says nothing, and it ends where it ends, as in Obsidian.
	const parts = inlines(lines.slice(at, end).map((line) => line.trim()).join("\n"), depth);
	const underline = UNDERLINE.exec(lines[end] ?? "")?.[1];
	if (underline === undefined) return [end, { kind: "paragraph", source: sourceOf(lines, at, end), parts }];
	return [end + 1, { kind: "heading", source: sourceOf(lines, at, end + 1), level: underline.startsWith("=") ? 1 : 2, parts }];
}

function beginsBlock(lines: Lines, at: number): boolean {
	const line = lines[at] ?? "";
	if (isBlank(lines, at) || [FENCE, HEADING, RULE, QUOTE].some((one) => one.test(line)) || isTable(lines, at)) return true;
	// A number at the beginning of a line may be part of a sentence.
	return /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/u.test(line);
}

/** Whether a line goes on with the paragraph before it, which is inside of something. */
function goesOn(lines: Lines, at: number): boolean {
	return at < lines.length && !isBlank(lines, at - 1) && !beginsBlock(lines, at);
}

function isBlank(lines: Lines, at: number): boolean {
	return (lines[at] ?? "").trim() === "";
}

function indentOf(line = ""): number {
	let columns = 0;
	for (const sign of line) {
		if (sign === "\t") columns += CODE_INDENT - (columns % CODE_INDENT);
		else if (sign === " ") columns++;
		else break;
	}
	return columns;
}

/** A line without some of the columns of blanks that it begins with. */
function outdented(line: string, columns: number): string {
	return columns === 0 ? line : " ".repeat(Math.max(0, indentOf(line) - columns)) + line.trimStart();
}

function sourceOf(lines: Lines, at: number, end: number): string {
	return lines.slice(at, end).join("\n");
}

/** Characters of a block after which the rest of it is taken for another one: what is drawn again stays small. */
const MOST_OPEN = 4_000;
const FIRST_FENCE = /^ {0,3}(?:`{3,}|~{3,})[^\n]*\n/u;

export interface Grown {
	/** Blocks that are finished since the last look, in order. */
	finished: Block[];
	/** The block that may still change; null where there is none. */
	open: Block | null;
}

export class GrowingMarkdown {
	/** What belongs to no finished block. */
	private rest = "";

	/** Take more text. Nothing is parsed before `look`. */
	add(text: string): void {
		this.rest += text;
	}

	/** Parse what is not finished. A block is finished when another one follows it. */
	look(): Grown {
		const finished: Block[] = [];
		let placed = parse(this.rest);
		while (placed.length > 1 || this.rest.length > MOST_OPEN) {
			const last = placed.at(-1);
			if (placed.length > 1 && last) {
				finished.push(...placed.slice(0, -1).map(({ block }) => block));
				this.rest = this.rest.slice(last.from);
			} else {
				const [cut, next] = this.cut();
				finished.push(...parse(cut).map(({ block }) => block));
				this.rest = next;
			}
			placed = parse(this.rest);
		}
		return { finished, open: placed[0]?.block ?? null };
	}

	/** A block that has become too long, in two: after a line, or where there is none, a word. Code stays code. */
	private cut(): [string, string] {
		const most = this.rest.slice(0, MOST_OPEN);
		const fence = FIRST_FENCE.exec(most)?.[0] ?? "";
		const line = most.lastIndexOf("\n");
		const at = line > fence.length ? line + 1 : most.lastIndexOf(" ") > MOST_OPEN / 2 ? most.lastIndexOf(" ") + 1 : wholeCharacters(most);
		return [most.slice(0, at), fence + this.rest.slice(at)];
	}
}

/** How much of a text can be taken so that no character is torn in two. */
function wholeCharacters(text: string): number {
	const code = text.charCodeAt(text.length - 1);
	return code >= 0xd800 && code <= 0xdbff ? text.length - 1 : text.length;
}
