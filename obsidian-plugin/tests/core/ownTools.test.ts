/** From a schema to a form and back, and which field a refusal is about. */

import { describe, expect, it } from "vitest";
import { environmentWords, fieldOf, formFields, formValues, parseObject, type FormField } from "../../src/core/ownTools";

const field = (property: unknown, required: readonly string[] = []): FormField => {
	const found = formFields({ type: "object", properties: { x: property }, required })[0];
	if (!found) throw new Error("no field");
	return found;
};
const say = (property: unknown, text: string, required: readonly string[] = []): { values: object; faults: Map<string, string> } => formValues([field(property, required)], new Map([["x", text]]));

describe("a form", () => {
	it.each([
		[{ type: "string", description: "Which" }, { kind: "text", description: "Which", first: "" }],
		[{ type: "string", default: "a" }, { kind: "text", first: "a" }],
		[{ type: "integer", default: 3 }, { kind: "number", first: "3" }],
		[{ type: "number" }, { kind: "number", first: "" }],
		[{ type: "boolean", default: true }, { kind: "toggle", first: "true" }],
		[{ type: "boolean" }, { kind: "toggle", first: "" }],
		[{ enum: ["a", 2, null], default: 2 }, { kind: "choice", choices: ["a", 2, null], first: "1" }],
		[{ type: "array", default: ["a"] }, { kind: "json", first: '["a"]' }],
		[{ type: ["string", "null"], default: "a" }, { kind: "json", first: '"a"' }],
		[{ $ref: "#/$defs/y" }, { kind: "json", first: "" }],
		[true, { kind: "json", first: "" }],
	])("has for %o what it takes", (property, expected) => {
		expect(field(property)).toMatchObject({ name: "x", required: false, ...expected });
	});

	it.each([[{}], [{ type: "object" }], [{ properties: [] }], [{ properties: {}, required: "x" }]])("of %o is empty", (schema) => {
		expect(formFields(schema)).toEqual([]);
	});

	it.each<[object, string, unknown]>([
		[{ type: "string" }, "3", "3"],
		[{ type: "integer" }, "3", 3],
		[{ type: "number" }, "-1.5e3", -1500],
		[{ type: "boolean" }, "false", false],
		[{ enum: ["a", null] }, "1", null],
		[{ type: "object" }, '{"a": []}', { a: [] }],
	])("of %o says %j as a value", (property, text, value) => {
		expect(say(property, text)).toEqual({ values: { x: value }, faults: new Map() });
	});

	it.each([[{ type: "string" }], [{ type: "boolean" }], [{ enum: ["a"] }], [{ type: "array" }]])("of %o leaves out what is not said", (property) => {
		expect(say(property, "")).toEqual({ values: {}, faults: new Map() });
	});

	it("says an empty text where a text is needed", () => {
		expect(say({ type: "string" }, "", ["x"])).toEqual({ values: { x: "" }, faults: new Map() });
	});

	it.each([
		[{ type: "integer" }, "three", [], "This must be a number."],
		[{ type: "integer" }, "[3]", [], "This must be a number."],
		[{ type: "array" }, "[1,", [], "This must be JSON."],
		[{ type: "integer" }, "", ["x"], "This is needed."],
		[{ enum: ["a"] }, "", ["x"], "This is needed."],
	])("of %o with %j and %j needed says what is wrong", (property, text, required, fault) => {
		expect(say(property, text, required)).toEqual({ values: {}, faults: new Map([["x", fault]]) });
	});
});

describe("what is written as JSON", () => {
	it("is an object, or it is said why not", () => {
		expect(parseObject('{"a": 1}')).toEqual({ value: { a: 1 } });
		expect(parseObject("[]")).toEqual({ fault: "This must be an object: { … }" });
		expect(parseObject("{")).toMatchObject({ fault: expect.stringMatching(/^This is no JSON: /) as string });
	});
});

describe("a refusal", () => {
	it.each([
		["'a b' cannot be a tool's name: 1 to 64 letters", "name"],
		["The tool: There is a tool 'x' already; choose another name", "name"],
		["'mcp__x' cannot be a tool's name: 'mcp__' marks tools of other servers", "name"],
		["A tool needs a description, by which agents know when to use it", "description"],
		["The description must have at most 4,000 characters and no control characters", "description"],
		["The return type must have at most 1,000 characters and no control characters", "returns"],
		["'timeout' must be at least 100", "timeout"],
		["A tool needs code", "code"],
		["The code cannot be read: SyntaxError: Unexpected token (line 3)", "code"],
		["The parameters must be a JSON Schema of an object: its `type` must be `object`", "parameters"],
		["The tool: The parameters are no JSON Schema that can be used: 'description' is no object", "parameters"],
		["The disk is full", null],
	])("%j is about the field %j", (refusal, about) => {
		expect(fieldOf(refusal)).toBe(about);
	});
});

it("an environment that only a later bridge has is called by its name", () => {
	expect(environmentWords("deno")).toEqual({ name: "deno", label: "deno", help: "" });
	expect(environmentWords("constructor").label).toBe("constructor");
});
