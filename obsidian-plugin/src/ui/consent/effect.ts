/** What will happen: warnings, the diff or the exact request, parameters, and where the old bytes are kept. */

import type { ConsentRequest } from "../../core/wire/consent";
import type { PlaceChoice } from "../../core/wire/contract";
import { drawFiles, type FileOffer } from "../diff/fileList";
import { drawParameters } from "../parameters";
import { showLongText } from "../text";
import { drawPlaces } from "./review";

/** @returns A function that ends drawing that still goes on. */
export function drawEffect(container: HTMLElement, request: ConsentRequest, offer: FileOffer | null, resolve: ((choice: PlaceChoice) => Promise<string | null>) | null = null): () => void {
	const { preview } = request;
	if (preview && resolve) drawPlaces(container, preview.conflicts, resolve);
	const warnings = preview?.warnings ?? [];
	for (const warning of warnings) showLongText(container.createDiv({ cls: "vault-bridge-note is-warning" }), warning);
	// The bridge says how many where it knows; then this adds nothing.
	if (request.scope?.hasBacklinks && !warnings.some((warning) => /\blinks?\b/.test(warning))) container.createDiv({ cls: "vault-bridge-note is-warning", text: "Other notes link to this." });
	if (!preview && request.targets.length > 0) drawTargets(container, request.targets);
	const end = preview && preview.files.length > 0 ? drawFiles(container, preview.files, offer) : () => undefined;
	if (preview?.request) {
		const label = request.operation === "execute" ? "The exact command" : "The exact request";
		container.createDiv({ cls: "vault-bridge-label", text: label });
		showLongText(container.createEl("pre", { cls: "vault-bridge-request", attr: { tabindex: "0", role: "group", "aria-label": label } }), preview.request);
	}
	const shown = preview !== null && (preview.files.length > 0 || preview.request !== null);
	if (!request.brief || !shown) drawParameterSection(container, request, !shown);
	if (preview?.backup) {
		const backup = container.createDiv({ cls: "vault-bridge-backup" });
		backup.appendText("What is there now is kept in ");
		showLongText(backup.createEl("code"), preview.backup);
	}
	return end;
}

function drawTargets(container: HTMLElement, targets: readonly string[]): void {
	const list = container.createDiv({ cls: "vault-bridge-targets" });
	for (const target of targets.slice(0, 50)) {
		if (target === "" || target === "/") list.createEl("strong", { text: "The whole vault" });
		else showLongText(list.createEl("code"), target);
	}
	if (targets.length > 50) list.createSpan({ text: `and ${targets.length - 50} more` });
}

function drawParameterSection(container: HTMLElement, request: ConsentRequest, open: boolean): void {
	const details = container.createEl("details", { cls: "vault-bridge-details" });
	details.createEl("summary", { text: "Parameters" });
	if (request.tool.description && !request.brief) showLongText(details.createDiv({ cls: "vault-bridge-faint" }), request.tool.description);
	let drawn = false;
	const draw = (): void => {
		if (!details.open || drawn) return;
		drawn = true;
		drawParameters(details.createDiv(), request.parameters);
	};
	details.open = open;
	draw();
	details.addEventListener("toggle", draw);
}
