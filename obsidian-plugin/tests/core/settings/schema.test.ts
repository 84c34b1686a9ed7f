import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { choiceLabel, labelOf, MODE_LABELS, plain, sizeText, unitOf } from "../../../src/core/settings/labels";
import { readSettingsSchema, type Field } from "../../../src/core/settings/schema";

/** What `settings.schema` answers, recorded from the bridge. */
const recorded: unknown = JSON.parse(readFileSync(new URL("../../recorded/settings-schema.json", import.meta.url), "utf8"));
const schema = readSettingsSchema(recorded, "");
const field = (key: string): Field => {
	const found = schema.fields.find((one) => one.key === key);
	if (!found) throw new Error(`no field ${key}`);
	return found;
};
const only = (property: object): Field | undefined => readSettingsSchema({ properties: { allowMcpServers: property } }, "").fields[0];

describe("the settings form", () => {
	it("has every setting of the bridge, in a section that the bridge names", () => {
		const { properties } = recorded as { properties: Record<string, unknown> };
		expect(schema.fields.map((one) => one.key)).toEqual(Object.keys(properties));
		const sections = schema.sections.map((one) => one.id);
		expect(schema.fields.filter((one) => !sections.includes(one.section))).toEqual([]);
		expect(schema.sections.every(({ title, description }) => title !== "" && description.endsWith("."))).toBe(true);
	});

	it("does not offer what has no effect", () => {
		expect(only({ type: "boolean", available: false })).toBeUndefined();
	});

	it.each([
		["developerMode", { kind: "toggle", nullable: false }],
		["consentTimeout", { kind: "number", unit: "seconds" }],
		["auditLogRetentionDays", { kind: "choice", options: [7, 30, 90], nullable: true, none: "Forever" }],
		["backupRetentionDays", { kind: "number", nullable: true, unit: "days" }],
		["allowedOrigins", { kind: "strings" }],
		["consentMode", { kind: "opaque", options: [] }],
		["rateLimits", { kind: "opaque", unit: "calls a minute" }],
	])("draws %s as it is described", (key, expected) => {
		expect(field(key)).toMatchObject(expected);
	});

	it.each([
		[{ type: "string" }, "text"],
		[{ anyOf: [{ enum: ["day", "week"], type: "string" }, { type: "null" }] }, "choice"],
		[{ type: "object", additionalProperties: { type: "string" } }, "opaque"],
	])("draws %o as %s", (property, kind) => {
		expect(only(property)).toMatchObject({ kind, title: "Allow MCP servers", risk: null });
	});

	it("has the presets, and every tool with its group and its modes", () => {
		expect(schema.presets["minimal"]).toEqual(["find", "grep", "read"]);
		expect(schema.tools).toHaveLength((recorded as { tools: unknown[] }).tools.length);
		expect(schema.tools.find((tool) => tool.name === "apply_patch")).toMatchObject({ title: "Apply patch", group: "Create and change", modes: ["never_allow", "always_ask"] });
	});

	it("passes over a property that makes no sense", () => {
		expect(readSettingsSchema({ properties: { a: 3, b: { type: "boolean" } } }, "").fields.map((one) => one.key)).toEqual(["b"]);
	});
});

describe("the words of the form", () => {
	it.each([
		["httpsOnly", "HTTPS only"],
		["apply_patch", "Apply patch"],
		["allowMcpServers", "Allow MCP servers"],
	])("call %s %s where the bridge has no title", (key, label) => {
		expect(labelOf(key)).toBe(label);
	});

	it.each([
		[{ unit: "bytes", default: 10_485_760 }, { factor: 1_048_576, name: "MB" }],
		[{ unit: "bytes", default: 65_536 }, { factor: 1024, name: "kB" }],
		[{ unit: "seconds", default: 300 }, { factor: 1, name: "seconds" }],
		[{ unit: "", default: 100 }, { factor: 1, name: "" }],
	])("measure %o in %o", (one, unit) => {
		expect(unitOf(one)).toEqual(unit);
	});

	it("are the bridge's own", () => {
		expect(field("findMaxResults")).toMatchObject({ title: "Results of find" });
		expect(plain(field("findMaxResults").description)).toBe("How many files find returns if the agent does not say.");
		expect([choiceLabel("days", 30), choiceLabel("", "week")]).toEqual(["30 days", "Week"]);
		expect(new Set(Object.values(MODE_LABELS)).size).toBe(4);
	});

	it("know a risk by what the bridge says of it", () => {
		expect(["developerMode", "anonymizeLog"].map((key) => field(key).risk !== null)).toEqual([true, false]);
	});

	it("say sizes", () => {
		expect([sizeText(12), sizeText(2_411_725), sizeText(99_000)]).toEqual(["12 bytes", "2.3 MB", "97 kB"]);
	});
});
