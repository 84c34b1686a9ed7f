/** The templates: work that comes again, each with a button that runs it, and a form for what it asks. */

import type { App } from "obsidian";
import type { Emitter } from "../../core/emitter";
import { templateFields } from "../../core/parameters";
import type { Template, TemplateInfo } from "../../core/wire/contract";
import { reader } from "../../core/wire/reading";
import { addButton, showLongText, showText } from "../elements";
import { tell, tellFailure } from "../notice";
import { drawParameterForm } from "../parameterForm";
import { openWindow } from "../window";
import { CardsPane, type Face } from "./pane";

/** @param run - Called with the values, once they are as they must be. */
function askParameters(app: App, { title, description, parameters }: Template, now: number, run: (values: Record<string, unknown>) => void): void {
	openWindow(app, title, "small", (window) => {
		window.addText(description);
		const read = drawParameterForm(window.contentEl, templateFields(parameters, now));
		window.addText("You see the whole change before anything is written.", "vault-bridge-faint");
		const submit = (): void => {
			const values = read();
			if (!values) return;
			window.close();
			run(values);
		};
		const bar = window.addBar();
		addButton(bar, "Run", submit, "mod-cta");
		window.addCloser(bar, "Cancel");
		window.onModEnter(submit);
	});
}

export const TEMPLATES: Face = { type: "vault-bridge-templates", title: "Templates", icon: "list-checks", command: ["run-template", "Run a template"] };
/** Characters of what came of a run that a notice shows. */
const MOST_TEXT = 300;

export class TemplatesView extends CardsPane {
	protected override get list(): Emitter<null> {
		return this.context.templates.changed;
	}

	protected override draw(listEl: HTMLElement, emptyEl: HTMLElement): void {
		const { all } = this.context.templates;
		emptyEl.toggle(all === null);
		emptyEl.setText("The bridge is not connected, so its templates are not known.");
		listEl.empty();
		for (const info of all ?? []) this.drawTemplate(listEl, info);
	}

	private drawTemplate(listEl: HTMLElement, { template, shipped }: TemplateInfo): void {
		const el = listEl.createEl("section", { cls: "vault-bridge-draft", attr: { "aria-label": template.title } });
		const head = el.createDiv({ cls: "vault-bridge-draft-head" });
		const about = head.createDiv({ cls: "vault-bridge-draft-about" });
		showText(about.createDiv({ cls: "vault-bridge-draft-client" }), template.title);
		if (template.description !== "") showLongText(about.createDiv(), template.description);
		const from = about.createDiv({ cls: "vault-bridge-faint" });
		showText(from, `${template.name} · ${shipped ? "came with the bridge" : "yours"}`);
		addButton(head, "Run…", () => {
			askParameters(this.context.app, template, this.context.clock.now(), (values) => { this.run(template, values).catch(tellFailure); });
		}).setAttr("aria-label", `Run ${template.title}`);
	}

	private async run({ name, title }: Template, values: Record<string, unknown>): Promise<void> {
		const { success, text, error } = reader("ToolResult")(await this.context.request("templates.run", { name, values }), "templates.run");
		const said = success ? (text.split("\n")[0] ?? "") : (error ?? text);
		tell(`${title}: ${said.slice(0, MOST_TEXT)}`, success ? undefined : 0);
	}
}
