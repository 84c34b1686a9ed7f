import { describe, expect, it } from "vitest";
import { dangersOf } from "../../../src/core/diff/dangers";
import { parseDiff } from "../../../src/core/diff/parse";

const added = (...lines: string[]): string[] => dangersOf(parseDiff([`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n")));

describe("new text", () => {
	it.each([
		["```dataviewjs", ["runs-code"]],
		["> ```dataviewjs", ["runs-code"]],
		["Count: `$= dv.pages().length`", ["runs-code"]],
		["<% tp.file.title %>", ["runs-code"]],
		["<script>x</script>", ["runs-code"]],
		["![x](https://example.org/pixel.png)", ["loads-remote"]],
		['<img alt="" src="http://example.org/p">', ["loads-remote"]],
		["<iframe src=https://example.org>", ["loads-remote"]],
		["[a link](https://example.org)", []],
		["![[picture.png]]", []],
		["```js", []],
		["```dataview", []],
		["5 < 6 and 50% of it", []],
	])("%s", (line, dangers) => {
		expect(added(line)).toEqual(dangers);
	});

	it("is no new danger where the line was there before", () => {
		expect(dangersOf(parseDiff("@@ -1,2 +1,2 @@\n-```dataviewjs\n-a\n+b\n+```dataviewjs\n"))).toEqual([]);
	});
});
