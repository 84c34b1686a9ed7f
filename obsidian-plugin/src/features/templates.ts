/** Templates: the pane that lists them, the form of each, and what became of running one. */

import { Component } from "obsidian";
import { Templates } from "../core/templates";
import type { Template } from "../core/wire/contract";
import { TemplateModal } from "../ui/templateModal";
import { TEMPLATES_VIEW, TemplatesView } from "../ui/views/templatesView";
import type { Context } from "./context";
import { showView } from "./views";
import { tell, tellFailure } from "../ui/notice";

const MOST_TEXT = 300;

export class RunTemplates extends Component {
	private readonly templates: Templates;

	constructor(private readonly context: Context) {
		super();
		this.templates = new Templates(context.request);
	}

	override onload(): void {
		const { plugin, connection } = this.context;
		plugin.registerView(
			TEMPLATES_VIEW,
			(leaf) => new TemplatesView(leaf, { templates: this.templates, run: (template) => { this.ask(template); } }),
		);
		plugin.addCommand({ id: "run-template", name: "Run a template", callback: () => { this.open(); } });
		this.register(this.templates.follow(connection));
	}

	open(): void {
		void showView(this.context.app, TEMPLATES_VIEW);
		if (this.context.connection.connected) this.templates.catchUp();
	}

	private ask(template: Template): void {
		new TemplateModal(this.context.app, template, this.context.clock.now(), (values) => void this.run(template, values)).open();
	}

	private async run(template: Template, values: Record<string, unknown>): Promise<void> {
		try {
			const { success, text, error } = await this.templates.run(template.name, values);
			const said = success ? (text.split("\n")[0] ?? "") : (error ?? text);
			tell(`${template.title}: ${said.slice(0, MOST_TEXT)}`, success ? undefined : 0);
		} catch (error) {
			tellFailure(error);
		}
	}
}
