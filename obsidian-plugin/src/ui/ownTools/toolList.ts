/** The user's own tools, each with how it stands and what can be done with it. Drawn in a window or on a page. */

import { Setting } from "obsidian";
import { environmentWords, metadataLine } from "../../core/ownTools";
import { sanitizePlain } from "../../core/text";
import type { CustomToolInfo, CustomToolList } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { differenceOf } from "../../core/wire/servers";
import { addAction, addSwitch } from "../controls";
import { addButton, addEmpty, addLines, addWarning, badge, showText } from "../elements";
import { LiveList } from "../liveList";
import { confirm } from "../window";
import { editTool } from "./editorWindow";
import { tryTool } from "./testWindow";

const FORBIDDEN = "Agents cannot call them yet, and none can be tested: “Allow custom tools” is off, or was not switched on on this computer.";
const RISK = "Code of tools then runs on this computer when you say yes to a call. You are asked about each call, and see the code when it is new or has changed. You can turn this off again at any time, under Network.";
const TONES: Readonly<Record<string, string>> = { node: "is-purple", browser: "is-low", python: "is-medium" };

export class ToolList extends LiveList<CustomToolList> {
	protected override readonly old = "has no tools of your own";
	protected override readonly kinds = ["custom", "settings"];

	protected override async load(): Promise<CustomToolList> {
		return ask(this.context.request, "custom.list");
	}

	protected override drawAll(listed: CustomToolList): void {
		const { tools, file, fault, allowed } = listed;
		if (!allowed) {
			const note = this.el.createDiv({ cls: "vault-bridge-note is-warning", text: FORBIDDEN });
			addButton(note.createDiv({ cls: "vault-bridge-notice-bar" }), "Allow…", () => void this.allow()).setAttr("aria-label", "Allow custom tools");
		}
		if (fault !== null) addWarning(this.el, `${fault}. Until that is corrected, none of the tools can be used: ${file}`);
		const { app, request } = this.context;
		const add = new Setting(this.el).setName("Add a tool").setDesc("Code of yours that agents can call, in all your vaults. You are asked about every call.");
		addAction(add, "Add", () => { editTool(app, request, listed, null); }, "mod-cta", "Add a tool");
		if (tools.length === 0 && fault === null) addEmpty(this.el, "There is no tool of your own yet.");
		for (const tool of tools) this.drawTool(tool, listed);
	}

	private drawTool(tool: CustomToolInfo, listed: CustomToolList): void {
		const { name, description, environment, enabled, change } = tool;
		const { app, request } = this.context;
		const box = this.el.createDiv({ cls: "vault-bridge-program vault-bridge-own-tool" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl.createEl("code"), name);
		badge(setting.nameEl, TONES[environment] ?? "is-none", sanitizePlain(environmentWords(environment).name));
		badge(setting.nameEl, enabled ? "is-safe" : "is-none", enabled ? "Enabled" : "Disabled");
		showText(setting.descEl, description);
		showText(setting.descEl.createDiv({ cls: "vault-bridge-faint" }), metadataLine(tool));
		addSwitch(setting, `${name} is enabled`, enabled, (wanted) => { void this.act("custom.update", { name, enabled: wanted }); });
		addAction(setting, "Test…", () => { tryTool(app, request, tool, { name }); }, "", `Test ${name}`);
		addAction(setting, "Edit…", () => { editTool(app, request, listed, tool); }, "", `Edit ${name}`);
		addAction(setting, "Remove…", async () => this.remove(name), "mod-warning", `Remove ${name}`);
		const place = listed.environments.find((one) => one.environment === environment);
		if (place?.available === false) showText(box.createDiv({ cls: "vault-bridge-problem is-warning" }), `It cannot run here now. ${place.sentence}`);
		const difference = differenceOf(change);
		if (difference === null) return;
		box.createDiv({ cls: "vault-bridge-faint", text: "It is not what you allowed last. The question about its next call shows the difference:" });
		addLines(box, difference, "What is different");
	}

	private async allow(): Promise<void> {
		const sure = await confirm(this.context.app, { title: "Allow custom tools?", text: RISK, action: "Turn on" });
		if (sure) await this.act("settings.update", { patch: { allowCustomTools: true } });
	}

	private async remove(name: string): Promise<void> {
		const text = "Its code is gone, with what it has stored and what you allowed of it. It cannot be brought back.";
		if (await confirm(this.context.app, { title: `Remove ${sanitizePlain(name)}?`, text, action: "Remove" })) await this.act("custom.remove", { name });
	}
}
