/** The audit log: live, filtered, searched, exported; a sentence for each action, and all that is known of it when opened. */

import { ButtonComponent, debounce, SearchComponent, type DropdownComponent } from "obsidian";
import { chainText, filesOf, filterParams, KINDS, NO_FILTER, PAGE, PERIODS, queryParams, readLogLine, toneOf, unansweredParams, type LogFilter, type LogLine } from "../../core/audit";
import { onNews } from "../../core/hearing";
import { isObject, readable, type JsonObject } from "../../core/json";
import { counted } from "../../core/text";
import { warn } from "../../core/warn";
import { ask, reader } from "../../core/wire/reading";
import { clearLog } from "../clearLog";
import type { Context } from "../context";
import { addButton, addDetails, showLongText, showText, showTime, whenOpened } from "../elements";
import { tell, tellFailure } from "../notice";
import { drawParameters } from "../parameters";
import { reverse } from "../reversing";
import { drawChangeDiff } from "./changeDiff";
import { PagedPane, type Face, type Pages } from "./pane";

function drawLogRow(list: HTMLElement, record: LogLine, context: Context): void {
	const details = list.createEl("details", { cls: `vault-bridge-log-row is-${toneOf(record)}` });
	const summary = details.createEl("summary");
	showTime(summary, record.timestamp);
	showText(summary.createSpan({ cls: "vault-bridge-log-sentence" }), record.sentence);
	whenOpened(details, () => { drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), record, context); });
}

function drawDetail(el: HTMLElement, record: LogLine, context: Context): void {
	for (const decision of record.decisions) showText(el.createDiv({ cls: "vault-bridge-faint" }), decision);
	const files = filesOf(record);
	const { executionId } = record;
	if (executionId !== null && files.length > 0) {
		drawChangeDiff(el.createDiv(), context.history, executionId);
		addButton(el, "Undo…", () => { reverse(context, "undo", executionId); }, "vault-bridge-undo");
	}
	const parameters = record.whole["parameters"];
	if (isObject(parameters) && Object.keys(parameters).length > 0) drawParameters(el.createDiv(), parameters);
	if (files.length > 0) drawChecksums(el, files);
	const record_ = addDetails(el, "The record in the log", "vault-bridge-log-record");
	const { sentence: _sentence, ...rest } = record.whole;
	showLongText(record_.createEl("pre", { cls: "vault-bridge-json", attr: { tabindex: "0" } }), JSON.stringify(rest, null, 2));
}

function drawChecksums(el: HTMLElement, files: ReturnType<typeof filesOf>): void {
	const table = el.createEl("table", { cls: "vault-bridge-checksums" });
	const head = table.createEl("tr");
	for (const name of ["File", "Change", "Checksum before", "Checksum after"]) head.createEl("th", { text: name, attr: { scope: "col" } });
	for (const file of files) {
		const row = table.createEl("tr");
		for (const [index, text] of [file.path, file.change, file.before ?? "—", file.after ?? "—"].entries()) {
			const cell = row.createEl("td");
			if (index > 1) cell.title = text;
			showText(index > 1 ? cell.createEl("code") : cell, index > 1 ? text.slice(0, 12) : text);
		}
	}
}

/** Hands a file to the person, who says where it goes. The link belongs to no window, so it works from each of them. */
function saveFile(name: string, content: string, type: string): void {
	const url = URL.createObjectURL(new Blob([content], { type }));
	createEl("a", { href: url, attr: { download: name } }).click();
	window.setTimeout(() => {
		URL.revokeObjectURL(url);
	}, 10_000);
}

export const LOG: Face = { type: "vault-bridge-log", title: "Tool log", icon: "scroll-text", command: ["view-tool-logs", "View tool logs"] };
const MOST_UNANSWERED = 5;

export class LogView extends PagedPane<LogFilter, LogLine> {
	protected override filter = NO_FILTER;
	protected override readonly pages: Pages = {
		cls: "vault-bridge-log",
		size: PAGE,
		news: "Show new lines",
		onChange: (listener) => onNews(this.context.connection, ["audit.appended", "tool.finished", "consent.resolved"], listener),
	};
	private toolSelect: DropdownComponent | null = null;
	private clientSelect: DropdownComponent | null = null;
	private clearButton: ButtonComponent | null = null;
	private chainEl: HTMLElement | null = null;
	private unansweredEl: HTMLElement | null = null;

	protected override async fill(el: HTMLElement): Promise<void> {
		await super.fill(el);
		await this.showChain();
	}

	protected override drawToolbar(bar: HTMLElement, buttons: HTMLElement): void {
		const search = debounce((text: string) => { this.change({ text }); }, 250, true);
		new SearchComponent(bar).setPlaceholder("Search the log…").onChange(search);
		this.toolSelect = this.addSelect(bar, "Tool", { "": "Every tool" }, (tool) => { this.change({ tool }); });
		this.clientSelect = this.addSelect(bar, "Client", { "": "Every client" }, (client) => { this.change({ client }); });
		this.addSelect(bar, "Kind", KINDS, (kind) => { this.change({ kind }); });
		this.addSelect(bar, "Time", PERIODS, (value) => { this.change({ period: value in PERIODS ? (value as LogFilter["period"]) : "any" }); });
		const button = (text: string, act: () => void): ButtonComponent => new ButtonComponent(buttons).setButtonText(text).onClick(act);
		button("Activity", this.context.open.activity);
		button("Export JSON", () => { this.save("json").catch(tellFailure); });
		button("Export CSV", () => { this.save("csv").catch(tellFailure); });
		this.clearButton = button("Clear", () => { clearLog(this.context).catch(tellFailure).then(async () => { await this.refresh(false); await this.showChain(); }).catch(tellFailure); });
		this.unansweredEl = this.contentEl.createDiv({ attr: { role: "status" } });
		this.chainEl = this.contentEl.createDiv({ cls: "vault-bridge-chain" });
	}

	protected override refreshing(): void {
		this.clearButton?.buttonEl.toggle((this.context.settings.current?.extras.logBytes ?? null) !== null);
		void this.showUnanswered();
	}

	protected override async query(last: LogLine | null): Promise<LogLine[]> {
		return this.find(queryParams(this.filter, this.context.clock.now(), last && String(last.seq ?? last.timestamp)));
	}

	private async find(params: JsonObject): Promise<LogLine[]> {
		return readable(readLogLine)(await this.context.request("audit.query", params), "audit.query");
	}

	protected override timeOf({ timestamp }: LogLine): string {
		return timestamp;
	}

	protected override emptySentence(): string {
		return "Nothing here yet.";
	}

	protected override drawItem(list: HTMLElement, record: LogLine): void {
		this.addChoice(this.toolSelect, record.tool ?? "", record.tool ?? "");
		this.addChoice(this.clientSelect, record.client ?? "", record.client ?? "");
		drawLogRow(list, record, this.context);
	}

	/** Above everything else: what went wrong only because nobody looked. */
	private async showUnanswered(): Promise<void> {
		const el = this.unansweredEl;
		const { clock, device } = this.context;
		const missed = await this.find(unansweredParams(device.settings.logSeen, clock.now())).catch(warn);
		if (!el) return;
		el.empty();
		if (!missed?.length) return;
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
			device.change({ logSeen: new Date(clock.now()).toISOString() });
			el.empty();
		});
	}

	/** Whether the chain of the log is whole, as the bridge finds it. */
	private async showChain(): Promise<void> {
		const found = await ask(this.context.request, "audit.verify").catch(warn);
		this.chainEl?.empty();
		if (this.chainEl && found) showText(this.chainEl, chainText(found));
		this.chainEl?.toggleClass("is-broken", found?.whole === false);
	}

	/** Everything that fits the filter, as the bridge writes it. */
	private async save(format: "json" | "csv"): Promise<void> {
		const now = this.context.clock.now();
		const { text, records, truncated } = reader("AuditExport")(await this.context.request("audit.export", { format, ...filterParams(this.filter, now) }), "audit.export");
		saveFile(`tool-log-${new Date(now).toISOString().slice(0, 10)}.${format}`, text, format === "json" ? "application/json" : "text/csv");
		tell(truncated ? `The newest ${records} lines exported; there are too many for one file.` : `${records} lines exported.`);
	}
}
