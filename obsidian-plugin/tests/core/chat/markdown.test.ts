/** What a model writes, as parts: nothing of it is lost, and nothing of it is markup. */

import { describe, expect, it } from "vitest";
import { GrowingMarkdown, parse, type Block } from "../../../src/core/chat/markdown";
import type { Inline } from "../../../src/core/chat/inline";

const inline = (part: Inline): string => {
	switch (part.kind) {
		case "text": return part.text;
		case "code": return `code(${part.text})`;
		case "break": return "|";
		case "link": return `link(${part.parts.map(inline).join("")} -> ${part.target})`;
		case "note": return `note(${part.target}${part.label === null ? "" : ` as ${part.label}`})`;
		default: return `${part.kind}(${part.parts.map(inline).join("")})`;
	}
};
const line = (parts: readonly Inline[]): string => parts.map(inline).join("");
const said = (block: Block): string => {
	switch (block.kind) {
		case "paragraph": return line(block.parts);
		case "heading": return `h${block.level}(${line(block.parts)})`;
		case "code": return `code[${block.language}](${block.text})`;
		case "quote": return `quote(${block.blocks.map(said).join("; ")})`;
		case "list": return `list${block.start ?? ""}(${block.items.map((item) => `${item.done === null ? "" : item.done ? "[x] " : "[ ] "}${item.blocks.map(said).join("; ")}`).join(", ")})`;
		case "table": return `table(${block.head.map(line).join(" ")}: ${block.rows.map((row) => row.cells.map(line).join(" ")).join(", ")})`;
		case "rule": return "rule";
	}
};
const shown = (text: string): string => parse(text).map(({ block }) => said(block)).join("\n");

describe("what a model writes becomes", () => {
	it.each<[string, string, string]>([
		["paragraphs, whose lines end where they end", "one\ntwo  \nthree\n\nfour", "one|two|three\nfour"],
		["headings", "# A *b* #\n\nC\n===\n\n###### D", "h1(A emphasis(b))\nh1(C)\nh6(D)"],
		["emphasis, and names with underscores", "**a** *b* ~~c~~ snake_case_name 2 * 3 * 4", "strong(a) emphasis(b) strike(c) snake_case_name 2 * 3 * 4"],
		["code", "a `b *c*` ``d`e``\n\n```js x\nf\n g\n```", "a code(b *c*) code(d`e)\ncode[js x](f\n g)"],
		["lists in lists, and tasks", "- [ ] a\n- [x] b\n  - c\n\n3. d", "list([ ] a, [x] b; list(c))\nlist3(d)"],
		["quotes", "> a\n> b\n> - c", "quote(a|b; list(c))"],
		["tables", "|a|b|\n|-|-|\n|1|**2**|", "table(a b: 1 strong(2))"],
		["rules", "a\n\n---\n", "a\nrule"],
		["links with their targets", '[t](http://a.b/c(d) "ti") <http://e.f> https://g.h/i_j.', "link(t -> http://a.b/c(d)) link(http://e.f -> http://e.f) link(https://g.h/i_j -> https://g.h/i_j)."],
		["links to notes", "[[A]] [[B/C#d|e|f]] [[]] [[\n]]", "note(A) note(B/C#d as e|f) [[]] [[|]]"],
		["emphasis in emphasis", "***a*** **a *b* c** *a**b*** 5*6*7", "emphasis(strong(a)) strong(a emphasis(b) c) emphasis(astrong(b)) 5emphasis(6)7"],
		["emphasis that finds no end, which is text", "*a **b ~c~ _d", "*a **b ~c~ _d"],
		["numbers, whose list begins where it begins, with code in an item", "2) a\n   ```\n   x\n     y\n   ```\n3) b\n\nc", "list2(a; code[](x\n  y), b)\nc"],
		["a sentence with a number at the beginning of a line", "It was\n1984. Then\n- a", "It was|1984. Then\nlist(a)"],
		["a line that goes on in an item or a quote", "- a\nb\n\n> c\nd", "list(a|b)\nquote(c|d)"],
		["code that is indented", "a\n\n    b\n\n      c\n\nd", "a\ncode[](b\n\n  c)\nd"],
		["a table below a line, with bars that are no borders", "It is:\n| a | b |\n|:--|--:|\n| `x\\|y` | z |", "It is:\ntable(a b: code(x|y) z)"],
		["lines with carriage returns", "# a\r\n\r\n- b\r\n- c\r\n", "h1(a)\nlist(b, c)"],
		["one link, where its label looks like another", "[http://good.example](http://evil.example) [a [[b]]](c)", "link(http://good.example -> http://evil.example) link(a [[b]] -> c)"],
		["the signs themselves, where they are escaped", "\\*a\\* &amp; &lt;b&gt; &bogus;", "*a* & <b> &bogus;"],
	])("%s", (_name, text, wanted) => {
		expect(shown(text)).toBe(wanted);
	});

	it.each<[string, string]>([
		["an image", "![a](http://x/y.png)"],
		["an embed", "a ![[b.png]]"],
		["HTML in a line", "a <img src=x onerror=alert(1)> b"],
		["HTML in lines", "<div onclick=x>\n<b>a</b>\n</div>"],
		["a comment", "<!-- a -->"],
		["a reference that leads nowhere", "[1] and [a][b]"],
	])("text, of %s", (_name, text) => {
		expect(shown(text).replace(/\|/gu, "\n")).toBe(text);
	});

	it("text in the end, of signs that lead nowhere, and soon", () => {
		for (const many of ["*a**b_c_".repeat(500), "[".repeat(4_000), "![a](".repeat(800), "<a ".repeat(1_300), "<!--".repeat(1_000), `a ${"`".repeat(4_000)}`, "**a **b ** ** ".repeat(300)]) expect(shown(many).length).toBeGreaterThan(100);
	});

	it("text where it is nested deeper than anybody reads", () => {
		for (const deep of ["> ".repeat(400), "- ".repeat(400), "*a ".repeat(400), "[".repeat(3_000)]) expect(shown(`${deep}x`)).toContain("x");
	});
});

describe("Markdown that grows", () => {
	const text = "# Title\n\nSome *words* and\nmore\n\n- a\n- b\n\n  c\n- d\n\n```js\nlet x;\n\n# no title\n```\n\n|a|b|\n|-|-|\n|1|2|\n\nEnd";

	it.each([1, 2, 7, 1_000])("is the same when it has come in pieces of %i", (size) => {
		const growing = new GrowingMarkdown();
		const finished: Block[] = [];
		let open: Block | null = null;
		for (let at = 0; at < text.length; at += size) {
			growing.add(text.slice(at, at + size));
			const grown = growing.look();
			finished.push(...grown.finished);
			({ open } = grown);
		}
		expect([...finished, ...(open ? [open] : [])].map(said).join("\n")).toBe(shown(text));
	});

	it.each<[string, string, number]>([
		["code", `\`\`\`js\n${"let x = 1;\n".repeat(9_000)}`, 9_000],
		["one line", "word ".repeat(40_000), 40_000],
		["one word", "w".repeat(100_000), 100_000],
		["characters of two parts", "🌱".repeat(30_001), 30_001],
		["a list", "- one\n".repeat(20_000), 20_000],
		["a quote", "> one\n".repeat(20_000), 20_000],
	])("has little that is open, and loses nothing, where it is all %s", (_name, long, count) => {
		const growing = new GrowingMarkdown();
		const finished: Block[] = [];
		let most = 0;
		for (let at = 0; at < long.length; at += 1_000) {
			growing.add(long.slice(at, at + 1_000));
			const grown = growing.look();
			finished.push(...grown.finished);
			most = Math.max(most, grown.open?.source.length ?? 0);
			if (at === long.length - (long.length % 1_000 || 1_000) && grown.open) finished.push(grown.open);
		}
		expect(most).toBeLessThanOrEqual(4_000 + 10);
		const all = finished.map(said).join("\n");
		expect(all.match(/let x|word|w(?!ord)|🌱|one/gu)).toHaveLength(count);
		expect(all).not.toContain("\ufffd");
	});
});
