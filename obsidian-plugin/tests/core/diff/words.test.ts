import { describe, expect, it } from "vitest";
import { parseDiff } from "../../../src/core/diff/hunks";
import { WordMarks } from "../../../src/core/diff/words";

/** The rows of a block with the changed parts in brackets. */
function marked(removed: string[], added: string[]): string[] {
	const diff = [`@@ -1,${removed.length} +1,${added.length} @@`, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join("\n");
	const rows = parseDiff(diff)[0]?.rows ?? [];
	const marks = new WordMarks(rows);
	return rows.map((row) => {
		let text = row.text;
		for (const { start, end } of [...(marks.of(row))].reverse()) text = `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;
		return text;
	});
}

describe("words that differ", () => {
	it("are marked, and the rest of the sentence is not", () => {
		expect(marked(["The quick brown fox jumps over the dog."], ["The quick red fox jumps over the dog."])).toEqual([
			"The quick [brown] fox jumps over the dog.",
			"The quick [red] fox jumps over the dog.",
		]);
	});

	it("read as one phrase where they stand together", () => {
		expect(marked(["a b c d e f g h i"], ["a b X Y e f g h i"])).toEqual(["a b [c d] e f g h i", "a b [X Y] e f g h i"]);
	});

	it("show a link whose target changed and whose text did not", () => {
		expect(marked(["See [the plan](Plans/Old.md) for more."], ["See [the plan](Plans/New.md) for more."])).toEqual([
			"See [the plan](Plans/[Old].md) for more.",
			"See [the plan](Plans/[New].md) for more.",
		]);
	});

	it("are only the new ones where a paragraph was wrapped anew", () => {
		expect(marked(["one two three", "four five six"], ["one two three four", "and five six"])).toEqual([
			"one two three",
			"four five six",
			"one two three four",
			"[and ]five six",
		]);
	});

	it("are not marked where everything is new", () => {
		expect(marked(["alpha beta"], ["gamma delta epsilon"])).toEqual(["alpha beta", "gamma delta epsilon"]);
	});

	it("keep words of other scripts and apostrophes whole", () => {
		expect(marked(["Das wäre schön und es don't gehen heute."], ["Das wäre schöner und es won't gehen heute."])).toEqual([
			"Das wäre [schön] und es [don't] gehen heute.",
			"Das wäre [schöner] und es [won't] gehen heute.",
		]);
	});

	it("are not looked for in lines that are too long to compare", () => {
		expect(marked([`${"x ".repeat(20_000)}a`], [`${"x ".repeat(20_000)}b`]).some((line) => line.includes("["))).toBe(false);
	});
});
