/** One choice for each tool: off, or one of the modes that it can have. */

import type { JsonObject } from "../json";
import type { ConsentMode, ToolSetting } from "../wire/contract";

export const OFF = "off";
export type ToolChoice = typeof OFF | ConsentMode;

const ALL = "*";
const ASKING: readonly ConsentMode[] = ["always_ask", "session_allow"];

/** What can be chosen for a tool. */
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
