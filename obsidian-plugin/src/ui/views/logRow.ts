/** One line of the log, and all of it when opened. */

import { filesOf, type AuditRecord } from "../../core/wire/audit";
import { parseDiff } from "../../core/diff/parse";
import { drawDiff } from "../diff/diffView";
import { outcomeBadge } from "../badges";
import { drawParameters } from "../parameters";
import { isObject } from "../../core/json";
import { showLongText, showText } from "../text";
import { showTime } from "./time";

/** Shows a change and offers to take it back; null for what cannot be. */
export type ShowChange = (executionId: string) => void;

export function drawLogRow(list: HTMLElement, record: AuditRecord, showChange: ShowChange): void {
	const details = list.createEl("details", { cls: `vault-bridge-log-row is-${record.kind === "decision" ? "decision" : "execution"}` });
	const summary = details.createEl("summary");
	showTime(summary, record.timestamp);
	showText(summary.createSpan({ cls: "vault-bridge-log-tool" }), record.tool || record.kind);
	showText(summary.createSpan({ cls: "vault-bridge-log-client" }), record.client);
	showText(summary.createSpan({ cls: "vault-bridge-log-what" }), whatOf(record));
	outcomeBadge(summary, record.outcome);
	details.addEventListener("toggle", () => {
		if (details.open && details.childElementCount === 1) drawDetail(details.createDiv({ cls: "vault-bridge-log-detail" }), record, showChange);
	});
}

function drawDetail(el: HTMLElement, record: AuditRecord, showChange: ShowChange): void {
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
		el.createEl("button", { text: "Show change and undo", type: "button" }).addEventListener("click", () => {
			showChange(executionId);
		});
	}
	const result = record.whole["result"];
	if (isObject(result) && typeof result["diff"] === "string") {
		drawDiff(el.createDiv({ cls: "vault-bridge-file" }), parseDiff(result["diff"]), null);
	}
	const parameters = record.whole["parameters"];
	if (isObject(parameters) && Object.keys(parameters).length > 0) drawParameters(el.createDiv(), parameters);
	const rest = Object.fromEntries(Object.entries(record.whole).filter(([name]) => name !== "parameters" && name !== "files"));
	showLongText(el.createEl("pre", { cls: "vault-bridge-json" }), JSON.stringify(rest, null, 2));
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
