import { describe, expect, it } from "vitest";
import { dangersOf } from "../../../src/core/diff/dangers";
import { parseDiff } from "../../../src/core/diff/parse";

const added = (...lines: string[]): string[] => dangersOf(parseDiff([`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n")));
const far = " ".repeat(12);

describe("new text", () => {
	it.each([
		["> ```customjs", ["runs-code"]],
		["```jsx:component:Name", ["runs-code"]],
		["```{js: x", ["runs-code"]],
		[`\`\`\`${far}dataviewjs`, ["runs-code"]],
		["Count: ` $= dv.pages().length`", ["runs-code"]],
		["![x](https:example.org/pixel.png)", ["loads-remote"]],
		[`![${"x".repeat(300)}](https://example.org/p)`, ["loads-remote"]],
		[`![x](${far}https://example.org/p)`, ["loads-remote"]],
		["<img src=https:example.org/p>", ["loads-remote"]],
		[`<img src${far}= "https://example.org/p">`, ["loads-remote"]],
		["url(https:example.org)", ["loads-remote"]],
		["a\u2800b", ["hides-text"]],
		["a\ue000b", ["hides-text"]],
		["e\u0301\u0301\u0301\u0301", ["hides-text"]],
	])("has the danger that the bridge does not see: %o", (line, dangers) => {
		expect(added(line)).toEqual(dangers);
	});

	it.each([
		["```dataviewjs"],
		["Count: `$= dv.pages().length`"],
		["<% tp.file.title %>"],
		["<script>x</script>"],
		["![x](https://example.org/pixel.png)"],
		['<img alt="" src="http://example.org/p">'],
		["<iframe src=https://example.org>"],
		["a\u202eb\u200b"],
	])("is not warned of twice: %o", (line) => {
		expect(added(line)).toEqual([]);
	});

	it.each([["[a link](https://example.org)"], ["![[picture.png]]"], ["```js"], ["```dataview"], ["Cost: `$5`"]])("is no danger: %s", (line) => {
		expect(added(line)).toEqual([]);
	});

	it("is no new danger where the line was there before", () => {
		expect(dangersOf(parseDiff("@@ -1,2 +1,2 @@\n-```customjs\n-a\n+b\n+```customjs\n"))).toEqual([]);
	});
});
