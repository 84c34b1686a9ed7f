/** The audit log: its view, its command, export and clearing. */

import { Component, Notice } from "obsidian";
import { toCsv, toJson } from "../core/audit/export";
import { PAGE, queryParams, type LogFilter } from "../core/audit/filter";
import { isObject } from "../core/json";
import { METHOD_NOT_FOUND, RpcError } from "../core/rpc/messages";
import { messageOf } from "../core/settings/store";
import { inertPlain } from "../core/text/inert";
import { readAuditRecord, type AuditRecord } from "../core/wire/audit";
import { listIn } from "../core/wire/session";
import { confirm } from "../ui/confirmModal";
import { saveFile } from "../ui/saveFile";
import { LOG_VIEW, LogView } from "../ui/views/logView";
import type { Context } from "./context";
import { showView } from "./views";

const NEWS = ["audit.appended", "tool.finished", "consent.resolved"];
const MOST_EXPORTED = 100_000;

export class AuditLog extends Component {
	constructor(
		private readonly context: Context,
		private readonly showChange: (executionId: string) => void,
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
					showChange: this.showChange,
				}),
		);
		plugin.addCommand({ id: "view-tool-logs", name: "View tool logs", callback: () => { this.open(); } });
	}

	open(): void {
		void showView(this.context.app, LOG_VIEW);
	}

	private async query(filter: LogFilter, before: string | null): Promise<AuditRecord[]> {
		const params = queryParams(filter, this.context.clock.now(), before);
		return listIn(readAuditRecord, "records")(await this.context.request("audit.query", params), "audit.query");
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

	/** Whether the chain of the log is whole, where the bridge can tell. */
	private async chain(): Promise<{ ok: boolean; text: string } | null> {
		try {
			const answer = await this.context.request("audit.verify");
			if (!isObject(answer)) return null;
			const ok = answer["ok"] === true || answer["valid"] === true;
			const said = answer["message"] ?? answer["error"];
			return { ok, text: typeof said === "string" ? inertPlain(said) : ok ? "The log is whole: no line was changed or removed." : "The log was changed after it was written." };
		} catch (error) {
			if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return null;
			throw error;
		}
	}

	/** Everything that fits the filter, newest first. */
	private async save(form: "json" | "csv", filter: LogFilter): Promise<void> {
		try {
			const records: AuditRecord[] = [];
			for (let page: AuditRecord[] | null = null; page === null || (page.length === PAGE && records.length < MOST_EXPORTED); ) {
				page = await this.query(filter, records.at(-1)?.cursor ?? null);
				records.push(...page);
			}
			const day = new Date(this.context.clock.now()).toISOString().slice(0, 10);
			saveFile(`tool-log-${day}.${form}`, form === "json" ? toJson(records) : toCsv(records), form === "json" ? "application/json" : "text/csv");
			new Notice(`${records.length} lines exported.`);
		} catch (error) {
			new Notice(inertPlain(messageOf(error)));
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
			const missing = error instanceof RpcError && error.code === METHOD_NOT_FOUND;
			new Notice(missing ? "This bridge cannot clear its log." : inertPlain(messageOf(error)));
		}
	}
}
