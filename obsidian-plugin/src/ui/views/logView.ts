/** The audit log: live, filtered, searched, exported. */

import { ButtonComponent, debounce, DropdownComponent, ItemView, SearchComponent, type WorkspaceLeaf } from "obsidian";
import { KINDS, NO_FILTER, PAGE, PERIODS, type LogFilter } from "../../core/audit/filter";
import type { ChainStatus } from "../../core/wire/auditState";
import type { AuditRecord } from "../../core/wire/audit";
import { sanitizePlain } from "../../core/text/sanitize";
import { showText } from "../text";
import { drawLogRow, type LogActions } from "./logRow";
import { drawPage } from "./paging";
import { showTime } from "./time";
import { addButton } from "../addButton";
import { counted } from "../../core/text/shorten";

export const LOG_VIEW = "vault-bridge-log";
const MOST_UNANSWERED = 5;

export interface LogSource extends LogActions {
	/** A page of the log, newest first; rejects with a sentence for the person. */
	query: (filter: LogFilter, before: string | null) => Promise<AuditRecord[]>;
	/** Called when there is something new, or the connection came or went. */
	onChange: (listener: () => void) => () => void;
	/** The state of the log's chain; null when the bridge does not say. */
	chain: () => Promise<ChainStatus | null>;
	save: (form: "json" | "csv", filter: LogFilter) => Promise<void>;
	/** Whether this bridge lets its log be cleared. */
	canClear: () => boolean;
	clear: () => Promise<void>;
	/** What was refused for want of an answer since the person last said that they have seen it. */
	unanswered: () => Promise<AuditRecord[]>;
	/** Show how much agents did. */
	activity: () => void;
	/** They have seen it now. */
	markSeen: () => void;
}

export class LogView extends ItemView {
	private filter: LogFilter = NO_FILTER;
	private readonly tools = new Set<string>();
	private readonly clients = new Set<string>();
	private toolSelect: DropdownComponent | null = null;
	private clientSelect: DropdownComponent | null = null;
	private clearButton: ButtonComponent | null = null;
	private listEl: HTMLElement | null = null;
	private chainEl: HTMLElement | null = null;
	private unansweredEl: HTMLElement | null = null;
	private request = 0;

	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: LogSource,
	) {
		super(leaf);
		this.icon = "scroll-text";
	}

	override getViewType(): string {
		return LOG_VIEW;
	}

	override getDisplayText(): string {
		return "Tool log";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("vault-bridge-view");
		this.drawToolbar(this.contentEl.createDiv({ cls: "vault-bridge-toolbar" }));
		this.unansweredEl = this.contentEl.createDiv({ attr: { role: "status" } });
		this.chainEl = this.contentEl.createDiv({ cls: "vault-bridge-chain" });
		this.listEl = this.contentEl.createDiv({ cls: "vault-bridge-log" });
		// Something new while a row is open must not shut it: such a list is only marked.
		this.register(this.source.onChange(debounce(() => void this.refresh(true), 300)));
		await this.refresh(false);
		await this.showChain();
	}

	private drawToolbar(bar: HTMLElement): void {
		const search = debounce((text: string) => { this.change({ text }); }, 250, true);
		new SearchComponent(bar).setPlaceholder("Search the log…").onChange(search);
		this.toolSelect = new DropdownComponent(bar).addOption("", "Every tool").onChange((tool) => { this.change({ tool }); });
		this.clientSelect = new DropdownComponent(bar).addOption("", "Every client").onChange((client) => { this.change({ client }); });
		const kind = new DropdownComponent(bar).addOptions(KINDS).onChange((value) => { this.change({ kind: value }); });
		const period = new DropdownComponent(bar).addOptions(PERIODS).setValue("any");
		period.onChange((value) => {
			this.change({ period: value in PERIODS ? (value as LogFilter["period"]) : "any" });
		});
		const names: [DropdownComponent, string][] = [[this.toolSelect, "Tool"], [this.clientSelect, "Client"], [kind, "Kind"], [period, "Time"]];
		for (const [select, name] of names) select.selectEl.setAttr("aria-label", name);
		const buttons = bar.createDiv({ cls: "vault-bridge-toolbar-buttons" });
		new ButtonComponent(buttons).setButtonText("Activity").onClick(this.source.activity);
		new ButtonComponent(buttons).setButtonText("Export JSON").onClick(() => void this.source.save("json", this.filter));
		new ButtonComponent(buttons).setButtonText("Export CSV").onClick(() => void this.source.save("csv", this.filter));
		this.clearButton = new ButtonComponent(buttons).setButtonText("Clear");
		this.clearButton.onClick(() => void this.source.clear().then(async () => { await this.refresh(false); await this.showChain(); }));
	}

	private change(part: Partial<LogFilter>): void {
		this.filter = { ...this.filter, ...part };
		void this.refresh(false);
	}

	private async refresh(byItself: boolean): Promise<void> {
		const { listEl } = this;
		if (!listEl) return;
		if (byItself && listEl.querySelector("details[open]")) {
			this.offerNew(listEl);
			return;
		}
		this.clearButton?.buttonEl.toggle(this.source.canClear());
		void this.showUnanswered();
		const request = ++this.request;
		try {
			const records = await this.source.query(this.filter, null);
			if (request !== this.request) return;
			listEl.empty();
			this.append(listEl, records);
			if (records.length === 0) listEl.createDiv({ cls: "vault-bridge-empty", text: "Nothing here yet." });
		} catch (error) {
			if (request !== this.request) return;
			listEl.empty();
			listEl.createDiv({ cls: "vault-bridge-empty", text: error instanceof Error ? error.message : String(error) });
		}
	}

	private append(listEl: HTMLElement, records: readonly AuditRecord[]): void {
		drawPage(listEl, records, {
			size: PAGE,
			after: async (last) => this.source.query(this.filter, last.cursor),
			timeOf: (record) => record.timestamp,
			draw: (list, record) => { drawLogRow(list, record, this.source); },
			arrived: (page) => {
				for (const { tool, client } of page) {
					addOption(this.toolSelect, this.tools, tool);
					addOption(this.clientSelect, this.clients, client);
				}
			},
		});
	}

	/** Above everything else: what went wrong only because nobody looked. */
	private async showUnanswered(): Promise<void> {
		const el = this.unansweredEl;
		const missed = await this.source.unanswered();
		if (!el) return;
		el.empty();
		if (missed.length === 0) return;
		const box = el.createDiv({ cls: "vault-bridge-unanswered" });
		const count = missed.length >= PAGE ? `${PAGE} or more questions` : counted(missed.length, "question");
		box.createEl("strong", { text: `${count} nobody answered. Nothing was done.` });
		for (const record of missed.slice(0, MOST_UNANSWERED)) {
			const row = box.createDiv({ cls: "vault-bridge-unanswered-row" });
			showTime(row, record.timestamp);
			showText(row.createSpan(), record.sentence);
		}
		if (missed.length > MOST_UNANSWERED) box.createDiv({ cls: "vault-bridge-faint", text: `and ${missed.length - MOST_UNANSWERED} more, under “Not answered” below` });
		addButton(box, "Seen", () => {
			this.source.markSeen();
			el.empty();
		});
	}

	private offerNew(listEl: HTMLElement): void {
		if (listEl.querySelector(".vault-bridge-newer")) return;
		const button = createEl("button", { cls: "vault-bridge-newer", text: "Show new lines", type: "button" });
		button.addEventListener("click", () => void this.refresh(false));
		listEl.prepend(button);
	}

	private async showChain(): Promise<void> {
		const chain = await this.source.chain();
		this.chainEl?.empty();
		if (this.chainEl && chain) showText(this.chainEl, chain.text);
		this.chainEl?.toggleClass("is-broken", chain?.whole === false);
	}
}

function addOption(select: DropdownComponent | null, known: Set<string>, name: string): void {
	if (name === "" || known.has(name)) return;
	known.add(name);
	select?.addOption(name, sanitizePlain(name));
}
