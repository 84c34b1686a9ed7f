import { describe, expect, it } from "vitest";
import { choiceOf, choicesOf, choosing, grouped } from "../../../src/core/settings/tools";
import type { ToolSetting } from "../../../src/core/wire/contract";

const tool = (name: string, facts: Partial<ToolSetting> = {}): ToolSetting => ({
	name,
	title: name,
	description: "",
	risk: "low",
	consentClass: "always",
	group: "Search and read",
	enabled: true,
	mode: "session_allow",
	modes: ["never_allow", "session_allow", "always_allow"],
	rate: 60,
	defaultRate: 60,
	...facts,
});
const edit = tool("edit", { consentClass: "never", group: "Create and change", mode: "always_ask", modes: ["never_allow", "always_ask"] });

describe("one choice for each tool", () => {
	it("is off, or one of the modes that the bridge names", () => {
		expect(choicesOf(edit)).toEqual(["off", "never_allow", "always_ask"]);
	});

	it.each([
		[[], {}, "off"],
		[["grep"], {}, "session_allow"],
		[["*"], { grep: "always_allow" }, "always_allow"],
		[["grep"], { grep: "always_ask" }, "session_allow"],
		[["grep"], { grep: "never_allow" }, "never_allow"],
	])("with %o enabled and the modes %o is %s", (enabled, modes, choice) => {
		expect(choiceOf(tool("grep"), enabled, modes)).toBe(choice);
	});

	it("shows a mode that the tool's class does not honour as what it comes to", () => {
		expect(choiceOf(edit, ["edit"], { edit: "always_allow" })).toBe("always_ask");
	});

	it.each([
		["off", ["find", "grep"], { enabledTools: ["find"] }],
		["off", ["*"], { enabledTools: ["find", "read"] }],
		["always_allow", ["grep"], { consentMode: { grep: "always_allow" } }],
		["never_allow", ["find"], { enabledTools: ["find", "grep"], consentMode: { grep: "never_allow" } }],
		["session_allow", ["*"], { consentMode: { grep: "session_allow" } }],
	] as const)("%s with %o enabled is set by %o", (choice, enabled, patch) => {
		expect(choosing(choice, "grep", enabled, ["find", "grep", "read"])).toEqual(patch);
	});

	it("stands in groups, in the bridge's order", () => {
		expect(grouped([tool("a"), edit, tool("b")]).map(([group, tools]) => [group, tools.map((one) => one.name)])).toEqual([
			["Search and read", ["a", "b"]],
			["Create and change", ["edit"]],
		]);
	});
});
