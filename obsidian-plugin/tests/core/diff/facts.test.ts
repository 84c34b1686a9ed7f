import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/core/diff/facts";
import { parseDiff } from "../../../src/core/diff/parse";

describe("what a change does to links and properties", () => {
	it.each([
		["a link that points elsewhere", "@@ -4 +4 @@\n-See [[Old|the plan]].\n+See [[New|the plan]].", [{ kind: "link-retargeted", from: "Old", to: "New" }]],
		["a Markdown link that points elsewhere", "@@ -4 +4 @@\n-[x](a.md)\n+[x](b.md)", [{ kind: "link-retargeted", from: "a.md", to: "b.md" }]],
		["a link that is new", "@@ -4 +4 @@\n-Text\n+Text [[A]]", [{ kind: "link-added", target: "A" }]],
		["a link that goes", "@@ -4 +4 @@\n-Text [[A]] [[B]]\n+Text [[B]]", [{ kind: "link-removed", target: "A" }]],
		["a link that only moves", "@@ -4 +4 @@\n-[[A]] text\n+text [[A]]", []],
		["a property", "@@ -1,4 +1,4 @@\n ---\n-status: draft\n+status: done\n ---\n Text: no property", [{ kind: "property-changed", name: "status", from: "draft", to: "done" }]],
		["a property further down, above the closing fence", "@@ -3,3 +3,4 @@\n b: 1\n+due: 2026-01-01\n c: 2\n ---", [{ kind: "property-set", name: "due", value: "2026-01-01" }]],
		["a property that goes", "@@ -1,3 +1,2 @@\n ---\n-a: 1\n ---", [{ kind: "property-removed", name: "a", value: "1" }]],
		["text that only looks like a property", "@@ -8 +8 @@\n-Note: this\n+Note: that", []],
	])("tells of %s", (_, diff, expected) => {
		expect(factsOf(parseDiff(diff))).toEqual(expected);
	});

	it("is left to the diff when there is too much to tell", () => {
		const lines = Array.from({ length: 40 }, (_, index) => `+[[Note ${index}]]`);
		expect(factsOf(parseDiff(["@@ -0,0 +1,40 @@", ...lines].join("\n")))).toEqual([]);
	});
});
