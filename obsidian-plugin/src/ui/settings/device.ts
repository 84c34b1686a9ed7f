/** What is kept on this device alone: which program the bridge is, whether it starts with Obsidian, and whether it runs now. */

import { Setting, type App, type SettingDefinitionItem } from "obsidian";
import type { Test } from "../../core/program/trouble";
import { chooseFile } from "../chooseFile";
import { confirm } from "../confirmModal";
import { showText } from "../text";
import { askingRows, type AskingDevice } from "./askingRows";
import { showGood, showOutcome } from "./problem";
import { replaceTyped } from "./typed";

export interface DeviceActions {
	canStart: () => boolean;
	canStop: () => boolean;
	start: () => void;
	stop: () => void;
	restart: () => void;
	/** The program that was found; null when none was, undefined while nobody has looked. */
	found: () => string | null | undefined;
	/** The program that the person has chosen; null when the usual places are searched. */
	chosen: () => string | null;
	/** Take another program. Null, or why not. */
	choose: (typed: string) => Promise<string | null>;
	chooseFile: (file: File) => Promise<string | null>;
	test: () => Promise<Test>;
	startsWithObsidian: () => boolean;
	setStartsWithObsidian: (wanted: boolean) => void;
}

/** Kept on this device: a synced vault must not be able to say what is started here. */
export function deviceGroup(app: App, device: AskingDevice, actions: DeviceActions): SettingDefinitionItem {
	return {
		type: "group",
		heading: "This device",
		items: [
			...askingRows(device),
			{ name: "Start and stop", desc: "The bridge of this vault. One that was started in a terminal is stopped there.", aliases: ["start", "stop", "restart"], render: (setting) => { drawProcess(setting, actions); } },
			{
				name: "Start the bridge with Obsidian",
				desc: "Starts the program below when this vault opens and stops it when it closes. Nothing is installed or updated.",
				render: (setting) => { drawToggle(setting, app, actions); },
			},
			{ name: "Program", desc: "", aliases: ["command", "path"], render: (setting) => { drawProgram(setting, actions); } },
		],
	};
}

function drawProcess(setting: Setting, actions: DeviceActions): void {
	if (actions.canStop()) {
		setting.addButton((button) => button.setButtonText("Restart").onClick(actions.restart));
		setting.addButton((button) => button.setButtonText("Stop").onClick(actions.stop));
	} else if (actions.canStart()) setting.addButton((button) => button.setButtonText("Start").setCta().onClick(actions.start));
}

function drawToggle(setting: Setting, app: App, actions: DeviceActions): void {
	setting.addToggle((toggle) =>
		toggle.setValue(actions.startsWithObsidian()).onChange((wanted) => {
			if (wanted === actions.startsWithObsidian()) return;
			void (async () => {
				const program = actions.found();
				if (wanted && typeof program !== "string") {
					toggle.setValue(false);
					showOutcome(setting, { ok: false, message: "First choose the program, below." });
					return;
				}
				const text = `From now on Obsidian starts ${program ?? ""} on this device whenever this vault opens.`;
				if (wanted && !(await confirm(app, { title: "Start a program with Obsidian?", text, action: "Start with Obsidian" }))) {
					toggle.setValue(false);
					return;
				}
				actions.setStartsWithObsidian(wanted);
			})();
		}),
	);
}

function drawProgram(setting: Setting, actions: DeviceActions): void {
	const describe = (): void => {
		setting.descEl.empty();
		const [chosen, found] = [actions.chosen(), actions.found()];
		const place = found === undefined ? "" : found === null ? " None was found." : ` Found: ${found}`;
		showText(setting.descEl, chosen === null ? `Searched where installers put it.${place}` : "Chosen by you. Empty the field to search the usual places again.");
		setting.descEl.createDiv({ text: "The whole path of the program, or of a folder that holds it, such as a checkout. It is started without a shell." });
	};
	describe();
	setting.addText((text) => {
		text.setPlaceholder("Search the usual places").setValue(actions.chosen() ?? "");
		text.inputEl.setAttr("aria-label", "Path of the program");
		const take = async (choice: Promise<string | null>): Promise<void> => {
			const typed = text.getValue();
			const refusal = await choice;
			showOutcome(setting, refusal === null ? { ok: true, warnings: [] } : { ok: false, message: refusal });
			if (refusal === null) replaceTyped(text, typed, actions.chosen() ?? "");
			describe();
		};
		text.inputEl.addEventListener("change", () => void take(actions.choose(text.getValue())));
		setting.addButton((button) => button.setButtonText("Choose…").onClick(() => { chooseFile((file) => void take(actions.chooseFile(file))); }));
	});
	setting.addButton((button) =>
		button.setButtonText("Test").onClick(async () => {
			button.setDisabled(true);
			showTest(setting, await actions.test());
			button.setDisabled(false);
			describe();
		}),
	);
}

/** What the program said of itself, beside it. */
function showTest(setting: Setting, test: Test): void {
	showOutcome(setting, test.ok ? { ok: true, warnings: [] } : { ok: false, message: test.trouble.text });
	if (test.ok) showGood(setting, `This is Vault Bridge ${test.version}.`);
	else if (test.trouble.said !== "") showText(setting.infoEl.createEl("pre", { cls: "vault-bridge-problem vault-bridge-said" }), test.trouble.said);
}
