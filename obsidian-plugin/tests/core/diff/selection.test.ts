import { describe, expect, it } from "vitest";
import { Selection, unitsOf } from "../../../src/core/diff/selection";
import type { FilePreview } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";

const file = (path: string, change: string, more: object = {}): FilePreview => reader("FilePreview")({ path, change, ...more }, "");
const edit = (path: string, hunks: number, more: object = {}): FilePreview =>
	file(path, "modify", { diff: Array.from({ length: hunks }, (_, index) => `@@ -${index}1 +${index}1 @@\n-old\n+new\n`).join(""), ...more });
const move = (path: string, unit: string): FilePreview => file(path, "move", { newPath: `Archive/${path}`, unit });

describe("the parts of a change that a person wants", () => {
	it("are all of them at first, which is a plain yes", () => {
		const selection = new Selection([edit("a.md", 2)]);
		expect([selection.toWire(), selection.wanted, selection.total]).toEqual([null, 2, 2]);
	});

	it("are named for each file of which something is left out, and for no other", () => {
		const selection = new Selection([edit("a.md", 2), edit("b.md", 1)]);
		const [first] = selection.of("a.md");
		selection.set(first ? [first] : [], false);
		expect([selection.toWire(), selection.wanted]).toEqual([{ "a.md": [1] }, 2]);
		selection.set(selection.of("a.md"), true);
		expect(selection.toWire()).toBeNull();
	});

	it("are a file that comes or goes as a whole", () => {
		const selection = new Selection([file("new.md", "create", { diff: "@@ -0,0 +1 @@\n+a\n" }), file("old.md", "delete"), file("Folder", "mkdir"), edit("a.md", 3)]);
		expect([selection.total, selection.of("Folder")]).toEqual([5, []]);
		selection.set([...selection.of("new.md"), ...selection.of("old.md"), ...selection.of("a.md")], false);
		expect([selection.toWire(), selection.wanted]).toEqual([{ "new.md": [], "old.md": [], "a.md": [] }, 0]);
	});

	it("are all files of a unit or none, however many hunks they have", () => {
		const selection = new Selection([move("a.md", "1"), edit("b.md", 3, { unit: "1" }), edit("c.md", 1, { unit: "1", truncated: true }), move("d.md", "2"), edit("e.md", 1)]);
		expect([selection.total, selection.of("a.md")]).toEqual([3, selection.of("c.md")]);
		selection.set(selection.of("b.md"), false);
		expect([selection.toWire(), selection.wanted]).toEqual([{ "a.md": [], "b.md": [], "c.md": [] }, 2]);
		selection.set(selection.of("d.md"), false);
		expect(selection.toWire()).toMatchObject({ "d.md": [] });
	});

	it("are not there where a change was not shown whole", () => {
		expect(new Selection([edit("a.md", 2, { truncated: true }), file("b.md", "create", { truncated: true })]).total).toBe(0);
	});

	it("keep to their files whatever these are called", () => {
		const selection = new Selection([edit("__proto__", 1), edit("toString", 1)]);
		selection.set(selection.of("__proto__"), false);
		expect(Object.entries(selection.toWire() ?? {})).toEqual([["__proto__", []]]);
	});

	it("are heard of by everything that shows them", () => {
		const selection = new Selection([edit("a.md", 2)]);
		const seen: number[] = [];
		selection.changed.on(() => { seen.push(selection.wanted); });
		selection.set(selection.of("a.md"), false);
		selection.set(selection.of("a.md"), true);
		expect(seen).toEqual([0, 2]);
	});
});

it("finds the files that belong together; one alone belongs to none", () => {
	const [a, b, c, d, e] = [move("a.md", "1"), edit("b.md", 1), edit("c.md", 1, { unit: "2" }), edit("d.md", 1, { unit: "1" }), move("e.md", "3")];
	expect(unitsOf([a, b, c, d, e])).toEqual({ units: [[a, d]], single: [b, c, e] });
});
