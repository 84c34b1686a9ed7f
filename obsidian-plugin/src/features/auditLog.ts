/** The audit log: its view, its command, export and clearing. */

import { Component } from "obsidian";
import { readable } from "../core/json";
import { filterParams, queryParams, unansweredParams, type LogFilter } from "../core/audit/filter";
import { readAuditRecord, type AuditRecord } from "../core/wire/audit";
import { chainStatus, type ChainStatus } from "../core/wire/auditState";
import type { EventName } from "../core/wire/contract";
import { readAuditExport } from "../core/wire/readers";
import { confirm } from "../ui/confirmModal";
import { saveFile } from "../ui/saveFile";
import type { LogActions } from "../ui/views/logRow";
import { LOG_VIEW, LogView, type LogSource } from "../ui/views/logView";
import type { Context } from "./context";
import { showView } from "./views";
import { tell, tellFailure } from "../ui/notice";

const NEWS: readonly string[] = ["audit.appended", "tool.finished", "consent.resolved"] satisfies EventName[];

export class AuditLog extends Component {
	constructor(
		private readonly context: Context,
		private readonly actions: LogActions & Pick<LogSource, "activity">,
	) {
		super();
	}

	override onload(): void {
		const { plugin } = this.context;
		plugin.registerView(
			LOG_VIEW,
			(leaf) =>
				new LogView(leaf, {
					query: async (filter, before) => this.query(filter, before),
					onChange: (listener) => this.onChange(listener),
					chain: async () => this.chain(),
					save: async (form, filter) => this.save(form, filter),
					canClear: () => (this.context.settings.current?.extras.logBytes ?? null) !== null,
					clear: async () => this.clear(),
					unanswered: async () => this.unanswered(),
					markSeen: () => { this.context.device.change({ logSeen: new Date(this.context.clock.now()).toISOString() }); },
					...this.actions,
				}),
		);
		plugin.addCommand({ id: "view-tool-logs", name: "View tool logs", callback: () => { this.open(); } });
	}

	open(): void {
		void showView(this.context.app, LOG_VIEW);
	}

	private async query(filter: LogFilter, before: string | null): Promise<AuditRecord[]> {
		const params = queryParams(filter, this.context.clock.now(), before);
		return readable(readAuditRecord)(await this.context.request("audit.query", params), "audit.query");
	}

	/** What was refused for want of an answer; nothing while there is no bridge to ask. */
	private async unanswered(): Promise<AuditRecord[]> {
		try {
			const params = unansweredParams(this.context.device.settings.logSeen, this.context.clock.now());
			return readable(readAuditRecord)(await this.context.request("audit.query", params), "audit.query");
		} catch (error) {
			console.warn("Vault Bridge:", error);
			return [];
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

	/** Whether the chain of the log is whole, as the bridge finds it; null while there is no bridge to ask. */
	private async chain(): Promise<ChainStatus | null> {
		try {
			return chainStatus(await this.context.request("audit.verify"));
		} catch (error) {
			console.warn("Vault Bridge:", error);
			return null;
		}
	}

	/** Everything that fits the filter, as the bridge writes it. */
	private async save(form: "json" | "csv", filter: LogFilter): Promise<void> {
		try {
			const now = this.context.clock.now();
			const params = { format: form, ...filterParams(filter, now) };
			const { text, records, truncated } = readAuditExport(await this.context.request("audit.export", params), "audit.export");
			const day = new Date(now).toISOString().slice(0, 10);
			saveFile(`tool-log-${day}.${form}`, text, form === "json" ? "application/json" : "text/csv");
			tell(truncated ? `The newest ${records} lines exported; there are too many for one file.` : `${records} lines exported.`);
		} catch (error) {
			tellFailure(error);
		}
	}

	private async clear(): Promise<void> {
		const sure = await confirm(this.context.app, {
			title: "Clear the audit log?",
			text: "What agents did in this vault can then no longer be looked up. Export it first if you may need it.",
			action: "Clear log",
		});
		if (!sure) return;
		try {
			await this.context.request("audit.clear");
		} catch (error) {
			tellFailure(error);
		}
	}
}
