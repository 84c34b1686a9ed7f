/** One line of the log, and all of it when opened. */

import { filesOf, type AuditRecord } from "../../core/wire/audit";
import type { Hunk } from "../../core/diff/model";
import { drawDiff } from "../diff/diffView";
import { outcomeBadge } from "../badges";
import { drawParameters } from "../parameters";
import { isObject } from "../../core/json";
import { showLongText, showText } from "../text";
import { showTime } from "./time";

export interface LogActions {
	/** Show what taking a change back does, and offer it. */
	undo: (executionId: string) => void;
	/** What a change did to each file; null when that is no longer known. */
	changeOf: (executionId: string) => Promise<ChangedFile[] | null>;
}

export interface ChangedFile {
	path: string;
	hunks: Hunk[];
}

export function drawLogRow(list: HTMLElement, record: AuditRecord, actions: LogActions): void {
	const details = list.createEl("details", { cls: `vault-bridge-log-row is-${record.kind === "decision" ? "decision" : "execution"}` });
	const summary = details.createEl("summary");
	showTime(summary, record.timestamp);
	showText(summary.createSpan({ cls: "vault-bridge-log-tool" }), record.tool || record.kind);
	showText(summary.createSpan({ cls: "vault-bridge-log-client" }), record.client);
	showText(summary.createSpan({ cls: "vault-bridge-log-what" }), whatOf(record));
	outcomeBadge(summary, record.outcome);
	details.addEventListener("toggle", () => {
		if (details.open && details.childElementCount === 1) drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), record, actions);
	});
}

function drawDetail(el: HTMLElement, record: AuditRecord, actions: LogActions): void {
	const files = filesOf(record);
	if (files.length > 0) {
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
	const { executionId } = record;
	if (executionId !== null && files.length > 0) {
		void drawChange(el.createDiv(), executionId, actions);
	}
	const parameters = record.whole["parameters"];
	if (isObject(parameters) && Object.keys(parameters).length > 0) drawParameters(el.createDiv(), parameters);
	const rest = Object.fromEntries(Object.entries(record.whole).filter(([name]) => name !== "parameters" && name !== "files"));
	showLongText(el.createEl("pre", { cls: "vault-bridge-json" }), JSON.stringify(rest, null, 2));
}

/** The change itself comes from the history: the log holds no text of notes. What was undone already has nothing to show. */
async function drawChange(el: HTMLElement, executionId: string, actions: LogActions): Promise<void> {
	const files = await actions.changeOf(executionId);
	if (!files) return;
	for (const file of files) {
		const box = el.createDiv({ cls: "vault-bridge-file" });
		showText(box.createDiv({ cls: "vault-bridge-file-title" }), file.path);
		if (file.hunks.length > 0) drawDiff(box, file.hunks, null);
	}
	el.createEl("button", { cls: "vault-bridge-undo", text: "Undo…", type: "button" }).addEventListener("click", () => {
		actions.undo(executionId);
	});
}

/** What a line is about, in a few words: the reason of a decision, the error of a failure, the files of a change. */
function whatOf(record: AuditRecord): string {
	const { whole } = record;
	const files = filesOf(record);
	if (files.length > 0) return files.length === 1 ? (files[0]?.path ?? "") : `${files.length} files`;
	const result = isObject(whole["result"]) ? whole["result"] : {};
	const parameters = isObject(whole["parameters"]) ? whole["parameters"] : {};
	const changes = isObject(whole["changes"]) ? Object.keys(whole["changes"]).join(", ") : null;
	const said = [changes, whole["feedback"], whole["why"], result["error"], whole["message"], parameters["path"], parameters["pattern"], parameters["query"], parameters["url"]];
	const found = said.find((one): one is string => typeof one === "string" && one !== "");
	return (found ?? "").slice(0, 200);
}
