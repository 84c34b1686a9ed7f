/** The history of changes: the view, the commands, undo and redo. */

import { Component, Notice } from "obsidian";
import { invert } from "../core/diff/invert";
import { parseDiff } from "../core/diff/parse";
import { History, type Direction } from "../core/history";
import { messageOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text/sanitize";
import type { EventName } from "../core/wire/contract";
import { ReversalModal } from "../ui/reversalModal";
import type { ChangedFile } from "../ui/views/logRow";
import { HISTORY_VIEW, HistoryView } from "../ui/views/historyView";
import type { Context } from "./context";
import { showView } from "./views";

/** The events after which the list may have changed. */
const NEWS: readonly string[] = ["tool.finished", "audit.appended"] satisfies EventName[];

export class Changes extends Component {
	private readonly history: History;

	constructor(private readonly context: Context) {
		super();
		this.history = new History(context.request);
	}

	override onload(): void {
		const { plugin, app } = this.context;
		plugin.registerView(
			HISTORY_VIEW,
			(leaf) =>
				new HistoryView(leaf, {
					list: async (before) => this.history.list(before),
					onChange: (listener) => this.onChange(listener),
					reverse: (direction, executionId) => { this.reverse(direction, executionId); },
					openFile: (path) => void app.workspace.openLinkText(path, "", false),
				}),
		);
		plugin.addCommand({ id: "show-changes", name: "Show changes by agents", callback: () => { this.open(); } });
		plugin.addCommand({ id: "undo-change", name: "Undo last agent change", callback: () => { this.reverse("undo", null); } });
		plugin.addCommand({ id: "redo-change", name: "Redo last undone agent change", callback: () => { this.reverse("redo", null); } });
	}

	open(): void {
		void showView(this.context.app, HISTORY_VIEW);
	}

	/** What a change did to each file: the undo's diff, the other way round. Null when it cannot be undone (any more). */
	async changeOf(executionId: string): Promise<ChangedFile[] | null> {
		try {
			const { files } = await this.history.preview("undo", executionId);
			return files.map((file) => ({ path: file.newPath ?? file.path, hunks: invert(parseDiff(file.diff)) }));
		} catch {
			return null;
		}
	}

	/** Show what taking back, or making again, a change does; and do it when the person says so. */
	reverse(direction: Direction, executionId: string | null): void {
		void this.history.preview(direction, executionId).then(
			(reversal) => {
				new ReversalModal(this.context.app, reversal, () => void this.act(direction, executionId)).open();
			},
			(error: unknown) => new Notice(sanitizePlain(messageOf(error))),
		);
	}

	private async act(direction: Direction, executionId: string | null): Promise<void> {
		try {
			const result = await this.history.reverse(direction, executionId);
			new Notice(sanitizePlain(result.success ? result.text || "Done." : (result.error ?? result.text)));
		} catch (error) {
			new Notice(sanitizePlain(messageOf(error)));
		}
	}

	private onChange(listener: () => void): () => void {
		const { connection } = this.context;
		const ends = [
			connection.changed.on(listener),
			connection.notified.on(({ method }) => {
				if (NEWS.includes(method)) listener();
			}),
		];
		return () => {
			for (const end of ends) end();
		};
	}
}
