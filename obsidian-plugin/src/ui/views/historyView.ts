/** What agents changed in this vault, newest first, each with undo or redo. */

import { debounce, ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import { HISTORY_PAGE } from "../../core/history";
import type { ChangeEntry } from "../../core/wire/contract";
import { outcomeBadge } from "../badges";
import { showText } from "../text";
import { showTime } from "./time";

export const HISTORY_VIEW = "vault-bridge-history";
const MOST_FILES = 4;

export interface HistorySource {
	list: (before: string | null) => Promise<ChangeEntry[]>;
	onChange: (listener: () => void) => () => void;
	reverse: (direction: "undo" | "redo", executionId: string) => void;
	openFile: (path: string) => void;
}

export class HistoryView extends ItemView {
	private listEl: HTMLElement | null = null;
	private request = 0;

	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: HistorySource,
	) {
		super(leaf);
		this.icon = "history";
	}

	override getViewType(): string {
		return HISTORY_VIEW;
	}

	override getDisplayText(): string {
		return "Changes by agents";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("vault-bridge-view");
		this.listEl = this.contentEl.createDiv({ cls: "vault-bridge-history" });
		this.register(this.source.onChange(debounce(() => void this.refresh(), 300)));
		await this.refresh();
	}

	private async refresh(): Promise<void> {
		const { listEl } = this;
		if (!listEl) return;
		const request = ++this.request;
		try {
			const entries = await this.source.list(null);
			if (request !== this.request) return;
			listEl.empty();
			this.append(listEl, entries);
			if (entries.length === 0) listEl.createDiv({ cls: "vault-bridge-empty", text: "No agent has changed anything in this vault." });
		} catch (error) {
			if (request !== this.request) return;
			listEl.empty();
			listEl.createDiv({ cls: "vault-bridge-empty", text: error instanceof Error ? error.message : String(error) });
		}
	}

	private append(listEl: HTMLElement, entries: readonly ChangeEntry[]): void {
		for (const entry of entries) this.drawEntry(listEl, entry);
		const last = entries.at(-1);
		if (!last || entries.length < HISTORY_PAGE) return;
		const more = listEl.createEl("button", { cls: "vault-bridge-older", text: "Show older", type: "button" });
		more.addEventListener("click", () => {
			more.remove();
			void this.source.list(last.executionId).then((older) => { this.append(listEl, older); });
		});
	}

	private drawEntry(listEl: HTMLElement, entry: ChangeEntry): void {
		const row = listEl.createDiv({ cls: `vault-bridge-change is-${entry.state === "undone" ? "undone" : "applied"}` });
		const main = row.createDiv({ cls: "vault-bridge-change-main" });
		const head = main.createDiv({ cls: "vault-bridge-change-head" });
		showText(head.createSpan({ cls: "vault-bridge-log-tool" }), entry.tool);
		if (entry.added > 0) head.createSpan({ cls: "vault-bridge-count is-added", text: `+${entry.added}` });
		if (entry.removed > 0) head.createSpan({ cls: "vault-bridge-count is-removed", text: `−${entry.removed}` });
		if (entry.state !== "applied") outcomeBadge(head, entry.state);
		const about = main.createDiv({ cls: "vault-bridge-faint" });
		showText(about, entry.client);
		about.appendText(" · ");
		showTime(about, entry.time);
		const files = main.createDiv({ cls: "vault-bridge-change-files" });
		for (const path of entry.files.slice(0, MOST_FILES)) {
			const link = files.createEl("button", { cls: "vault-bridge-link", type: "button" });
			showText(link, path);
			link.addEventListener("click", () => { this.source.openFile(path); });
		}
		if (entry.files.length > MOST_FILES) files.createSpan({ cls: "vault-bridge-faint", text: `and ${entry.files.length - MOST_FILES} more` });
		const direction = entry.state === "undone" ? "redo" : "undo";
		if (direction === "undo" && !entry.canUndo) return;
		const button = row.createEl("button", { cls: "vault-bridge-change-button", type: "button" });
		setIcon(button.createSpan(), direction === "undo" ? "undo-2" : "redo-2");
		button.createSpan({ text: direction === "undo" ? "Undo" : "Redo" });
		button.addEventListener("click", () => { this.source.reverse(direction, entry.executionId); });
	}
}
