import { expect, it } from "vitest";
import { followsSentence, groupFiles, totalsOf } from "../../../src/core/diff/totals";
import type { FilePreview } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";

const file = (path: string, change: string, more: object = {}): FilePreview => reader("FilePreview")({ path, change, ...more }, "");
const link = (path: string, links: number): FilePreview => file(path, "modify", { follows: true, links });

it("counts each kind, and puts first what loses something", () => {
	const groups = groupFiles([file("a", "modify"), file("b", "mkdir"), file("c", "create"), link("n", 1), file("d", "move"), file("e", "rmdir"), file("f", "delete"), file("g", "delete")]);
	expect(groups.shown.map((one) => one.path)).toEqual(["f", "g", "e", "d", "a", "c", "b"]);
	expect(totalsOf(groups)).toBe("2 deleted, 1 folder deleted, 1 moved, 1 changed, 1 new, 1 new folder, 1 file whose links follow");
});

it.each<[FilePreview[], string]>([
	[[link("a", 1)], "1 link in 1 note follows"],
	[[link("a", 2)], "2 links in 1 note follow"],
	[[link("a", 2), link("b", 1)], "3 links in 2 notes follow"],
	[[link("a", 2), link("b", 0)], "Links in 2 notes follow"],
])("says how many links follow where it knows each of them", (files, sentence) => {
	expect(followsSentence(files)).toBe(sentence);
});
