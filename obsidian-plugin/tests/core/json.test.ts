import { describe, expect, it } from "vitest";
import { boolean, list, number, oneOf, optional, readable, record, ShapeError, string } from "../../src/core/json";

const readNote = record({ path: string, lines: number, tags: optional(list(string), []) });

describe("reading what comes from outside", () => {
	it("keeps the members that are named and leaves out the others", () => {
		expect(readNote({ path: "a.md", lines: 3, tags: ["x"], extra: "<b>" }, "")).toEqual({ path: "a.md", lines: 3, tags: ["x"] });
	});

	it("names the place of the first fault", () => {
		expect(() => list(readNote)([{ path: "a", lines: 1 }, { path: 3, lines: 1 }], "files")).toThrow("files.1.path should be a string");
	});

	it.each([
		[string, 3],
		[number, Number.NaN],
		[number, "3"],
		[boolean, 0],
		[oneOf("a", "b"), "c"],
		[list(string), "abc"],
		[readNote, null],
		[readNote, []],
	])("refuses %o for %o", (reader, value) => {
		expect(() => reader(value, "it")).toThrow(ShapeError);
	});

	it("treats null and absent alike where a member is optional", () => {
		expect([optional(string, null)(null, ""), optional(string, "x")(undefined, "")]).toEqual([null, "x"]);
	});

	it("passes over the broken items of a list that need not be whole", () => {
		expect(readable(string)(["a", 3, "b"], "")).toEqual(["a", "b"]);
	});

	it("does not take a member from the prototype for one that was sent", () => {
		expect(() => record({ path: string })(JSON.parse('{"__proto__": {"path": "x"}}'), "")).toThrow(ShapeError);
	});
});
