/** What agents and other programs changed in this vault, newest first, by day: each with its diff, and undone one by one or together. */

import { ButtonComponent, setIcon, type DropdownComponent } from "obsidian";
import { hoursOf, PERIODS } from "../../core/audit";
import { onNews } from "../../core/hearing";
import { HISTORY_PAGE, leftOf, type HistoryFilter } from "../../core/history";
import { sanitizePlain } from "../../core/text";
import { SHARED_ID } from "../../core/wire/clients";
import type { ChangeEntry } from "../../core/wire/contract";
import { addButton, outcomeBadge, showText, showTime, whenOpened } from "../elements";
import { mend, reverse, undoAll } from "../reversing";
import { drawChangeDiff } from "./changeDiff";
import { PagedPane, type Face, type Pages } from "./pane";

export const CHANGES: Face = { type: "vault-bridge-history", title: "Changes", icon: "history", command: ["show-changes", "Show changes by agents and other programs"] };
const MOST_FILES = 4;
/** What can be chosen instead of a client. */
const ORIGINS: Readonly<Record<string, string>> = { program: "Another program", obsidian: "Obsidian", typed: "You typed in Obsidian" };

export class HistoryView extends PagedPane<HistoryFilter, ChangeEntry> {
	protected override filter: HistoryFilter = { clientId: "", hours: null };
	protected override readonly pages: Pages = {
		cls: "vault-bridge-history",
		size: HISTORY_PAGE,
		news: "Show what is new",
		onChange: (listener) => onNews(this.context.connection, ["tool.finished", "audit.appended", "versions.noticed"], listener),
	};
	private clientSelect: DropdownComponent | null = null;
	private periodSelect: DropdownComponent | null = null;
	private undoButton: ButtonComponent | null = null;

	protected override drawToolbar(bar: HTMLElement, buttons: HTMLElement): void {
		this.clientSelect = this.addSelect(bar, "Program", { "": "Every program", ...ORIGINS }, (who) => {
			this.filter = { ...whoIs(who), hours: this.filter.hours };
			void this.refresh(false);
		});
		this.periodSelect = this.addSelect(bar, "Time", PERIODS, (value) => { this.change({ hours: hoursOf(value) }); });
		this.undoButton = new ButtonComponent(buttons).setButtonText("Undo these…").onClick(() => { undoAll(this.context, this.filter); });
	}

	/** All of a program, or all of a time, can be undone together; all there ever was cannot. */
	protected override refreshing(): void {
		const { origin } = this.filter;
		const chosen = origin === undefined && !this.isEverything;
		this.undoButton?.setDisabled(!chosen);
		this.undoButton?.buttonEl.setAttr("aria-label", chosen ? "Undo these: lists them first" : origin !== undefined ? "Undo these: each by itself" : "Undo these: choose a program or a time first");
	}

	protected override async query(last: ChangeEntry | null): Promise<ChangeEntry[]> {
		return this.context.history.list(this.filter, last?.executionId ?? null);
	}

	protected override timeOf({ time }: ChangeEntry): string {
		return time;
	}

	protected override emptySentence(): string {
		return this.isEverything ? "No change is recorded yet." : "Nothing was changed like that.";
	}

	private get isEverything(): boolean {
		const { clientId, hours, origin } = this.filter;
		return clientId === "" && hours === null && origin === undefined;
	}

	/** Show what other programs did, with one of their changes open. */
	async reveal(executionId: string): Promise<void> {
		this.clientSelect?.setValue("program");
		this.periodSelect?.setValue("any");
		this.filter = { ...whoIs("program"), hours: null };
		await this.refresh(false);
		const row = this.listEl?.querySelector(`[data-change="${CSS.escape(executionId)}"]`);
		const details = row?.querySelector("details");
		if (!row || !details) return;
		details.open = true;
		details.querySelector("summary")?.focus();
		row.scrollIntoView({ block: "start" });
	}

	protected override drawItem(listEl: HTMLElement, entry: ChangeEntry): void {
		this.addChoice(this.clientSelect, entry.clientId, entry.clientId === SHARED_ID ? "Programs without a name" : entry.who);
		const row = listEl.createDiv({ cls: `vault-bridge-change is-${entry.state === "undone" ? "undone" : "applied"}`, attr: { "data-change": entry.executionId } });
		const details = row.createEl("details", { cls: "vault-bridge-change-main" });
		const head = details.createEl("summary", { cls: "vault-bridge-change-head" });
		showTime(head, entry.time);
		showText(head.createSpan({ cls: "vault-bridge-log-sentence" }), entry.summary || entry.files.join(", "));
		if (entry.added > 0) head.createSpan({ cls: "vault-bridge-count is-added", text: `+${entry.added}` });
		if (entry.removed > 0) head.createSpan({ cls: "vault-bridge-count is-removed", text: `−${entry.removed}` });
		if (entry.state !== "applied") outcomeBadge(head, entry.left.length > 0 ? "undone in part" : entry.state);
		showText(head.createSpan({ cls: "vault-bridge-change-client" }), entry.who);
		whenOpened(details, () => { this.drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), entry); });
		if (entry.brokenLinks > 0) this.drawButton(row, entry, "link", "Mend links", () => { mend(this.context, entry.executionId); });
		const direction = entry.state === "undone" ? "redo" : "undo";
		if (direction === "undo" && !entry.canUndo) return;
		// What takes a change of another program back is a change of its own, and is undone there.
		if (direction === "redo" && entry.outside) return;
		const [icon, label] = direction === "undo" ? ["undo-2", "Undo"] : ["redo-2", "Redo"];
		this.drawButton(row, entry, icon, label, () => { reverse(this.context, direction, entry.executionId); });
		if (entry.left.length > 0) this.drawButton(row, entry, "undo-2", "Undo the rest", () => { reverse(this.context, "undo", entry.executionId); });
	}

	private drawButton(row: HTMLElement, { summary, files }: ChangeEntry, icon: string, label: string, act: () => void): void {
		const button = addButton(row, "", act, "vault-bridge-change-button");
		setIcon(button.createSpan(), icon);
		button.createSpan({ text: label });
		button.setAttr("aria-label", sanitizePlain(`${label}: ${summary || files.join(", ")}`));
	}

	private drawDetail(detail: HTMLElement, entry: ChangeEntry): void {
		const files = detail.createDiv({ cls: "vault-bridge-change-files" });
		for (const path of entry.files.slice(0, MOST_FILES)) {
			showText(addButton(files, "", () => { void this.context.app.workspace.openLinkText(path, "", false); }, "vault-bridge-link"), path);
		}
		for (const said of leftOf(entry)) showText(detail.createDiv({ cls: "vault-bridge-problem is-warning" }), said);
		if (entry.files.length > MOST_FILES) files.createSpan({ cls: "vault-bridge-faint", text: `and ${entry.files.length - MOST_FILES} more` });
		this.register(drawChangeDiff(detail.createDiv(), this.context.history, entry.executionId));
	}
}

/** The part of the filter that somebody chose in the list of programs. */
function whoIs(chosen: string): Pick<HistoryFilter, "clientId" | "origin"> {
	return chosen in ORIGINS ? { clientId: "", origin: chosen } : { clientId: chosen };
}
