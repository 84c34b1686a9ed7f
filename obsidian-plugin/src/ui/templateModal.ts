/** The form in which a person says what a template asks for, before it is run. */

import { Modal, Setting, type App } from "obsidian";
import { saidAtFirst, valuesOf, type Said } from "../core/templates";
import type { Template, TemplateParameter } from "../core/wire/contract";
import { showText } from "./text";
import { addBar, addButton } from "./addButton";

export class TemplateModal extends Modal {
	private readonly said = new Map<string, Said>();
	private readonly faultEls = new Map<string, HTMLElement>();

	/** @param run - Called with the values, once they are as they must be. */
	constructor(
		app: App,
		private readonly template: Template,
		private readonly now: number,
		private readonly run: (values: Record<string, unknown>) => void,
	) {
		super(app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-window");
		showText(this.titleEl, this.template.title);
		if (this.template.description !== "") showText(this.contentEl.createEl("p"), this.template.description);
		for (const parameter of this.template.parameters) this.drawParameter(parameter);
		this.contentEl.createEl("p", { cls: "vault-bridge-faint", text: "You see the whole change before anything is written." });
		const bar = addBar(this.contentEl);
		addButton(bar, "Run", () => { this.submit(); }, "mod-cta");
		addButton(bar, "Cancel", () => { this.close(); });
		this.scope.register(["Mod"], "Enter", () => {
			this.submit();
			return false;
		});
	}

	override onClose(): void {
		this.contentEl.empty();
	}

	private drawParameter(parameter: TemplateParameter): void {
		const { name } = parameter;
		const first = saidAtFirst(parameter, this.now);
		this.said.set(name, first);
		const setting = new Setting(this.contentEl);
		showText(setting.nameEl, parameter.title || name);
		showText(setting.descEl, parameter.description);
		const fault = setting.descEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
		fault.hide();
		this.faultEls.set(name, fault);
		const label = { "aria-label": parameter.title || name };
		const keep = (said: Said): void => { this.said.set(name, said); };
		if (typeof first === "boolean") {
			setting.addToggle((toggle) => { toggle.setValue(first).onChange(keep).toggleEl.setAttrs(label); });
		} else if (parameter.choices.length > 0) {
			setting.addDropdown((dropdown) => {
				for (const choice of parameter.choices) dropdown.addOption(choice, choice);
				dropdown.setValue(first).onChange(keep).selectEl.setAttrs(label);
			});
		} else if (parameter.type === "list") {
			const area = setting.controlEl.createEl("textarea", { placeholder: "One a line", attr: { ...label, rows: "3" } });
			area.value = first;
			area.addEventListener("input", () => { keep(area.value); });
		} else {
			setting.addText((text) => {
				text.setValue(first).onChange(keep).inputEl.setAttrs(label);
				if (parameter.type === "number") text.inputEl.inputMode = "decimal";
				if (parameter.type === "date") text.inputEl.type = "date";
			});
		}
	}

	private submit(): void {
		const { values, faults } = valuesOf(this.template.parameters, this.said);
		for (const [name, el] of this.faultEls) {
			el.setText(faults.get(name) ?? "");
			el.toggle(faults.has(name));
		}
		if (faults.size > 0) return;
		this.close();
		this.run(values);
	}
}
