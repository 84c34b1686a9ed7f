import { describe, expect, it } from "vitest";
import { ShapeError } from "../../src/core/json";
import { model } from "../../src/core/shape";

const read = (shape: string, ...parts: Parameters<typeof model>[1][]) => model<Record<string, unknown>>(shape, ...parts);
const inner = model<{ colour: string }>('colour:<"red","blue">');

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
		["x:0", { colour: "red", more: 1 }, { colour: "red" }],
		["x:[0]?", [{ colour: "blue" }], [{ colour: "blue" }]],
		["x:(0|s)", "a", "a"],
	])("%s reads %j", (shape, value, result) => {
		expect(read(shape, inner)({ x: value }, "")).toEqual({ x: result });
	});

	it.each<[string, unknown]>([["x:s", 3], ["x:s", null], ["x:n", Number.NaN], ["x:b", 0], ["x:t", "soon"], ["x:[s]", "a"], ["x:[s]", [3]], ['x:<"a">', "c"], ["x:(n|b)", "a"], ["x:0", { colour: "green" }], ["x:{n}", []], ["x:s?", 3]])("%s refuses %j", (shape, value) => {
		expect(() => read(shape, inner)({ x: value }, "")).toThrow(ShapeError);
	});

	it.each(["x:", "x:z", "x:[s", "x:1", "x:s!", "x:(s"])("%s is no shape", (shape) => {
		expect(() => read(shape, inner)).toThrow("no kind");
	});

	it("names the place of a fault, has its members, and may have none", () => {
		expect(() => read("a:s x:[0]", inner)({ a: "", x: [{ colour: "red" }, { colour: 1 }] }, "files")).toThrow("files.x.1.colour should be one of red, blue");
		expect(Object.keys(read("a:s b:n").members)).toEqual(["a", "b"]);
		expect(read("")({ a: 1 }, "")).toEqual({});
	});
});
