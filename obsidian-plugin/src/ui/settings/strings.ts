/** A list of strings: each with a button that removes it, and a field to add one. */

import { ExtraButtonComponent, TextComponent, type Setting } from "obsidian";
import { showText } from "../text";
import { addButton } from "../addButton";
import { replaceTyped } from "./typed";

export interface StringList {
	values: () => string[];
	/** True when the bridge took it. */
	save: (values: string[]) => Promise<boolean>;
}

export function drawStrings(setting: Setting, list: StringList): void {
	setting.settingEl.addClass("vault-bridge-strings");
	const items = setting.controlEl.createDiv({ cls: "vault-bridge-strings-list" });
	const redraw = (): void => {
		items.empty();
		for (const value of list.values()) drawItem(items, value, () => void change(list.values().filter((one) => one !== value)));
	};
	const change = async (values: string[]): Promise<boolean> => {
		const saved = await list.save(values);
		if (saved) redraw();
		return saved;
	};
	const row = setting.controlEl.createDiv({ cls: "vault-bridge-strings-add" });
	const text = new TextComponent(row).setPlaceholder("Add one");
	text.inputEl.setAttr("aria-label", "Value to add");
	const add = async (): Promise<void> => {
		const typed = text.getValue();
		const value = typed.trim();
		if (value === "" || list.values().includes(value)) return;
		if (await change([...list.values(), value])) replaceTyped(text, typed, "");
	};
	addButton(row, "Add", () => void add());
	text.inputEl.addEventListener("keydown", (event) => {
		if (event.key === "Enter") void add();
	});
	redraw();
}

function drawItem(items: HTMLElement, value: string, remove: () => void): void {
	const item = items.createDiv({ cls: "vault-bridge-strings-item" });
	showText(item.createSpan(), value);
	new ExtraButtonComponent(item).setIcon("x").setTooltip("Remove").onClick(remove);
}
