/** How a person hears of questions. Kept for this machine. */

import type { SettingDefinition } from "obsidian";

interface Asking {
	notify: boolean;
	inNote: boolean;
}

export interface AskingDevice {
	readonly settings: Asking;
	change: (part: Partial<Asking>) => void;
}

export function askingRows(device: AskingDevice): SettingDefinition[] {
	const row = (key: keyof Asking, name: string, desc: string, aliases: string[]): SettingDefinition => ({
		name,
		desc,
		aliases,
		render: (setting) => {
			setting.addToggle((toggle) => toggle.setValue(device.settings[key]).onChange((wanted) => { device.change({ [key]: wanted }); }));
		},
	});
	return [
		row("notify", "Notify when Obsidian is not in front", "The system shows that a question waits, with the tool and the names of the files. It makes no sound.", ["notification"]),
		row("inNote", "Show questions in open notes", "What would go and come is shown at its place, with the answers above the note.", ["diff", "inline", "editor"]),
	];
}
