/** The history of changes: the view, the commands, undo and redo. */

import { Component } from "obsidian";
import { History, leftOf, type Direction, type HistoryFilter } from "../core/history";
import type { ChangeDiff, EventName, ToolResult } from "../core/wire/contract";
import { ReversalModal } from "../ui/reversalModal";
import { UndoAllModal } from "../ui/undoAllModal";
import { HISTORY_VIEW, HistoryView } from "../ui/views/historyView";
import type { Context } from "./context";
import { showView } from "./views";
import { tell, tellFailure } from "../ui/notice";

/** The events after which the list may have changed. */
const NEWS: readonly string[] = ["tool.finished", "audit.appended", "versions.noticed"] satisfies EventName[];

/** Changes that stayed as they are which a notice names. */
const MOST_NAMED = 3;

export class Changes extends Component {
	private readonly history: History;

	constructor(private readonly context: Context) {
		super();
		this.history = new History(context.request, () => context.clock.now());
	}

	override onload(): void {
		const { plugin, app } = this.context;
		plugin.registerView(
			HISTORY_VIEW,
			(leaf) =>
				new HistoryView(leaf, {
					list: async (filter, before) => this.history.list(filter, before),
					diff: async (executionId) => this.history.diff(executionId),
					undoAll: (filter) => { this.undoAll(filter); },
					onChange: (listener) => this.onChange(listener),
					reverse: (direction, executionId) => { this.reverse(direction, executionId); },
					mend: (executionId) => { this.mend(executionId); },
					openFile: (path) => void app.workspace.openLinkText(path, "", false),
				}),
		);
		plugin.addCommand({ id: "show-changes", name: "Show changes by agents and other programs", callback: () => { this.open(); } });
		plugin.addCommand({ id: "undo-change", name: "Undo last agent change", callback: () => { this.reverse("undo", null); } });
		plugin.addCommand({ id: "undo-last-hour", name: "Undo all agent changes of the last hour…", callback: () => { this.undoAll({ clientId: "", hours: 1 }); } });
		plugin.addCommand({ id: "redo-change", name: "Redo last undone agent change", callback: () => { this.reverse("redo", null); } });
	}

	open(): void {
		void showView(this.context.app, HISTORY_VIEW);
	}

	/** Open the list at one change of another program, with what it did. */
	openAt(executionId: string): void {
		const { app } = this.context;
		void showView(app, HISTORY_VIEW).then(async () => {
			const view = app.workspace.getLeavesOfType(HISTORY_VIEW)[0]?.view;
			if (view instanceof HistoryView) await view.reveal(executionId);
		});
	}

	/** What a change did to each file. */
	async diff(executionId: string): Promise<ChangeDiff> {
		return this.history.diff(executionId);
	}

	/**
	 * List what undoing all that fits would do, and undo exactly that when the person says so.
	 *
	 * @param first - What is done before that.
	 */
	undoAll(filter: HistoryFilter, first: () => Promise<void> = async () => Promise.resolve()): void {
		this.history.foresee(filter).then(
			(foreseen) => {
				if (foreseen.changes.length === 0) tell("There is nothing to undo.");
				else new UndoAllModal(this.context.app, foreseen, (executionIds) => void first().then(async () => this.undoThese(executionIds))).open();
			},
			tellFailure,
		);
	}

	private async undoThese(executionIds: string[]): Promise<void> {
		try {
			const { text, changes } = await this.history.undoThese(executionIds);
			const kept = changes.flatMap((change) => (change.why === null ? leftOf(change) : [`${change.summary}: ${change.why}`]));
			tell([`${text}.`, ...kept.slice(0, MOST_NAMED)].join("\n"), kept.length > 0 ? 0 : undefined);
		} catch (error) {
			tellFailure(error);
		}
	}

	/** Show what taking back, or making again, a change does; and do it when the person says so. */
	reverse(direction: Direction, executionId: string | null): void {
		void this.history.preview(direction, executionId).then(
			(reversal) => {
				new ReversalModal(this.context.app, reversal, () => void this.act(async () => this.history.reverse(direction, executionId))).open();
			},
			tellFailure,
		);
	}

	/** The same, for the last change of a note. */
	reverseLast(path: string): void {
		void this.history.list({ clientId: "", hours: null }, null).then(
			(entries) => {
				const last = entries.find(({ files, canUndo }) => canUndo && files.includes(path));
				if (last) this.reverse("undo", last.executionId);
				else tell("There is nothing to undo.");
			},
			tellFailure,
		);
	}

	/** Show how links that another program broke would be mended; and do exactly that when the person says so. */
	private mend(executionId: string): void {
		void this.history.foreseeMending(executionId).then(
			(foreseen) => {
				new ReversalModal(this.context.app, foreseen, () => void this.act(async () => this.history.mend(executionId, foreseen.plan))).open();
			},
			tellFailure,
		);
	}

	private async act(work: () => Promise<ToolResult>): Promise<void> {
		try {
			const result = await work();
			tell(result.success ? result.text || "Done." : (result.error ?? result.text));
		} catch (error) {
			tellFailure(error);
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
