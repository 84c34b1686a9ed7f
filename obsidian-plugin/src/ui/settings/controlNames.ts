/** A screen reader does not take the text beside a control for its name, so the control gets the name of its row. */

import type { Setting, SettingDefinitionItem } from "obsidian";

const CONTROLS = "input, select, textarea";

/** Name the controls of one row that have no name yet. */
export function nameControls({ nameEl, controlEl }: Setting): void {
	for (const control of controlEl.findAll(CONTROLS)) {
		if (control.getAttr("aria-label") === null) control.setAttr("aria-label", nameEl.getText());
	}
}

/** The same definitions, whose controls have names. */
export function withNamedControls<T extends SettingDefinitionItem>(definition: T): T {
	if ("items" in definition) {
		return { ...definition, items: definition.items.map((item) => withNamedControls(item)) };
	}
	if (!("render" in definition)) return definition;
	const { render } = definition;
	return {
		...definition,
		render: (...[setting, group]: Parameters<typeof render>) => {
			const end = render(setting, group);
			nameControls(setting);
			return end;
		},
	};
}
