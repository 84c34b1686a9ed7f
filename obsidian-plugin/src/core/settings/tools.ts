/** What agents can do: a named set of tools, or one choice for each tool: off, or one of the modes that it can have. */

import type { JsonObject } from "../json";
import type { ConsentMode, ToolSetting } from "../wire/contract";

export const OFF = "off";
export type ToolChoice = typeof OFF | ConsentMode;

const ALL = "*";
const ASKING: readonly ConsentMode[] = ["always_ask", "session_allow"];

export function choicesOf({ modes }: ToolSetting): ToolChoice[] {
	return [OFF, ...modes];
}

/** What holds for a tool, by the settings as they are now. */
export function choiceOf(tool: ToolSetting, enabled: readonly string[], modes: JsonObject): ToolChoice {
	if (!isEnabled(tool.name, enabled)) return OFF;
	const mode = modes[tool.name] ?? tool.mode;
	const asking = tool.modes.find((one) => ASKING.includes(one)) ?? "always_ask";
	return tool.modes.find((one) => one === mode) ?? asking;
}

/** What makes a choice hold. Where every tool is enabled by `*`, the others are named to take one away. */
export function choosing(choice: ToolChoice, name: string, enabled: readonly string[], known: readonly string[]): JsonObject {
	if (choice === OFF) {
		const named = enabled.includes(ALL) ? known : enabled;
		return { enabledTools: named.filter((one) => one !== name) };
	}
	return { ...(!isEnabled(name, enabled) && { enabledTools: [...enabled, name] }), consentMode: { [name]: choice } };
}

function isEnabled(name: string, enabled: readonly string[]): boolean {
	return enabled.includes(name) || enabled.includes(ALL);
}

/** Tools in their groups, in the order in which the bridge names them. */
export function grouped(tools: readonly ToolSetting[]): [group: string, tools: ToolSetting[]][] {
	const groups = new Map<string, ToolSetting[]>();
	for (const tool of tools) groups.set(tool.group, [...(groups.get(tool.group) ?? []), tool]);
	return [...groups];
}

const TEXTS: Readonly<Record<string, string>> = {
	minimal: "Finds and reads notes. Cannot change anything.",
	agent: "Few tools that read and change notes, made for AI models. You are asked about what you have not allowed.",
	vault: "Every tool that reads or changes notes, one by one. You are asked about what you have not allowed.",
	everything: "Every tool, also those of the web. Commands, other servers and your own stay off until you turn them on.",
};

/** The sentence of a set; where a later bridge has another one, how many tools it has. */
export function presetText(name: string, tools: readonly string[]): string {
	return TEXTS[name] ?? `${tools.length} tools.`;
}

/** The set of which all and no other tools are enabled; null where there is none. */
export function presetOf(presets: Readonly<Record<string, readonly string[]>>, enabled: readonly string[]): string | null {
	return Object.keys(presets).find((name) => presets[name]?.length === enabled.length && presets[name].every((tool) => enabled.includes(tool))) ?? null;
}
