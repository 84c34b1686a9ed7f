/** Whether the system says that a question waits. Kept for this machine. */

import type { SettingDefinition } from "obsidian";

export function notifyRow(device: { readonly settings: { notify: boolean }; change: (part: { notify: boolean }) => void }): SettingDefinition {
	return {
		name: "Notify when Obsidian is not in front",
		desc: "The system shows that a question waits, with the tool and the names of the files. It makes no sound.",
		aliases: ["notification"],
		render: (setting) => {
			setting.addToggle((toggle) => toggle.setValue(device.settings.notify).onChange((notify) => { device.change({ notify }); }));
		},
	};
}
