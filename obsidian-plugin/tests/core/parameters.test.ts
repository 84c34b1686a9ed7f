/** From a schema, or the parameters of a template, to a form and back. */

import { describe, expect, it } from "vitest";
import { formValues, schemaFields, templateFields, type FormField } from "../../src/core/parameters";
import type { TemplateParameter } from "../../src/core/wire/contract";
import { reader } from "../../src/core/wire/reading";

const field = (property: unknown, required: readonly string[] = []): FormField => {
	const found = schemaFields({ type: "object", properties: { x: property }, required })[0];
	if (!found) throw new Error("no field");
	return found;
};
const say = (property: unknown, text: string, required: readonly string[] = []): { values: object; faults: Map<string, string> } => formValues([field(property, required)], new Map([["x", text]]));

describe("the form of a schema", () => {
	it.each([
		[{ type: "string", description: "Which" }, { kind: "text", description: "Which", first: "" }],
		[{ type: "string", default: "a" }, { kind: "text", first: "a" }],
		[{ type: "integer", default: 3 }, { kind: "number", first: "3" }],
		[{ type: "number" }, { kind: "number", first: "" }],
		[{ type: "boolean", default: true }, { kind: "choice", choices: [{ name: "Yes", value: true }, { name: "No", value: false }], first: "0" }],
		[{ type: "boolean" }, { kind: "choice", silent: true, first: "" }],
		[{ enum: ["a", 2, null], default: 2 }, { kind: "choice", choices: [{ name: "a", value: "a" }, { name: "2", value: 2 }, { name: "null", value: null }], first: "1" }],
		[{ type: "array", default: ["a"] }, { kind: "json", first: '["a"]' }],
		[{ type: ["string", "null"], default: "a" }, { kind: "json", first: '"a"' }],
		[{ $ref: "#/$defs/y" }, { kind: "json", first: "" }],
		[true, { kind: "json", first: "" }],
	])("has for %o what it takes", (property, expected) => {
		expect(field(property)).toMatchObject({ name: "x", required: false, ...expected });
	});

	it.each([[{}], [{ type: "object" }], [{ properties: [] }], [{ properties: {}, required: "x" }]])("of %o is empty", (schema) => {
		expect(schemaFields(schema)).toEqual([]);
	});

	it.each<[object, string, unknown]>([
		[{ type: "string" }, "3", "3"],
		[{ type: "integer" }, "3", 3],
		[{ type: "number" }, "-1.5e3", -1500],
		[{ type: "boolean" }, "1", false],
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

const parameter = (members: object): TemplateParameter => reader("TemplateParameter")({ name: "x", default: null, ...members }, "");
const now = new Date(2026, 10, 22, 12).getTime();

describe("the form of a template", () => {
	it.each<[object, string]>([
		[{}, ""],
		[{ default: "Daily" }, "Daily"],
		[{ choices: ["a", "b"] }, "0"],
		[{ choices: ["a", "b"], default: "b" }, "1"],
		[{ type: "number", default: 7 }, "7"],
		[{ type: "boolean", default: true }, "true"],
		[{ type: "boolean" }, "false"],
		[{ type: "list", default: ["a", 3, "b"] }, "a\nb"],
		[{ type: "list" }, ""],
		[{ type: "date", default: "today" }, "2026-11-22"],
		[{ type: "date", default: "tomorrow" }, "2026-11-23"],
		[{ type: "date", default: "2024-02-29" }, "2024-02-29"],
		[{ type: "date" }, ""],
	])("begins with what %o says", (members, first) => {
		expect(templateFields([parameter(members)], now)[0]?.first).toBe(first);
	});

	it.each<[object, string, unknown]>([
		[{}, "a b", "a b"],
		[{ type: "number" }, " 2.5 ", 2.5],
		[{ type: "boolean" }, "false", false],
		[{ choices: ["a", "b"] }, "1", "b"],
		[{ type: "list" }, "a\n\n b ", ["a", "b"]],
		[{ type: "list", default: ["a"] }, "", []],
		[{ type: "date" }, "2026-11-22", "2026-11-22"],
		[{ optional: true }, "", undefined],
		[{ type: "number", default: 3 }, "", undefined],
		[{ default: "Daily" }, "", ""],
	])("of %o that says %j means %j", (members, said, value) => {
		const { values, faults } = formValues(templateFields([parameter(members)], now), new Map([["x", said]]));
		expect([...faults]).toEqual([]);
		expect(values["x"]).toEqual(value);
	});

	it.each<[object, string, string]>([
		[{}, " ", "This is needed."],
		[{ type: "date" }, "", "This is needed."],
		[{ type: "number" }, "seven", "This must be a number."],
	])("of %o that says %j is sent back", (members, said, fault) => {
		const { faults } = formValues(templateFields([parameter(members)], now), new Map([["x", said]]));
		expect(faults.get("x")).toBe(fault);
	});
});
