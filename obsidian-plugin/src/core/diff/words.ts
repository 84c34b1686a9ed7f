/** Which words differ between removed lines and the added lines that follow them. */

import type { Row, Span } from "./hunks";
import { compareSequences } from "./sequence";

/** Words of a changed block beyond which it is not compared word by word. */
const MOST_TOKENS = 6000;
const MOST_EDITS = 400;
/** The part of a block that changed above which marking it would mark everything. */
const REWRITTEN = 0.6;
/** Characters of a block beyond which it is not compared. */
const MOST_CHARACTERS = 40_000;

/** A run of blanks, a word (with apostrophes inside), a number, or a single sign. */
const TOKEN = /\s+|[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{N}_]/gu;

/** The changed parts of each row of a hunk. A block is compared when the first of its rows is asked for. */
export class WordMarks {
	private readonly blocks = new Map<Row, Block>();
	private readonly compared = new Map<Block, Map<Row, Span[]>>();

	constructor(rows: readonly Row[]) {
		for (const block of changedBlocks(rows)) {
			for (const row of [...block.removed, ...block.added]) this.blocks.set(row, block);
		}
	}

	/** What of this row changed; empty where all of it did, or nothing. */
	of(row: Row): readonly Span[] {
		const block = this.blocks.get(row);
		if (!block) return [];
		let marks = this.compared.get(block);
		if (!marks) this.compared.set(block, (marks = new Map(compareBlock(block.removed, block.added))));
		return marks.get(row) ?? [];
	}
}

export interface Block {
	removed: Row[];
	added: Row[];
}

/** Each run of removed lines with the run of added lines that follows it; one of both may be empty. */
function changedBlocks(rows: readonly Row[]): Block[] {
	const blocks: Block[] = [];
	let block: Block | null = null;
	for (const row of rows) {
		if (row.kind === "removed") {
			if (!block || block.added.length > 0) blocks.push((block = { removed: [], added: [] }));
			block.removed.push(row);
		} else if (row.kind === "added") {
			if (!block) blocks.push((block = { removed: [], added: [] }));
			block.added.push(row);
		} else if (row.kind === "context") {
			block = null;
		}
	}
	return blocks;
}

function compareBlock(removed: readonly Row[], added: readonly Row[]): Iterable<[Row, Span[]]> {
	if (removed.length === 0 || added.length === 0) return [];
	let characters = 0;
	for (const row of [...removed, ...added]) characters += row.text.length;
	if (characters > MOST_CHARACTERS) return [];
	const before = tokensOf(removed);
	const after = tokensOf(added);
	if (before.length + after.length > MOST_TOKENS) return [];
	const changed = compareSequences(before.map(asCompared), after.map(asCompared), MOST_EDITS);
	if (!changed) return [];
	const words = [...before, ...after].map(isWord);
	const touched = [...changed.old, ...changed.new].filter((differs, index) => differs && words[index]).length;
	if (touched > REWRITTEN * words.filter(Boolean).length) return [];
	return [...spansOf(removed, before, changed.old), ...spansOf(added, after, changed.new)];
}

/** To a reader of prose a line break is a blank: a paragraph that was only wrapped anew has no changed words. */
function asCompared(token: string): string {
	return token === "\n" ? " " : token;
}

function isWord(token: string): boolean {
	return token.trim() !== "";
}

/** The tokens of several lines; the line feed between two lines is a token too. */
function tokensOf(rows: readonly Row[]): string[] {
	return rows.flatMap((row) => [...(row.text.match(TOKEN) ?? []), "\n"]);
}

function spansOf(rows: readonly Row[], tokens: readonly string[], changed: readonly boolean[]): [Row, Span[]][] {
	let at = 0;
	return rows.map((row) => {
		const spans: Span[] = [];
		let column = 0;
		for (; tokens[at] !== "\n"; at++) {
			const token = tokens[at] ?? "";
			const last = spans.at(-1);
			if (changed[at]) {
				if (last?.end === column) last.end += token.length;
				else spans.push({ start: column, end: column + token.length });
			}
			column += token.length;
		}
		at++;
		return [row, joinAcrossBlanks(spans, row.text)];
	});
}

/** A changed phrase reads as one: marks with nothing but blanks between them are joined. */
function joinAcrossBlanks(spans: readonly Span[], text: string): Span[] {
	const joined: Span[] = [];
	for (const span of spans) {
		const last = joined.at(-1);
		if (last && text.slice(last.end, span.start).trim() === "") last.end = span.end;
		else joined.push({ ...span });
	}
	return joined;
}
