/** The user's own tools: the window in which they are kept, and the runs of those that run in this window. */

import type { ToolRuns } from "../platform/toolRuns";
import type { Context } from "../ui/context";
import { ToolList } from "../ui/ownTools/toolList";
import { openWindow } from "../ui/window";
import { Feature } from "./feature";

export class OwnTools extends Feature {
	constructor(
		context: Context,
		private readonly runs: ToolRuns,
	) {
		super(context);
	}

	override onload(): void {
		this.command("own-tools", "Your own tools", () => {
			openWindow(this.context.app, "Your own tools", "wide", ({ contentEl, ends }) => {
				const list = new ToolList(contentEl.createDiv(), this.context);
				list.begin();
				ends.push(() => { list.end(); });
			});
		});
		const endAll = (): void => { this.runs.endAll(); };
		this.hear({ "custom.ended": ({ run }) => { this.runs.end(run); } });
		this.follow(() => undefined, endAll);
		this.register(endAll);
	}
}
