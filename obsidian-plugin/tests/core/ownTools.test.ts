/** What is written as JSON, and which field a refusal is about. */

import { describe, expect, it } from "vitest";
import { environmentWords, fieldOf, parseObject } from "../../src/core/ownTools";

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
