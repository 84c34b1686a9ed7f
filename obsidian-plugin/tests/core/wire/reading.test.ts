import { describe, expect, it } from "vitest";
import { ShapeError } from "../../../src/core/json";
import { Shapes } from "../../../src/core/wire/reading";

/** Reads an object by a line of its own, beside one that it can name. */
const read = (line: string, value: unknown, path = ""): unknown => new Shapes(`\nInner colour:Colour\nColour <"red","blue">\nX ${line}\n`).of("X")(value, path);

describe("a shape", () => {
	it.each<[string, unknown, unknown]>([
		["x:s", "a", "a"],
		["x:n", 3, 3],
		["x:b", false, false],
		["x:t", "2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z"],
		["x:a", [1, "b"], [1, "b"]],
		["x:o", { a: 1 }, { a: 1 }],
		["x:[s]", ["a"], ["a"]],
		["x:~s", ["a", 3], ["a"]],
		["x:{n}", { a: 1 }, { a: 1 }],
		["x:{[n?]}", { a: [1, null] }, { a: [1, null] }],
		['x:<"a","b">', "b", "b"],
		["x:<7,30>", 30, 30],
		["x:(n|s)", "a", "a"],
		["x:s?", null, null],
		["x:s?", undefined, null],
		['x:s=""', undefined, ""],
		["x:[s]=[]", null, []],
		['x:o={"a":1}', undefined, { a: 1 }],
		["x:Colour", "red", "red"],
		["x:~Colour", ["red", "green"], ["red"]],
		["x:Inner", { colour: "red", more: 1 }, { colour: "red" }],
		["x:[Inner]?", [{ colour: "blue" }], [{ colour: "blue" }]],
		["x:(Inner|s)", "a", "a"],
	])("%s reads %j", (line, value, result) => {
		expect(read(line, { x: value })).toEqual({ x: result });
	});

	it("has all members of another model that it names", () => {
		expect(read("Inner x:n", { x: 1, colour: "red" })).toEqual({ x: 1, colour: "red" });
		expect(() => read("Inner x:n", { x: 1 })).toThrow(ShapeError);
	});

	it.each<[string, unknown]>([["x:s", 3], ["x:s", null], ["x:n", Number.NaN], ["x:b", 0], ["x:t", "soon"], ["x:[s]", "a"], ["x:[s]", [3]], ['x:<"a">', "c"], ["x:(n|b)", "a"], ["x:Inner", { colour: "green" }], ["x:{n}", []], ["x:s?", 3]])("%s refuses %j", (line, value) => {
		expect(() => read(line, { x: value })).toThrow(ShapeError);
	});

	it.each(["x:", "x:z", "x:[s", "x:Outer", "x:s!", "x:(s"])("%s is no shape", (line) => {
		expect(() => read(line, {})).toThrow("no kind");
	});

	it("names the place of a fault, and may have no members", () => {
		expect(() => read("a:s x:[Inner]", { a: "", x: [{ colour: "red" }, { colour: 1 }] }, "files")).toThrow("files.x.1.colour should be one of red, blue");
		expect(read("", { a: 1 })).toEqual({});
		expect(Object.keys(new Shapes("X a:s b:n").members("X"))).toEqual(["a", "b"]);
	});
});
