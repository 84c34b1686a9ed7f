/** What is kept on this device alone: which program the bridge is, whether it starts with Obsidian, and whether it runs now. */

import type { Setting, SettingDefinition, SettingDefinitionItem } from "obsidian";
import type { Test } from "../core/program/trouble";
import { chooseFile } from "../platform/chosenFile";
import type { Context } from "../ui/context";
import { addAction, busy, replaceTyped, showGood, showOutcome } from "../ui/controls";
import { showText } from "../ui/elements";
import { confirm } from "../ui/window";
import type { SidecarProcess } from "./sidecarProcess";

export function deviceGroup(context: Context, program: SidecarProcess): SettingDefinitionItem {
	const { device } = context;
	const asking = (key: "notify" | "inNote", name: string, desc: string, aliases: string[]): SettingDefinition => ({
		name,
		desc,
		aliases,
		render: (setting) => {
			setting.addToggle((toggle) => toggle.setValue(device.settings[key]).onChange((wanted) => { device.change({ [key]: wanted }); }));
		},
	});
	return {
		type: "group",
		heading: "This device",
		items: [
			asking("notify", "Notify when Obsidian is not in front", "The system shows that a question waits, with the tool and the names of the files. It makes no sound.", ["notification"]),
			asking("inNote", "Show questions in open notes", "What would go and come is shown at its place, with the answers above the note.", ["diff", "inline", "editor"]),
			{ name: "Start and stop", desc: "The bridge of this vault. One that was started in a terminal is stopped there.", aliases: ["start", "stop", "restart"], render: (setting) => { drawProcess(setting, program); } },
			{
				name: "Start the bridge with Obsidian",
				desc: "Starts the program below when this vault opens and stops it when it closes. Nothing is installed or updated.",
				render: (setting) => { drawToggle(setting, context, program); },
			},
			{ name: "Program", desc: "", aliases: ["command", "path"], render: (setting) => { drawProgram(setting, program, () => device.settings.program); } },
		],
	};
}

function drawProcess(setting: Setting, program: SidecarProcess): void {
	if (program.canStop) {
		addAction(setting, "Restart", () => { program.restart(); });
		addAction(setting, "Stop", () => { program.stop(); });
	} else if (program.canStart) addAction(setting, "Start", async () => program.start(), "mod-cta");
}

function drawToggle(setting: Setting, { app, device }: Context, program: SidecarProcess): void {
	const isOn = (): boolean => device.settings.startBridge && device.settings.confirmed;
	setting.addToggle((toggle) =>
		toggle.setValue(isOn()).onChange((wanted) => {
			if (wanted === isOn()) return;
			void (async () => {
				if (wanted && program.found === undefined) await program.look();
				const { found } = program;
				if (wanted && typeof found !== "string") {
					toggle.setValue(false);
					showOutcome(setting, { ok: false, message: "First choose the program, below." });
					return;
				}
				const text = `From now on Obsidian starts ${found ?? ""} on this device whenever this vault opens.`;
				if (wanted && !(await confirm(app, { title: "Start a program with Obsidian?", text, action: "Start with Obsidian" }))) {
					toggle.setValue(false);
					return;
				}
				program.startWithObsidian(wanted);
			})();
		}),
	);
}

function drawProgram(setting: Setting, program: SidecarProcess, chosenNow: () => string | null): void {
	const describe = (): void => {
		setting.descEl.empty();
		const [chosen, found] = [chosenNow(), program.found];
		const place = found === undefined ? "" : found === null ? " None was found." : ` Found: ${found}`;
		showText(setting.descEl, chosen === null ? `Searched where installers put it.${place}` : "Chosen by you. Empty the field to search the usual places again.");
		setting.descEl.createDiv({ text: "The whole path of the program, or of a folder that holds it, such as a checkout. It is started without a shell." });
	};
	describe();
	setting.addText((text) => {
		text.setPlaceholder("Search the usual places").setValue(chosenNow() ?? "");
		text.inputEl.setAttr("aria-label", "Path of the program");
		const take = async (choice: Promise<string | null>): Promise<void> => {
			const typed = text.getValue();
			const refusal = await choice;
			showOutcome(setting, refusal === null ? { ok: true, warnings: [] } : { ok: false, message: refusal });
			if (refusal === null) replaceTyped(text, typed, chosenNow() ?? "");
			describe();
		};
		text.inputEl.addEventListener("change", () => void take(program.choose(text.getValue())));
		setting.addButton((button) => button.setButtonText("Choose…").onClick(() => { chooseFile((path) => void take(program.choose(path))); }));
	});
	addAction(setting, "Test", busy(async () => {
		showTest(setting, await program.test());
		describe();
	}));
}

/** What the program said of itself, beside it. */
function showTest(setting: Setting, test: Test): void {
	showOutcome(setting, test.ok ? { ok: true, warnings: [] } : { ok: false, message: test.trouble.text });
	if (test.ok) showGood(setting, `This is Vault Bridge ${test.version}.`);
	else if (test.trouble.said !== "") showText(setting.infoEl.createEl("pre", { cls: "vault-bridge-problem vault-bridge-said" }), test.trouble.said);
}
