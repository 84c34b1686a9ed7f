/** The user's own tools as a page of the settings. */

import { SettingPage, type App } from "obsidian";
import type { Request } from "../../core/wire/request";
import { ToolList } from "../ownTools/toolList";

export class OwnToolsPage extends SettingPage {
	override title = "Your own tools";
	private list: ToolList | null = null;

	constructor(
		private readonly app: App,
		private readonly request: Request,
		private readonly onChange: (listener: () => void) => () => void,
	) {
		super();
	}

	override display(): void {
		this.list ??= new ToolList(this.app, this.containerEl, this.request, this.onChange);
	}

	override hide(): void {
		this.list?.end();
		this.list = null;
	}
}
