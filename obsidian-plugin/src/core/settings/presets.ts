/** What the bridge's named sets of tools let a program do, for people. */

const TEXTS: Readonly<Record<string, string>> = {
	minimal: "Finds and reads notes. Cannot change anything.",
	agent: "Few tools that read and change notes, made for AI models. You are shown every change first.",
	vault: "Every tool that reads or changes notes, one by one. You are shown every change first.",
	everything: "Every tool, also those of other servers and your own. Web and terminal stay off until you turn them on.",
};

/** The sentence of a set; where a later bridge has another one, how many tools it has. */
export function presetText(name: string, tools: readonly string[]): string {
	return TEXTS[name] ?? `${tools.length} tools.`;
}
