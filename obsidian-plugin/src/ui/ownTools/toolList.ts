/** The user's own tools, each with how it stands and what can be done with it. Drawn in a window or on a page. */

import { Setting, type App } from "obsidian";
import { environmentWords, metadataLine } from "../../core/ownTools";
import { METHOD_NOT_FOUND, RpcError } from "../../core/rpc/messages";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { CustomToolInfo, CustomToolList } from "../../core/wire/contract";
import { readCustomToolList } from "../../core/wire/readers";
import type { MethodName, MethodParams, Request } from "../../core/wire/request";
import { differenceOf } from "../../core/wire/servers";
import { addButton } from "../addButton";
import { badge } from "../badges";
import { confirm } from "../confirmModal";
import { drawLines } from "../settings/serverFacts";
import { showText } from "../text";
import { EditorModal } from "./editorModal";
import { TestModal } from "./testModal";
import { tellFailure } from "../notice";

const OLD = "The bridge of this vault is of an older version, which has no tools of your own. Update it.";
const FORBIDDEN = "Agents cannot call them yet, and none can be tested: “Allow custom tools” is off, or was not switched on on this computer.";
const RISK = "Code of tools then runs on this computer when you say yes to a call. You are asked about each call, and see the code when it is new or has changed. You can turn this off again at any time, under Network.";
const TONES: Readonly<Record<string, string>> = { node: "is-purple", browser: "is-low", python: "is-medium" };

export class ToolList {
	private readonly unfollow: () => void;
	private drawing = 0;

	/** @param onChange - Calls back whenever a tool or a setting was changed. Returns the function that ends it. */
	constructor(
		private readonly app: App,
		private readonly el: HTMLElement,
		private readonly request: Request,
		onChange: (listener: () => void) => () => void,
	) {
		this.unfollow = onChange(() => {
			if (el.isConnected) void this.draw();
			else this.end();
		});
		void this.draw();
	}

	end(): void {
		this.unfollow();
	}

	private async draw(): Promise<void> {
		const turn = ++this.drawing;
		let listed: CustomToolList | null = null;
		let trouble = "";
		try {
			listed = readCustomToolList(await this.request("custom.list"), "custom.list");
		} catch (error) {
			trouble = error instanceof RpcError && error.code === METHOD_NOT_FOUND ? OLD : messageOf(error);
		}
		if (turn !== this.drawing) return;
		// What had the focus has it again, as far as it is still there.
		const focused = this.el.doc.activeElement?.getAttribute("aria-label");
		const inside = this.el.contains(this.el.doc.activeElement);
		this.el.empty();
		if (listed === null) showText(this.el.createDiv({ cls: "vault-bridge-empty" }), trouble);
		else this.drawAll(listed);
		if (!inside) return;
		const controls = this.el.findAll("button, input");
		(controls.find((one) => one.getAttr("aria-label") === focused) ?? controls[0])?.focus();
	}

	private drawAll(listed: CustomToolList): void {
		const { tools, file, fault, allowed } = listed;
		if (!allowed) {
			const note = this.el.createDiv({ cls: "vault-bridge-note is-warning", text: FORBIDDEN });
			addButton(note.createDiv({ cls: "vault-bridge-notice-bar" }), "Allow…", () => void this.allow()).setAttr("aria-label", "Allow custom tools");
		}
		if (fault !== null) showText(this.el.createDiv({ cls: "vault-bridge-note is-warning" }), `${fault}. Until that is corrected, none of the tools can be used: ${file}`);
		new Setting(this.el)
			.setName("Add a tool")
			.setDesc("Code of yours that agents can call, in all your vaults. You are asked about every call.")
			.addButton((button) => {
				button.buttonEl.setAttr("aria-label", "Add a tool");
				button.setButtonText("Add").setCta().onClick(() => { new EditorModal(this.app, this.request, listed, null).open(); });
			});
		if (tools.length === 0 && fault === null) this.el.createDiv({ cls: "vault-bridge-empty", text: "There is no tool of your own yet." });
		for (const tool of tools) this.drawTool(tool, listed);
	}

	private drawTool(tool: CustomToolInfo, listed: CustomToolList): void {
		const { name, description, environment, enabled, change } = tool;
		const box = this.el.createDiv({ cls: "vault-bridge-program vault-bridge-own-tool" });
		const setting = new Setting(box).setHeading();
		showText(setting.nameEl.createEl("code"), name);
		badge(setting.nameEl, TONES[environment] ?? "is-none", sanitizePlain(environmentWords(environment).name));
		badge(setting.nameEl, enabled ? "is-safe" : "is-none", enabled ? "Enabled" : "Disabled");
		showText(setting.descEl, description);
		showText(setting.descEl.createDiv({ cls: "vault-bridge-faint" }), metadataLine(tool));
		setting.addToggle((toggle) => {
			for (const input of toggle.toggleEl.findAll("input")) input.setAttr("aria-label", `${name} is enabled`);
			toggle.setValue(enabled).onChange((wanted) => { void this.act("custom.update", { name, enabled: wanted }); });
		});
		const button = (text: string, action: () => void): void => {
			setting.addButton((one) => {
				one.buttonEl.setAttr("aria-label", `${text.replace("…", "")} ${name}`);
				one.setButtonText(text).onClick(action);
			});
		};
		button("Test…", () => { new TestModal(this.app, this.request, tool, { name }).open(); });
		button("Edit…", () => { new EditorModal(this.app, this.request, listed, tool).open(); });
		button("Remove…", () => void this.remove(name));
		setting.controlEl.lastElementChild?.addClass("mod-warning");
		const place = listed.environments.find((one) => one.environment === environment);
		if (place?.available === false) showText(box.createDiv({ cls: "vault-bridge-problem is-warning" }), `It cannot run here now. ${place.sentence}`);
		const difference = differenceOf(change);
		if (difference === null) return;
		box.createDiv({ cls: "vault-bridge-faint", text: "It is not what you allowed last. The question about its next call shows the difference:" });
		drawLines(box, difference, "What is different");
	}

	private async allow(): Promise<void> {
		const sure = await confirm(this.app, { title: "Allow custom tools?", text: RISK, action: "Turn on" });
		if (sure) await this.act("settings.update", { patch: { allowCustomTools: true } });
	}

	private async remove(name: string): Promise<void> {
		const text = "Its code is gone, with what it has stored and what you allowed of it. It cannot be brought back.";
		if (await confirm(this.app, { title: `Remove ${sanitizePlain(name)}?`, text, action: "Remove" })) await this.act("custom.remove", { name });
	}

	private async act<M extends MethodName>(method: M, params: MethodParams<M>): Promise<void> {
		try {
			await this.request(method, params);
		} catch (error) {
			tellFailure(error);
		}
		await this.draw();
	}
}
