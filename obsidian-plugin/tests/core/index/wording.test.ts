import { describe, expect, it } from "vitest";
import { aboutOf, asText, countsOf, summaryOf } from "../../../src/core/index";
import type { IndexComparison, IndexDifference } from "../../../src/core/wire/contract";

const found = (more: Partial<IndexComparison> = {}): IndexComparison => ({ compared: 1, links: 2000, tags: 0, differences: [], more: 0, uncompared: [], ...more });
const difference = (more: Partial<IndexDifference> = {}): IndexDifference => ({ path: "a.md", kind: "link", target: "b.md", obsidian: 2, bridge: 0, ...more });

describe("a comparison in words", () => {
	it("says when nothing differs", () => {
		expect(summaryOf(found())).toBe("1 note compared, with 2,000 links and 0 tags. Obsidian and the bridge say the same of all of them.");
	});

	it("counts differences and the notes they are in", () => {
		expect(summaryOf(found({ differences: [difference(), difference({ kind: "tag" })] }))).toContain("2 differences in 1 note.");
		expect(summaryOf(found({ differences: [difference()], more: 9 }))).toContain("10 differences in 1 note or more.");
	});

	it.each([
		[difference(), "links to b.md: Obsidian 2, bridge 0"],
		[difference({ kind: "unresolved", target: "c", bridge: 1 }), "links to the missing c: Obsidian 2, bridge 1"],
		[difference({ kind: "tag", target: "#t" }), "uses of #t: Obsidian 2, bridge 0"],
		[difference({ kind: "tag_order", target: "" }), "the order of its tags: differs"],
		[difference({ kind: "note", target: "", obsidian: 1 }), "the note itself: known to Obsidian only"],
		[difference({ kind: "note", target: "", obsidian: 0, bridge: 1 }), "the note itself: known to the bridge only"],
	])("says what %o is about", (one, words) => {
		const { label, target } = aboutOf(one);
		expect(`${label}${target && ` ${target}`}: ${countsOf(one)}`).toBe(words);
	});

	it("is copied whole, and tells apart what could not be compared", () => {
		const text = asText(found({ differences: [difference()], more: 1, uncompared: [{ path: "u.md", reason: "unsaved" }, { path: "c.md", reason: "changed" }, { path: "n.md", reason: "unread" }] }));
		expect(text.split("\n").slice(1)).toEqual([
			"a.md: links to b.md: Obsidian 2, bridge 0",
			"and 1 more difference",
			"u.md: not compared: open with text that is not saved yet",
			"c.md: not compared: changed while it was compared",
			"n.md: not compared: not read yet",
			"",
		]);
	});
});
