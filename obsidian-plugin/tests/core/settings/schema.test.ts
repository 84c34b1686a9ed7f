import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { labelOf, nullLabel, choiceLabel, descriptionOf, sizeText, unitOf } from "../../../src/core/settings/labels";
import { readSettingsSchema, SECTIONS, type Field } from "../../../src/core/settings/schema";

/** What `settings.schema` answers, recorded from the bridge, with also those settings that have no effect yet. */
const recorded: unknown = JSON.parse(readFileSync(new URL("../../recorded/settings-schema.json", import.meta.url), "utf8"));
const schema = readSettingsSchema(recorded, "");
const field = (key: string): Field => {
	const found = schema.fields.find((one) => one.key === key);
	if (!found) throw new Error(`no field ${key}`);
	return found;
};

describe("the settings form", () => {
	it("has every setting of the bridge, in a section it knows", () => {
		const { properties } = recorded as { properties: Record<string, unknown> };
		expect(schema.fields.map((one) => one.key)).toEqual(Object.keys(properties));
		expect(schema.fields.filter((one) => !(SECTIONS as readonly string[]).includes(one.section))).toEqual([]);
	});

	it.each([
		["developerMode", { kind: "toggle", nullable: false }],
		["consentTimeout", { kind: "number", minimum: 1, maximum: 86_400 }],
		["auditLogRetentionDays", { kind: "choice", options: [7, 30, 90], nullable: true }],
		["backupRetentionDays", { kind: "number", minimum: 1, nullable: true }],
		["webSearchDefaultFreshness", { kind: "choice", options: ["day", "week", "month", "year"], nullable: true }],
		["allowedDomains", { kind: "strings" }],
		["consentMode", { kind: "table", options: ["always_ask", "session_allow", "always_allow", "never_allow"] }],
		["rateLimits", { kind: "table", options: [], minimum: 1, maximum: 1000 }],
		["ollamaWebSearchEndpoint", { kind: "text" }],
		["encryptedKeys", { kind: "opaque" }],
	])("draws %s as it is described", (key, expected) => {
		expect(field(key)).toMatchObject(expected);
	});

	it("has the presets", () => {
		expect(schema.presets["minimal"]).toEqual(["find", "grep", "read"]);
	});

	it("passes over a property that makes no sense", () => {
		expect(readSettingsSchema({ properties: { a: 3, b: { type: "boolean" } } }, "").fields.map((one) => one.key)).toEqual(["b"]);
	});
});

describe("the words of the form", () => {
	it.each([
		["maxResponseSize", "Max response size"],
		["httpsOnly", "HTTPS only"],
		["cacheTTL", "Cache TTL"],
		["apply_patch", "Apply patch"],
		["allowMcpServers", "Allow MCP servers"],
	])("call %s %s", (key, label) => {
		expect(labelOf(key)).toBe(label);
	});

	it.each([
		["maxResponseSize", { factor: 1_048_576, name: "MB" }],
		["webFetchMaxBytes", { factor: 1024, name: "kB" }],
		["consentTimeout", { factor: 1, name: "seconds" }],
		["grepMaxMatches", { factor: 1, name: "" }],
	])("measure %s in %o", (key, unit) => {
		expect(unitOf(field(key))).toEqual(unit);
	});

	it("are the bridge's titles, and made of the key where it has none", () => {
		expect(["maxResponseSize", "grepMaxMatches"].map((key) => field(key).title)).toEqual(["Largest response", "Grep: matches"]);
		expect(readSettingsSchema({ properties: { allowMcpServers: { type: "boolean" } } }, "").fields[0]).toMatchObject({ title: "Allow MCP servers", risk: null });
	});

	it("take the meaning of null from the bridge", () => {
		expect([nullLabel(field("auditLogRetentionDays")), nullLabel(field("webSearchDefaultFreshness"))]).toEqual(["Forever", "Any"]);
		expect(descriptionOf(field("auditLogRetentionDays"))).toBe("Days the log is kept.");
		expect([descriptionOf(field("findMaxResults")), descriptionOf(field("httpsOnly"))]).toEqual(["Most results that find returns.", "Http: addresses are upgraded to https:."]);
		expect(descriptionOf(field("readMaxBytes"))).toBe("Largest part of a file that read returns.");
		expect(choiceLabel(field("auditLogRetentionDays"), 30)).toBe("30 days");
	});

	it("know a risk by what the bridge says of it", () => {
		expect(["allowTerminal", "allowAllDomains", "httpsOnly"].map((key) => field(key).risk !== null)).toEqual([true, true, false]);
	});

	it("say sizes", () => {
		expect([sizeText(12), sizeText(2_411_725), sizeText(99_000)]).toEqual(["12 bytes", "2.3 MB", "97 kB"]);
	});
});
