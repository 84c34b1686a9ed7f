/** Tools of the user's own, as the bridge lists them. */

const tool = { returns: null, timeout: 30_000, enabled: true, createdAt: "2026-11-20T10:00:00.000Z", updatedAt: "2026-11-21T10:00:00.000Z", change: null };

export const words = {
	...tool,
	name: "count_words",
	description: "Counts the words of a note.",
	environment: "node",
	code: "const { text } = await bridge.call('read', { path: parameters.path });\nreturn text.split(/\\s+/).length;",
	parameters: { type: "object", properties: { path: { type: "string", description: "Path of the note" } }, required: ["path"] },
	returns: "How many words",
	change: "@@ -1,2 +1,2 @@\n name: count_words\n-return 1;\n+return text.split(/\\s+/).length;\n",
};
export const weather = {
	...tool,
	name: "weather",
	description: "Tomorrow's weather.",
	environment: "browser",
	code: "return (await fetch(`https://weather.example/${parameters.city}`)).json();",
	parameters: {
		type: "object",
		properties: {
			city: { type: "string", description: "Which city", default: "Graz" },
			days: { type: "integer" },
			unit: { enum: ["celsius", "fahrenheit", 3], default: "celsius" },
			detailed: { type: "boolean" },
			hours: { type: "array", items: { type: "integer" } },
		},
		required: ["city", "days"],
	},
	timeout: 5000,
};
export const chart = { ...tool, name: "chart", description: "Draws a chart.", environment: "python", code: "return 1", parameters: { type: "object" }, enabled: false };

const HELD = "Programs run in a sandbox (bubblewrap)";

export const listed = (tools: readonly object[], changes: object = {}): object => ({
	tools,
	environments: [
		{ environment: "node", available: true, sentence: HELD },
		{ environment: "browser", available: true, sentence: "Runs in Obsidian, in a Worker that reaches no notes, files or pages but through the bridge" },
		{ environment: "python", available: false, sentence: "No Python was found. Install Python 3.9 or newer" },
	],
	allowed: true,
	file: "/home/ada/.config/vault-bridge/tools.json",
	fault: null,
	...changes,
});
export const saved = (one: object, unchecked: string | null = null): object => ({ tool: one, unchecked });
