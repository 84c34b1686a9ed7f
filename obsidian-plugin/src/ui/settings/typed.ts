import type { TextComponent } from "obsidian";

/** Show what the bridge made of what was typed, unless somebody has typed on since: their words stay. */
export function replaceTyped(input: TextComponent, typed: string, value: string): void {
	if (input.getValue() === typed) input.setValue(value);
}
