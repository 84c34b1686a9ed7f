/** A call's parameters, as a table or as JSON. */

import { isObject, type JsonObject } from "../core/json";
import { showLongText, showText } from "./elements";

export function drawParameters(container: HTMLElement, parameters: JsonObject): void {
	const bar = container.createDiv({ cls: "vault-bridge-parameters-bar" });
	const body = container.createDiv();
	let asJson = false;
	const toggle = bar.createEl("button", { cls: "vault-bridge-link", type: "button" });
	const draw = (): void => {
		toggle.setText(asJson ? "Show as table" : "Show as JSON");
		body.empty();
		if (asJson) showLongText(body.createEl("pre", { cls: "vault-bridge-json", attr: { tabindex: "0" } }), JSON.stringify(parameters, null, 2));
		else drawTable(body, parameters);
	};
	toggle.addEventListener("click", () => {
		asJson = !asJson;
		draw();
	});
	draw();
}

function drawTable(body: HTMLElement, parameters: JsonObject): void {
	const table = body.createEl("table", { cls: "vault-bridge-parameters" });
	for (const [name, value] of Object.entries(parameters)) {
		const row = table.createEl("tr");
		showText(row.createEl("th", { attr: { scope: "row" } }), name);
		drawValue(row.createEl("td"), value);
	}
	if (Object.keys(parameters).length === 0) table.createEl("tr").createEl("td", { cls: "vault-bridge-faint", text: "No parameters" });
}

function drawValue(cell: HTMLElement, value: unknown): void {
	if (typeof value === "string") {
		showLongText(cell.createSpan({ cls: "vault-bridge-value is-string" }), value);
	} else if (Array.isArray(value) || isObject(value)) {
		showLongText(cell.createEl("pre", { cls: "vault-bridge-json", attr: { tabindex: "0" } }), JSON.stringify(value, null, 2));
	} else {
		cell.createSpan({ cls: `vault-bridge-value is-${value === null ? "null" : typeof value}`, text: String(value) });
	}
}
