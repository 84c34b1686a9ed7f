import { describe, expect, it } from "vitest";
import { HunkSelection } from "../../../src/core/diff/selection";

describe("the hunks a person wants", () => {
	it("are all of them at first, which is a plain yes", () => {
		const selection = new HunkSelection(new Map([["a.md", 2]]));
		expect([selection.toWire(), selection.wanted, selection.total]).toEqual([null, 2, 2]);
	});

	it("are named for every file once one is left out", () => {
		const selection = new HunkSelection(new Map([["a.md", 2], ["b.md", 1]]));
		selection.set("a.md", 0, false);
		expect(selection.toWire()).toEqual({ "a.md": [1], "b.md": [0] });
		selection.set("a.md", 0, true);
		expect(selection.toWire()).toBeNull();
	});
});
