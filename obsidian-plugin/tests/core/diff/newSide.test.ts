import { expect, it } from "vitest";
import { asLines, newSideOf, parseDiff, type Hunk } from "../../../src/core/diff/hunks";

it.each([
	["those around the change included", "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n\\ No newline at end of file\n", "a\nc\nd"],
	["without carriage returns", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n", "a\nc"],
	["none where all is removed", "@@ -1,2 +0,0 @@\n-a\n-b\n", ""],
])("is what the lines of a hunk will be, %s", (_, diff, text) => {
	expect(parseDiff(diff).map(newSideOf)).toEqual([text]);
});

const hunk = (diff: string): Hunk => parseDiff(diff)[0] ?? { index: 0, oldStart: 0, newStart: 0, heading: "", rows: [] };

it.each([
	["every line ended, so that an empty one at the end is one", "@@ -1,2 +1,2 @@\n-a\n+b\n \n", "c\n", "c\n\n"],
	["nothing where no line is left", "@@ -1,2 +1,2 @@\n-a\n+b\n c\n", "", ""],
	["the end as it is where the file is to have no line break there", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "c", "c"],
	["an end where only the old file had none", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "c", "c\n"],
])("is sent with %s", (_, diff, text, sent) => {
	expect(asLines(hunk(diff), text)).toBe(sent);
});
