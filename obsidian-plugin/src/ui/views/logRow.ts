/** One action of the log as a sentence, and all that is known of it when opened. */

import { isObject } from "../../core/json";
import { filesOf, toneOf, type AuditRecord } from "../../core/wire/audit";
import type { ChangeDiff } from "../../core/wire/contract";
import { drawParameters } from "../parameters";
import { showLongText, showText } from "../text";
import { drawChangeDiff } from "./changeDiff";
import { showTime } from "./time";
import { addButton } from "../addButton";

export interface LogActions {
	/** Show what taking a change back does, and offer it. */
	undo: (executionId: string) => void;
	/** What a change did to each file. */
	diff: (executionId: string) => Promise<ChangeDiff>;
}

export function drawLogRow(list: HTMLElement, record: AuditRecord, actions: LogActions): void {
	const details = list.createEl("details", { cls: `vault-bridge-log-row is-${toneOf(record)}` });
	const summary = details.createEl("summary");
	showTime(summary, record.timestamp);
	showText(summary.createSpan({ cls: "vault-bridge-log-sentence" }), record.sentence);
	details.addEventListener("toggle", () => {
		if (details.open && details.childElementCount === 1) drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), record, actions);
	});
}

function drawDetail(el: HTMLElement, record: AuditRecord, actions: LogActions): void {
	for (const decision of record.decisions) showText(el.createDiv({ cls: "vault-bridge-faint" }), decision);
	const files = filesOf(record);
	const { executionId } = record;
	if (executionId !== null && files.length > 0) {
		drawChangeDiff(el.createDiv(), async () => actions.diff(executionId));
		addButton(el, "Undo…", () => {
			actions.undo(executionId);
		}, "vault-bridge-undo");
	}
	const parameters = record.whole["parameters"];
	if (isObject(parameters) && Object.keys(parameters).length > 0) drawParameters(el.createDiv(), parameters);
	if (files.length > 0) drawChecksums(el, files);
	const record_ = el.createEl("details", { cls: "vault-bridge-log-record" });
	record_.createEl("summary", { text: "The record in the log" });
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
