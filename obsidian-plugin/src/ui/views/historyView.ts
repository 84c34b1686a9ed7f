/** What agents and other programs changed in this vault, newest first, by day: each with its diff, and undone one by one or together. */

import { ButtonComponent, debounce, DropdownComponent, ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import { hoursOf, PERIODS } from "../../core/audit/filter";
import { HISTORY_PAGE, leftOf, type HistoryFilter } from "../../core/history";
import { sanitizePlain } from "../../core/text/sanitize";
import { SHARED_ID } from "../../core/wire/clients";
import type { ChangeDiff, ChangeEntry } from "../../core/wire/contract";
import { outcomeBadge } from "../badges";
import { showText } from "../text";
import { drawChangeDiff } from "./changeDiff";
import { drawPage } from "./paging";
import { showTime } from "./time";

export const HISTORY_VIEW = "vault-bridge-history";
const MOST_FILES = 4;
/** What can be chosen instead of a client. */
const ORIGINS: Readonly<Record<string, string>> = { program: "Another program", obsidian: "Obsidian", typed: "You typed in Obsidian" };

export interface HistorySource {
	list: (filter: HistoryFilter, before: string | null) => Promise<ChangeEntry[]>;
	diff: (executionId: string) => Promise<ChangeDiff>;
	onChange: (listener: () => void) => () => void;
	reverse: (direction: "undo" | "redo", executionId: string) => void;
	mend: (executionId: string) => void;
	/** List what undoing all that fits would do, and offer it. */
	undoAll: (filter: HistoryFilter) => void;
	openFile: (path: string) => void;
}

export class HistoryView extends ItemView {
	private filter: HistoryFilter = { clientId: "", hours: null };
	private readonly clients = new Set<string>();
	private clientSelect: DropdownComponent | null = null;
	private periodSelect: DropdownComponent | null = null;
	private undoButton: ButtonComponent | null = null;
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
		return "Changes";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("vault-bridge-view");
		this.drawToolbar(this.contentEl.createDiv({ cls: "vault-bridge-toolbar" }));
		this.listEl = this.contentEl.createDiv({ cls: "vault-bridge-history" });
		// Something new while a change is open must not shut it: such a list is only marked.
		this.register(this.source.onChange(debounce(() => void this.refresh(true), 300)));
		await this.refresh(false);
	}

	private drawToolbar(bar: HTMLElement): void {
		this.clientSelect = new DropdownComponent(bar).addOption("", "Every program").addOptions(ORIGINS).onChange((who) => { this.change({ ...whoIs(who), hours: this.filter.hours }); });
		this.clientSelect.selectEl.setAttr("aria-label", "Program");
		const period = this.periodSelect = new DropdownComponent(bar).addOptions(PERIODS).setValue("any").onChange((value) => { this.change({ ...this.filter, hours: hoursOf(value) }); });
		period.selectEl.setAttr("aria-label", "Time");
		const buttons = bar.createDiv({ cls: "vault-bridge-toolbar-buttons" });
		this.undoButton = new ButtonComponent(buttons).setButtonText("Undo these…").onClick(() => { this.source.undoAll(this.filter); });
		this.offerUndo();
	}

	private change(filter: HistoryFilter): void {
		this.filter = filter;
		this.offerUndo();
		void this.refresh(false);
	}

	/** All of a program, or all of a time, can be undone together; all there ever was cannot. */
	private offerUndo(): void {
		const chosen = this.filter.origin === undefined && (this.filter.clientId !== "" || this.filter.hours !== null);
		this.undoButton?.setDisabled(!chosen);
		this.undoButton?.buttonEl.setAttr("aria-label", chosen ? "Undo these: lists them first" : this.filter.origin !== undefined ? "Undo these: each by itself" : "Undo these: choose a program or a time first");
	}

	/** Show what other programs did, with one of their changes open. */
	async reveal(executionId: string): Promise<void> {
		this.clientSelect?.setValue("program");
		this.periodSelect?.setValue("any");
		this.filter = { ...whoIs("program"), hours: null };
		this.offerUndo();
		await this.refresh(false);
		const row = this.listEl?.querySelector(`[data-change="${CSS.escape(executionId)}"]`);
		const details = row?.querySelector("details");
		if (!row || !details) return;
		details.open = true;
		details.querySelector("summary")?.focus();
		row.scrollIntoView({ block: "start" });
	}

	private async refresh(byItself: boolean): Promise<void> {
		const { listEl } = this;
		if (!listEl) return;
		if (byItself && listEl.querySelector("details[open]")) {
			this.offerNew(listEl);
			return;
		}
		const request = ++this.request;
		try {
			const entries = await this.source.list(this.filter, null);
			if (request !== this.request) return;
			listEl.empty();
			this.append(listEl, entries);
			const none = this.filter.clientId === "" && this.filter.hours === null && this.filter.origin === undefined ? "No change is recorded yet." : "Nothing was changed like that.";
			if (entries.length === 0) listEl.createDiv({ cls: "vault-bridge-empty", text: none });
		} catch (error) {
			if (request !== this.request) return;
			listEl.empty();
			listEl.createDiv({ cls: "vault-bridge-empty", text: error instanceof Error ? error.message : String(error) });
		}
	}

	private offerNew(listEl: HTMLElement): void {
		if (listEl.querySelector(".vault-bridge-newer")) return;
		const button = createEl("button", { cls: "vault-bridge-newer", text: "Show what is new", type: "button" });
		button.addEventListener("click", () => void this.refresh(false));
		listEl.prepend(button);
	}

	private append(listEl: HTMLElement, entries: readonly ChangeEntry[]): void {
		drawPage(listEl, entries, {
			size: HISTORY_PAGE,
			after: async (last) => this.source.list(this.filter, last.executionId),
			timeOf: (entry) => entry.time,
			draw: (list, entry) => { this.drawEntry(list, entry); },
			arrived: (page) => { for (const entry of page) this.addClient(entry); },
		});
	}

	private addClient({ clientId, who }: ChangeEntry): void {
		if (clientId === "" || this.clients.has(clientId)) return;
		this.clients.add(clientId);
		this.clientSelect?.addOption(clientId, clientId === SHARED_ID ? "Programs without a name" : sanitizePlain(who));
	}

	private drawEntry(listEl: HTMLElement, entry: ChangeEntry): void {
		const row = listEl.createDiv({ cls: `vault-bridge-change is-${entry.state === "undone" ? "undone" : "applied"}`, attr: { "data-change": entry.executionId } });
		const details = row.createEl("details", { cls: "vault-bridge-change-main" });
		const head = details.createEl("summary", { cls: "vault-bridge-change-head" });
		showTime(head, entry.time);
		showText(head.createSpan({ cls: "vault-bridge-log-sentence" }), entry.summary || entry.files.join(", "));
		if (entry.added > 0) head.createSpan({ cls: "vault-bridge-count is-added", text: `+${entry.added}` });
		if (entry.removed > 0) head.createSpan({ cls: "vault-bridge-count is-removed", text: `−${entry.removed}` });
		if (entry.state !== "applied") outcomeBadge(head, entry.left.length > 0 ? "undone in part" : entry.state);
		showText(head.createSpan({ cls: "vault-bridge-change-client" }), entry.who);
		details.addEventListener("toggle", () => {
			if (details.open && details.childElementCount === 1) this.drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), entry);
		});
		if (entry.brokenLinks > 0) this.drawButton(row, "link", "Mend links", () => { this.source.mend(entry.executionId); });
		const direction = entry.state === "undone" ? "redo" : "undo";
		if (direction === "undo" && !entry.canUndo) return;
		// What takes a change of another program back is a change of its own, and is undone there.
		if (direction === "redo" && entry.outside) return;
		const [icon, label] = direction === "undo" ? ["undo-2", "Undo"] : ["redo-2", "Redo"];
		this.drawButton(row, icon, label, () => { this.source.reverse(direction, entry.executionId); });
		if (entry.left.length > 0) this.drawButton(row, "undo-2", "Undo the rest", () => { this.source.reverse("undo", entry.executionId); });
	}

	private drawButton(row: HTMLElement, icon: string, label: string, act: () => void): void {
		const button = row.createEl("button", { cls: "vault-bridge-change-button", type: "button" });
		setIcon(button.createSpan(), icon);
		button.createSpan({ text: label });
		button.addEventListener("click", act);
	}

	private drawDetail(detail: HTMLElement, entry: ChangeEntry): void {
		const files = detail.createDiv({ cls: "vault-bridge-change-files" });
		for (const path of entry.files.slice(0, MOST_FILES)) {
			const link = files.createEl("button", { cls: "vault-bridge-link", type: "button" });
			showText(link, path);
			link.addEventListener("click", () => { this.source.openFile(path); });
		}
		for (const said of leftOf(entry)) showText(detail.createDiv({ cls: "vault-bridge-problem is-warning" }), said);
		if (entry.files.length > MOST_FILES) files.createSpan({ cls: "vault-bridge-faint", text: `and ${entry.files.length - MOST_FILES} more` });
		this.register(drawChangeDiff(detail.createDiv(), async () => this.source.diff(entry.executionId)));
	}
}

/** The part of the filter that somebody chose in the list of programs. */
function whoIs(chosen: string): Pick<HistoryFilter, "clientId" | "origin"> {
	return chosen in ORIGINS ? { clientId: "", origin: chosen } : { clientId: chosen };
}
