import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { presetText } from "../../../src/core/settings/tools";

const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../recorded/${name}.json`, import.meta.url), "utf8"));
const { presets, tools } = recorded("settings-schema") as { presets: Record<string, string[]>; tools: { name: string; modes: string[] }[] };
const listed = recorded("tools") as { name: string; operation: string }[];
const operations = (name: string): (string | undefined)[] => (presets[name] ?? []).map((tool) => listed.find((one) => one.name === tool)?.operation);

it("has a sentence for every set of the bridge, and counts the tools of a later one", () => {
	for (const [name, tools] of Object.entries(presets)) expect(presetText(name, tools), name).not.toMatch(/^\d/);
	expect(presetText("of a later bridge", ["a", "b"])).toBe("2 tools.");
});

it("says what is so: the smallest set reads, and of the others nothing that writes runs unless it was asked for", () => {
	expect(new Set(operations("minimal"))).toEqual(new Set(["read"]));
	for (const name of ["agent", "vault"]) {
		expect(operations(name).some((operation) => operation !== "read"), name).toBe(true);
		const names = presets[name] ?? [];
		const writing = names.filter((tool) => listed.find((one) => one.name === tool && one.operation !== "read"));
		expect(writing.filter((tool) => tools.find((one) => one.name === tool)?.modes.includes("always_allow")), name).toEqual([]);
	}
	expect(presets["everything"]).toEqual(["*"]);
});
