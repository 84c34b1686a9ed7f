/** The templates: work that comes again, each with a button that runs it. */

import type { WorkspaceLeaf } from "obsidian";
import type { Templates } from "../../core/templates";
import type { Template, TemplateInfo } from "../../core/wire/contract";
import { showLongText, showText } from "../text";
import { CardsView } from "./cardsView";

export const TEMPLATES_VIEW = "vault-bridge-templates";

export interface TemplatesSource {
	templates: Templates;
	/** Ask for what it needs, and run it. */
	run: (template: Template) => void;
}

export class TemplatesView extends CardsView {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: TemplatesSource,
	) {
		super(leaf, TEMPLATES_VIEW, "Templates", "list-checks");
	}

	protected override follow(draw: () => void): void {
		this.register(this.source.templates.changed.on(draw));
	}

	protected override draw(listEl: HTMLElement, emptyEl: HTMLElement): void {
		const { all } = this.source.templates;
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
		head.createEl("button", { text: "Run…", type: "button", attr: { "aria-label": `Run ${template.title}` } }).addEventListener("click", () => { this.source.run(template); });
	}
}
