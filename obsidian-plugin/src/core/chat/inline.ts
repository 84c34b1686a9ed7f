/** What stands in a line of Markdown, as parts. What would be HTML, an embed or an image is text. */

export type Inline =
	| { kind: "text" | "code"; text: string }
	| { kind: "strong" | "emphasis" | "strike"; parts: Inline[] }
	/** `source` is how it is written, for where it leads nowhere. */
	| { kind: "link"; target: string; parts: Inline[]; source: string }
	/** A wikilink; `label` is null where it has none of its own. */
	| { kind: "note"; target: string; label: string | null; source: string }
	| { kind: "break" };

/** Parts of parts that are drawn; what lies deeper is text. A model can write `> > > …` for as long as it likes. */
export const DEEPEST = 24;
const LONGEST_LABEL = 500;
/** How many parts before it a mark looks for its partner among. */
const FARTHEST = 200;

/** Signs around words: `*`, `_` and `~~`. Those that find no partner are text. */
interface Mark {
	sign: string;
	count: number;
	opens: boolean;
	closes: boolean;
}

/** A part, and how many others are in each other inside it. */
interface Whole {
	part: Inline;
	inside: number;
}

type Found = readonly [length: number, what: Inline | Mark];

/** Those that models write. */
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": "\u00a0" };

/** What nothing begins with. */
const PLAIN = /(?:(?!https?:\/\/)[^\\\n`!<[&*_~])+/iuy;
const MARK = /([*_~])\1*/uy;
/** Where a link leads, after its label: `(target "title")`. Blanks that have no end would take as long as their number to the power of three. */
const DESTINATION = /\([ \t]{0,9}(?:<([^<>\n]*)>|((?:[^\s()<]|\([^\s()]*\))(?:[^\s()]|\([^\s()]*\))*)|)(?:\s{1,9}(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?\s{0,9}\)/uy;

/** What else there is, in the order in which it is looked for. */
const RULES: readonly (readonly [RegExp, (found: string[]) => Inline])[] = [
	[/\\?\n/uy, () => ({ kind: "break" })],
	[/\\([!-/:-@[-`{-~])/uy, ([, sign = ""]) => asText(sign)],
	[/(`+)(?!`)([^]*?[^`])\1(?!`)/uy, ([, , code = ""]) => ({ kind: "code", text: code.replace(/\n/gu, " ").replace(/^ (.*[^ ].*) $/u, "$1") })],
	[/<(https?:\/\/[^\s<>]+)>/iuy, ([source = "", url = ""]) => linkTo(url, source)],
	[/`+|!\[\[[^[\]\n]{1,500}\]\]|<!--[^]*?-->|<\/?[a-z][^<>]*>/iuy, ([source = ""]) => asText(source)],
	[/\[\[([^[\]\n|]{1,500})(?:\|([^[\]\n]{0,500}))?\]\]/uy, ([source = "", target = "", label]) => ({ kind: "note", target, label: label ?? null, source })],
	[/&(?:amp|lt|gt|quot|#39|nbsp);/uy, ([source = ""]) => asText(ENTITIES[source] ?? source)],
	[/(?<![\p{L}\p{N}])https?:\/\/(?:[^\s<()]|\([^\s<()]*\))*(?:[^\s<()?!.,:;*_~'"\]]|\([^\s<()]*\))/iuy, ([url = ""]) => linkTo(url, url)],
];

/** @param inLink - Whether it is the label of a link, in which there is no other one. */
export function inlines(text: string, depth: number, inLink = false): Inline[] {
	const tokens: (Whole | Mark)[] = [];
	for (let at = 0; at < text.length;) {
		const [length, what] = next(text, at, depth, inLink);
		const source = text.slice(at, at + length);
		if ("sign" in what) tokens.push(what);
		else tokens.push({ part: inLink && (what.kind === "link" || what.kind === "note") ? asText(source) : what, inside: 0 });
		at += length;
	}
	return paired(tokens, depth);
}

function next(text: string, at: number, depth: number, inLink: boolean): Found {
	const plain = foundAt(PLAIN, text, at);
	if (plain) return [plain[0].length, asText(plain[0])];
	const mark = foundAt(MARK, text, at);
	if (mark) return [mark[0].length, markAt(text, at, mark[0])];
	for (const [rule, made] of RULES) {
		const found = foundAt(rule, text, at);
		if (found) return [found[0].length, made(found)];
	}
	const image = text.startsWith("![", at);
	const link = image || (text[at] === "[" && !inLink) ? linkAt(text, image ? at + 1 : at, depth) : null;
	if (!link) return [1, asText(text.charAt(at))];
	return image ? [link[0] + 1, asText(text.slice(at, at + link[0] + 1))] : link;
}

/** A reference leads somewhere only by a line elsewhere, which may not have come yet. So it is text. */
function linkAt(text: string, at: number, depth: number): Found | null {
	let open = 0;
	for (let end = at; end < Math.min(text.length, at + LONGEST_LABEL); end++) {
		if (text[end] === "\\") end++;
		else if (text[end] === "[") open++;
		else if (text[end] === "]" && --open === 0) {
			const found = foundAt(DESTINATION, text, end + 1);
			if (!found) return null;
			const label = text.slice(at + 1, end);
			const source = text.slice(at, end + 1 + found[0].length);
			return [source.length, { kind: "link", target: found[1] ?? found[2] ?? "", parts: depth < DEEPEST ? inlines(label, depth + 1, true) : [asText(label)], source }];
		}
	}
	return null;
}

function markAt(text: string, at: number, signs: string): Inline | Mark {
	const sign = signs.charAt(0);
	if (sign === "~" && signs.length !== 2) return asText(signs);
	const [before, after] = [text.charAt(at - 1), text.charAt(at + signs.length)];
	const left = !isBlank(after) && (!isSign(after) || isBlank(before) || isSign(before));
	const right = !isBlank(before) && (!isSign(before) || isBlank(after) || isSign(after));
	const inWord = sign === "_" && left && right;
	return { sign, count: signs.length, opens: left && (!inWord || isSign(before)), closes: right && (!inWord || isSign(after)) };
}

/** The parts, with those between two marks inside one of their own. */
function paired(tokens: (Whole | Mark)[], depth: number): Inline[] {
	for (let at = 0; at < tokens.length; at++) {
		const closer = tokens[at];
		while (closer && "sign" in closer && closer.closes && closer.count > 0) {
			let open = at - 1;
			while (open >= 0 && at - open < FARTHEST && !opensFor(tokens[open], closer)) open--;
			const opener = tokens[open];
			if (!opener || !("sign" in opener) || !opensFor(opener, closer)) break;
			const between = tokens.slice(open + 1, at);
			const inside = 1 + Math.max(0, ...between.map((one) => ("sign" in one ? 0 : one.inside)));
			if (depth + inside > DEEPEST) break;
			const count = Math.min(2, opener.count, closer.count);
			const kind = closer.sign === "~" ? "strike" : count === 2 ? "strong" : "emphasis";
			opener.count -= count;
			closer.count -= count;
			tokens.splice(open + 1, between.length, { part: { kind, parts: joined(between) }, inside });
			at = open + 2;
		}
	}
	return joined(tokens);
}

function opensFor(opener: Whole | Mark | undefined, closer: Mark): boolean {
	if (!opener || !("sign" in opener) || !opener.opens || opener.sign !== closer.sign || opener.count === 0) return false;
	// `*a**b*` is one emphasis: signs that could be both pair only where their numbers do not add up to three.
	return !(opener.closes || closer.opens) || (opener.count + closer.count) % 3 !== 0 || opener.count % 3 === 0;
}

function joined(tokens: readonly (Whole | Mark)[]): Inline[] {
	const parts: Inline[] = [];
	for (const token of tokens) {
		const part = "sign" in token ? asText(token.sign.repeat(token.count)) : token.part;
		const last = parts.at(-1);
		if (part.kind !== "text") parts.push(part);
		else if (last?.kind === "text") last.text += part.text;
		else if (part.text !== "") parts.push({ ...part });
	}
	return parts;
}

export function asText(text: string): Inline & { kind: "text" | "code" } {
	return { kind: "text", text };
}

function linkTo(url: string, source: string): Inline {
	return { kind: "link", target: url, parts: [asText(url)], source };
}

function foundAt(rule: RegExp, text: string, at: number): RegExpExecArray | null {
	rule.lastIndex = at;
	return rule.exec(text);
}

function isBlank(sign: string): boolean {
	return sign.trim() === "";
}

function isSign(sign: string): boolean {
	return /[\p{P}\p{S}]/u.test(sign);
}
