/** Where the lines of a diff are: found only in the text it was made of, and after it in the text that it makes. */

import { describe, expect, it } from "vitest";
import { parseDiff } from "../../../src/core/diff/hunks";
import { marksOf, placesOf } from "../../../src/core/diff/placing";

const at = (text: string): ((line: number) => string | null) => (line) => text.split("\n")[line - 1] ?? null;
const TWO = "@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n+C\n d\n@@ -8,3 +8,3 @@\n h\n-i\n j\n+J\n";
const OLD = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";

describe("the places of a diff", () => {
	it.each<[string, string, string, [number, string[], string[], number][]]>([
		["lines in the place of others, gone, and new", TWO, OLD, [[0, ["b", "c"], ["B", "C"], 3], [1, ["i"], [], 9], [1, [], ["J"], 10]]],
		["new lines before all", "@@ -0,0 +1,2 @@\n+x\n+y\n", "a\n", [[0, [], ["x", "y"], 0]]],
		["new lines after a line, without context", "@@ -2,0 +3 @@\n+x\n", "a\nb\nc\n", [[0, [], ["x"], 2]]],
		["two changes with no line between them", "@@ -1,2 +1,2 @@\n-a\n+A\n-b\n+B\n", "a\nb\n", [[0, ["a"], ["A"], 1], [0, ["b"], ["B"], 2]]],
		["lines with carriage returns, which an editor does not have", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n", "a\nb\n", [[0, ["b\r"], ["B\r"], 2]]],
		["a last line that has no end", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", "a", [[0, ["a"], ["b"], 1]]],
	])("are those of %s", (_name, diff, text, places) => {
		expect(placesOf(parseDiff(diff), at(text))?.map(({ hunk, removed, added, after }) => [hunk, removed.map((row) => row.text), added.map((row) => row.text), after])).toEqual(places);
	});

	it.each(["a\nb\nc\nX\ne\nf\ng\nh\ni\nj\n", "a\nb\nc\nd\n", "new\na\nb\nc\nd\n"])("are none in another text: %j", (text) => {
		expect(placesOf(parseDiff(TWO), at(text))).toBeNull();
	});
});

describe("the lines of a change that was made", () => {
	const marks = (keeps: (hunk: number) => boolean): [number, string | null][] => marksOf(parseDiff(TWO), keeps).map(({ line, text }) => [line, text]);

	it("are the new ones, and where lines went", () => { expect(marks(() => true)).toEqual([[2, "B"], [3, "C"], [9, null], [10, "J"]]); });

	it("follow what was left out", () => {
		expect(marks((hunk) => hunk === 1)).toEqual([[9, null], [10, "J"]]);
		const longer = parseDiff("@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -5,2 +6,2 @@\n-e\n+E\n f\n");
		expect(marksOf(longer, (hunk) => hunk === 1)).toEqual([{ line: 5, text: "E" }]);
	});

	it("are there where the end of a note went", () => {
		expect(marksOf(parseDiff("@@ -1,2 +1 @@\n a\n-b\n"), () => true)).toEqual([{ line: 2, text: null }]);
	});
});
