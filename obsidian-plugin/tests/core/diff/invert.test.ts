import { expect, it } from "vitest";
import { invert } from "../../../src/core/diff/invert";
import { parseDiff } from "../../../src/core/diff/parse";

it("turns the diff of an undo into that of the change", () => {
	const undo = parseDiff("@@ -4,4 +4,3 @@\n a\n-new one\n-new two\n+old\n b\n");
	const change = parseDiff("@@ -4,3 +4,4 @@\n a\n-old\n+new one\n+new two\n b\n");
	expect(invert(undo)).toEqual(change);
	expect(invert(invert(undo))).toEqual(undo);
});
