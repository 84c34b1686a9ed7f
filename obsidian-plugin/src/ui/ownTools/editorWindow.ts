/** The window in which a tool is written. What it may be, the bridge says, beside what it is about. */

import { Setting, type App } from "obsidian";
import { ENVIRONMENTS, environmentWords, fieldOf, parseObject, type EditorField } from "../../core/ownTools";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import type { CustomAddParams, CustomToolInfo, CustomToolList } from "../../core/wire/contract";
import { ask, type Request } from "../../core/wire/reading";
import { showOutcome } from "../controls";
import { addButton } from "../elements";
import { tell } from "../notice";
import { confirm, focusAtOpening, openWindow, type PluginWindow } from "../window";
import { tryTool } from "./testWindow";

/**
 * A text area for code: Tab indents, as editors do, until Ctrl+M gives the key back to moving on. Shift+Tab always goes
 * back. What is told beside it says so.
 */
function codeArea(area: HTMLTextAreaElement): void {
	let indents = true;
	area.addClass("vault-bridge-code");
	area.setAttrs({ wrap: "off", autocapitalize: "off", autocomplete: "off" });
	area.addEventListener("keydown", (event) => {
		if (event.isComposing) return;
		if (event.ctrlKey && event.key.toLowerCase() === "m") indents = !indents;
		else if (event.key === "Tab" && indents && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) area.setRangeText("\t", area.selectionStart, area.selectionEnd, "end");
		else return;
		event.preventDefault();
	});
}

const NEW: Pick<CustomAddParams, "name" | "description" | "code" | "parameters"> & { environment: string; returns: string | null; timeout: number } = {
	name: "",
	description: "",
	environment: "node",
	code: "",
	parameters: { type: "object", properties: {} },
	returns: null,
	timeout: 30_000,
};

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** @param tool - The tool to change; null for a new one. */
export function editTool(app: App, request: Request, listed: CustomToolList, tool: CustomToolInfo | null): void {
	openWindow(app, tool ? `Edit ${tool.name}` : "Add a tool", "wide", (window) => { new Editor(app, window, request, listed, tool).draw(); });
}

class Editor {
	private readonly rows = new Map<EditorField, { setting: Setting; input: Input }>();
	private atFirst = "";
	private sure = false;

	constructor(
		private readonly app: App,
		private readonly window: PluginWindow,
		private readonly request: Request,
		private readonly listed: CustomToolList,
		private readonly tool: CustomToolInfo | null,
	) {}

	draw(): void {
		const { tool, window } = this;
		const from = tool ?? NEW;
		const name = this.add("name", "Name", "Letters, digits, - and _. Agents call it by this.", "input");
		name.value = from.name;
		name.disabled = tool !== null;
		this.add("description", "Description", "What it does and when it helps. Agents read it.", "textarea", 2).value = from.description;
		this.addEnvironment(from.environment);
		const code = this.add("code", "Code", "Tab indents here. Ctrl+M lets Tab move on to the next field, and back.", "textarea", 14);
		code.value = from.code;
		codeArea(code as HTMLTextAreaElement);
		const parameters = this.add("parameters", "Parameters", "A JSON Schema of what a call gives it.", "textarea", 7);
		parameters.value = JSON.stringify(from.parameters, null, 2);
		parameters.addClass("vault-bridge-code");
		this.add("returns", "Returns", "What it returns, in words. Can be left empty.", "input").value = from.returns ?? "";
		const timeout = this.add("timeout", "Timeout", "Milliseconds that a run may take, without those in which you are asked something.", "input");
		timeout.setAttr("inputmode", "numeric");
		timeout.value = String(from.timeout);
		const bar = window.addBar();
		addButton(bar, "Save", () => void this.save(), "mod-cta");
		addButton(bar, "Test…", () => {
			const draft = this.read();
			if (draft) tryTool(this.app, this.request, draft, { tool: draft });
		});
		window.addCloser(bar, "Cancel");
		window.onModEnter(() => void this.save());
		this.atFirst = this.state();
		window.mayClose = () => this.mayClose();
		focusAtOpening(tool ? code : name);
	}

	/** What was written is not lost by a key or a click beside the window. */
	private mayClose(): boolean {
		if (this.sure || this.state() === this.atFirst) return true;
		void confirm(this.app, { title: "Discard what you wrote?", text: "It is not saved.", action: "Discard" }).then((sure) => {
			if (sure) this.finish();
		});
		return false;
	}

	private finish(): void {
		this.sure = true;
		this.window.close();
	}

	private add(field: EditorField, label: string, description: string, tag: "input" | "textarea", rows = 1): HTMLInputElement | HTMLTextAreaElement {
		const setting = new Setting(this.window.contentEl).setName(label).setDesc(description);
		setting.settingEl.addClass("vault-bridge-block");
		const input = setting.controlEl.createEl(tag, { attr: { "aria-label": label, spellcheck: String(field === "description" || field === "returns"), ...(tag === "textarea" ? { rows: String(rows) } : { type: "text" }) } });
		this.rows.set(field, { setting, input });
		return input;
	}

	private addEnvironment(chosen: string): void {
		const setting = new Setting(this.window.contentEl).setName("Environment");
		const describe = (environment: string): void => {
			const place = this.listed.environments.find((one) => one.environment === environment);
			setting.setDesc(environmentWords(environment).help);
			showOutcome(setting, { ok: true, warnings: place?.available === false ? [place.sentence] : [] });
		};
		setting.settingEl.addClass("vault-bridge-block");
		setting.addDropdown((dropdown) => {
			const names = Object.keys(ENVIRONMENTS);
			for (const name of names.includes(chosen) ? names : [...names, chosen]) dropdown.addOption(name, sanitizePlain(environmentWords(name).label));
			dropdown.setValue(chosen).onChange(describe).selectEl.setAttr("aria-label", "Environment");
			this.rows.set("environment", { setting, input: dropdown.selectEl });
		});
		describe(chosen);
	}

	private value(field: EditorField): string {
		return this.rows.get(field)?.input.value ?? "";
	}

	private state(): string {
		return JSON.stringify([...this.rows.values()].map(({ input }) => input.value));
	}

	/** What is written; null where that is no tool yet, which is said. */
	private read(): (CustomAddParams & { parameters: Record<string, unknown> }) | null {
		this.refuse(null, "");
		const parsed = parseObject(this.value("parameters"));
		const timeout = Number(this.value("timeout"));
		if ("fault" in parsed) this.refuse("parameters", parsed.fault);
		else if (!Number.isInteger(timeout)) this.refuse("timeout", "This must be a number.");
		else {
			const environment = this.value("environment") as NonNullable<CustomAddParams["environment"]>;
			return { name: this.value("name").trim(), description: this.value("description"), code: this.value("code"), parameters: parsed.value, returns: this.value("returns").trim() || null, timeout, environment };
		}
		return null;
	}

	/** Say what is wrong, beside the field that it is about. */
	private refuse(about: EditorField | null, message: string): void {
		for (const [field, { setting }] of this.rows) {
			if (field !== "environment") showOutcome(setting, { ok: true, warnings: [] });
		}
		if (message === "") return;
		const row = this.rows.get(about ?? "timeout");
		if (!row) return;
		showOutcome(row.setting, { ok: false, message });
		row.input.focus();
	}

	private async save(): Promise<void> {
		const draft = this.read();
		if (!draft) return;
		try {
			const method = this.tool ? "custom.update" : "custom.add";
			const { unchecked } = await ask(this.request, method, draft);
			if (unchecked !== null) tell(unchecked, 0);
			this.finish();
		} catch (error) {
			const message = messageOf(error);
			this.refuse(fieldOf(message), message.replace(/^The tool: /, ""));
		}
	}
}
