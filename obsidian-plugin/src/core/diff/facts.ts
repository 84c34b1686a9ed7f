/** What a change does to links and properties, in words: the things a diff shows and an eye passes over. */

import type { Hunk, Row } from "./model";
import { changedBlocks } from "./words";

export type Fact =
	| { kind: "link-retargeted"; from: string; to: string }
	| { kind: "link-added" | "link-removed"; target: string }
	| { kind: "property-set"; name: string; value: string }
	| { kind: "property-changed"; name: string; from: string; to: string }
	| { kind: "property-removed"; name: string; value: string };

const WIKILINK = /\[\[([^\]|\n]+)(?:\|([^\]\n]*))?\]\]/g;
const MARKDOWN_LINK = /\[([^\]\n]*)\]\(<?([^)<>\n]+)>?\)/g;
const PROPERTY = /^([\p{L}\p{N}_][^:#\n]*?):(?:\s+(.*)|)$/u;
/** A change with more facts than this is a rewrite; the diff says it better. */
const MOST_FACTS = 30;

export function factsOf(hunks: readonly Hunk[]): Fact[] {
	const facts: Fact[] = [];
	for (const hunk of hunks) {
		const properties = frontmatterRows(hunk);
		for (const { removed, added } of changedBlocks(hunk.rows)) {
			facts.push(...propertyFacts(removed.filter((row) => properties.has(row)), added.filter((row) => properties.has(row))));
			facts.push(...linkFacts(textOf(removed), textOf(added)));
			if (facts.length > MOST_FACTS) return [];
		}
	}
	return facts;
}

interface Link {
	target: string;
	text: string;
}

function linkFacts(before: string, after: string): Fact[] {
	if (!before.includes("[") && !after.includes("[")) return [];
	const gone = linksOf(before);
	const come = linksOf(after);
	for (const link of [...gone]) {
		const same = come.findIndex((one) => one.target === link.target);
		if (same < 0) continue;
		come.splice(same, 1);
		gone.splice(gone.indexOf(link), 1);
	}
	const facts: Fact[] = [];
	for (const link of gone) {
		const index = come.findIndex((one) => one.text === link.text);
		const heir = index >= 0 ? come.splice(index, 1)[0] : gone.length === 1 && come.length === 1 ? come.pop() : undefined;
		facts.push(heir ? { kind: "link-retargeted", from: link.target, to: heir.target } : { kind: "link-removed", target: link.target });
	}
	return [...facts, ...come.map((link): Fact => ({ kind: "link-added", target: link.target }))];
}

function linksOf(text: string): Link[] {
	const wiki = [...text.matchAll(WIKILINK)].map((match) => ({ target: match[1] ?? "", text: match[2] ?? match[1] ?? "" }));
	const markdown = [...text.matchAll(MARKDOWN_LINK)].map((match) => ({ target: match[2] ?? "", text: match[1] ?? "" }));
	return [...wiki, ...markdown];
}

function propertyFacts(removed: readonly Row[], added: readonly Row[]): Fact[] {
	const before = propertiesOf(removed);
	const after = propertiesOf(added);
	const facts: Fact[] = [];
	for (const [name, from] of before) {
		const to = after.get(name);
		if (to === undefined) facts.push({ kind: "property-removed", name, value: from });
		else if (to !== from) facts.push({ kind: "property-changed", name, from, to });
	}
	for (const [name, value] of after) if (!before.has(name)) facts.push({ kind: "property-set", name, value });
	return facts;
}

function propertiesOf(rows: readonly Row[]): Map<string, string> {
	return new Map(
		rows.flatMap((row) => {
			const match = PROPERTY.exec(row.text.trimEnd());
			return match?.[1] === undefined ? [] : [[match[1], match[2] ?? ""] as const];
		}),
	);
}

/** The rows between the two `---` of a note's properties: known where the hunk shows line 1 or the closing fence. */
function frontmatterRows(hunk: Hunk): Set<Row> {
	const fence = (row: Row): boolean => row.text.trimEnd() === "---";
	const first = hunk.rows.findIndex((row) => row.old === 1 || row.new === 1);
	const opening = first >= 0 && hunk.rows.slice(first).findIndex(fence) === 0 ? first : -1;
	const closing = hunk.rows.findIndex((row, index) => index > opening && fence(row));
	if (opening < 0 && (closing < 0 || !hunk.rows.slice(0, closing).every(looksLikeYaml))) return new Set();
	return new Set(hunk.rows.slice(opening + 1, closing < 0 ? undefined : closing));
}

function looksLikeYaml(row: Row): boolean {
	return PROPERTY.test(row.text.trimEnd()) || /^\s+\S|^- |^#/.test(row.text);
}

function textOf(rows: readonly Row[]): string {
	return rows.map((row) => row.text).join("\n");
}
