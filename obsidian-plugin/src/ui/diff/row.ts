/** One line of a diff. */

import { segmentsOf } from "../../core/diff/display";
import type { Row, Span } from "../../core/diff/model";
import { showLongText, showText } from "../text";

export interface RowStyle {
	keepReturn: boolean;
	marksOf: (row: Row) => readonly Span[];
}

const SIGNS: Readonly<Record<Row["kind"], string>> = { context: " ", added: "+", removed: "−", note: " " };
const LONG = 2_000;

export function drawRow(chunk: HTMLElement, row: Row, style: RowStyle): void {
	const line = chunk.createDiv({ cls: `vault-bridge-row is-${row.kind}` });
	if (row.kind === "note") {
		showText(line.createSpan({ cls: "vault-bridge-line" }), row.text);
		return;
	}
	line.createSpan({ cls: "vault-bridge-number", text: row.old === null ? "" : String(row.old), attr: { "aria-hidden": "true" } });
	line.createSpan({ cls: "vault-bridge-number", text: row.new === null ? "" : String(row.new), attr: { "aria-hidden": "true" } });
	line.createSpan({ cls: "vault-bridge-sign", text: SIGNS[row.kind] });
	const text = line.createSpan({ cls: "vault-bridge-line" });
	if (row.text.length > LONG) {
		showLongText(text, row.text);
		return;
	}
	for (const segment of segmentsOf(row, style.marksOf(row), style.keepReturn)) {
		const place = segment.changed ? text.createSpan({ cls: "vault-bridge-changed" }) : text;
		if (segment.trailing) place.createSpan({ cls: "vault-bridge-escape", text: "·".repeat(segment.text.length), title: "blanks at the end of the line" });
		else showText(place, segment.text);
	}
}
