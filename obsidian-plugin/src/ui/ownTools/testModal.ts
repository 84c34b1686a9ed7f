/** The window in which a tool is tried: a form of its parameters, and what a run came to. */

import { Modal, Setting, type App } from "obsidian";
import type { JsonObject } from "../../core/json";
import { formFields, formValues, type FormField } from "../../core/ownTools";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { CustomResult, CustomTestParams } from "../../core/wire/contract";
import { readCustomResult } from "../../core/wire/readers";
import type { Request } from "../../core/wire/request";
import { badge } from "../badges";
import { drawLines } from "../settings/serverFacts";
import { showOutcome } from "../settings/problem";
import { showText } from "../text";
import { addBar, addButton } from "../addButton";

export class TestModal extends Modal {
	private readonly said = new Map<string, string>();
	private readonly rows = new Map<string, Setting>();
	private running = false;

	/**
	 * @param tool - What is shown.
	 * @param which - What is run: a stored tool, or one as it is written.
	 */
	constructor(
		app: App,
		private readonly request: Request,
		private readonly tool: { name: string; description: string; parameters: JsonObject },
		private readonly which: CustomTestParams,
	) {
		super(app);
	}

	override onOpen(): void {
		const { name, description, parameters } = this.tool;
		this.modalEl.addClasses(["vault-bridge-window", "vault-bridge-wide-window"]);
		this.setTitle(sanitizePlain(`Test ${name}`));
		if (description !== "") showText(this.contentEl.createEl("p"), description);
		const fields = formFields(parameters);
		for (const field of fields) this.drawField(field);
		if (fields.length === 0) this.contentEl.createEl("p", { cls: "vault-bridge-faint", text: "It takes no parameters." });
		this.contentEl.createEl("p", { cls: "vault-bridge-faint", text: "It really runs, as you: what its calls of other tools change, they change." });
		const results = this.contentEl.createDiv({ cls: "vault-bridge-result", attr: { role: "status" } });
		const bar = addBar(this.contentEl);
		const button = bar.createEl("button", { cls: "mod-cta", text: "Run", type: "button" });
		addButton(bar, "Close", () => { this.close(); });
		const run = (): void => void this.run(fields, button, results);
		button.addEventListener("click", run);
		this.scope.register(["Mod"], "Enter", () => {
			run();
			return false;
		});
	}

	private drawField({ name, kind, description, required, choices, first }: FormField): void {
		const setting = new Setting(this.contentEl);
		showText(setting.nameEl, required ? `${name} (needed)` : name);
		showText(setting.descEl, description);
		this.rows.set(name, setting);
		this.said.set(name, first);
		const label = { "aria-label": sanitizePlain(name) };
		const keep = (text: string): void => { this.said.set(name, text); };
		if (kind === "choice" || kind === "toggle") {
			setting.addDropdown((dropdown) => {
				dropdown.addOption("", "Not said");
				if (kind === "toggle") dropdown.addOptions({ true: "Yes", false: "No" });
				else choices.forEach((choice, index) => { dropdown.addOption(String(index), sanitizePlain(typeof choice === "string" ? choice : JSON.stringify(choice))); });
				dropdown.setValue(first).onChange(keep).selectEl.setAttrs(label);
			});
			return;
		}
		const input = setting.controlEl.createEl(kind === "json" ? "textarea" : "input", { attr: { ...label, spellcheck: "false", placeholder: kind === "json" ? "JSON" : "", ...(kind !== "json" && { type: "text", inputmode: kind === "number" ? "decimal" : "text" }) } });
		if (kind === "json") input.addClass("vault-bridge-code");
		input.value = first;
		input.addEventListener("input", () => { keep(input.value); });
	}

	private async run(fields: readonly FormField[], button: HTMLElement, results: HTMLElement): Promise<void> {
		if (this.running) return;
		const { values, faults } = formValues(fields, this.said);
		for (const [name, setting] of this.rows) {
			const message = faults.get(name);
			showOutcome(setting, message === undefined ? { ok: true, warnings: [] } : { ok: false, message });
		}
		results.empty();
		if (faults.size > 0) return;
		this.running = true;
		button.setText("Running…");
		try {
			drawResult(results, readCustomResult(await this.request("custom.test", { ...this.which, parameters: values }), "custom.test"));
		} catch (error) {
			badge(results, "is-high", "Not run");
			showText(results.createDiv({ cls: "vault-bridge-problem is-error" }), messageOf(error));
		}
		this.running = false;
		button.setText("Run");
	}
}

function drawResult(el: HTMLElement, { success, result, error, executionTime, output }: CustomResult): void {
	badge(el, success ? "is-safe" : "is-high", success ? "Done" : "Failed");
	el.createSpan({ cls: "vault-bridge-faint", text: ` Execution time: ${Math.round(executionTime)} ms` });
	if (success) drawLines(el, JSON.stringify(result, null, 2), "Result");
	else showText(el.createDiv({ cls: "vault-bridge-problem is-error" }), error ?? "It failed.");
	if (output === "") return;
	el.createDiv({ cls: "vault-bridge-label", text: "It printed" });
	drawLines(el, output, "What it printed");
}
