/** The command "Check index": where Obsidian's own index and the bridge's do not say the same. */

import { Component } from "obsidian";
import { checkIndex } from "../core/index/check";
import { messageOf } from "../core/settings/store";
import { obsidianIndex } from "../platform/metadata";
import { IndexModal } from "../ui/indexModal";
import type { Context } from "./context";
import { tell } from "../ui/notice";

export class CheckIndex extends Component {
	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		this.context.plugin.addCommand({ id: "check-index", name: "Check index", callback: () => void this.run() });
	}

	private async run(): Promise<void> {
		const { app, request } = this.context;
		const modal = new IndexModal(app, {
			openFile: (path) => void app.workspace.openLinkText(path, "", false),
			copy: (text) => void copy(text),
		});
		modal.open();
		try {
			const found = await checkIndex(obsidianIndex(app), request, (done, of) => {
				modal.showProgress(done, of);
				return modal.watched;
			});
			if (found && modal.watched) modal.show(found);
		} catch (error) {
			if (modal.watched) modal.showFailure(messageOf(error));
		}
	}
}

async function copy(text: string): Promise<void> {
	try {
		await activeWindow.navigator.clipboard.writeText(text);
		tell("Copied.");
	} catch {
		tell("The clipboard could not be written.");
	}
}
