/** What a question says: what happens, who asks for it and with which tool; and the diff or the exact request. */

import { setIcon } from "obsidian";
import { NAMELESS } from "../../core/consent/asker";
import type { ConsentRequest, PlaceChoice } from "../../core/wire/contract";
import { drawFiles, type FileOffer } from "../diff/fileList";
import { addDetails, addLines, addWarning, riskBadge, showLongText, whenOpened } from "../elements";
import { drawParameters } from "../parameters";
import { drawPlaces } from "./review";

/** Characters of each sentence that are shown at first, so that long words do not push the change off the screen. */
const INTRODUCTION = 600;
const LONGEST_REASONS = 200;
/** The question whether a program may do more: it is about the program, and not asked by it. */
const WIDENING = "clients.allow";
const LUCIDE_NAME = /^[a-z0-9-]{1,60}$/;

/** The tool and how dangerous this use of it is: small, for what happens is what counts. */
export function drawTool(container: HTMLElement, request: ConsentRequest): void {
	const { tool, riskLevel, riskReasons } = request;
	setIcon(container.createSpan({ cls: "vault-bridge-tool-icon" }), LUCIDE_NAME.test(tool.icon) ? tool.icon : "wrench");
	showLongText(container.createSpan({ cls: "vault-bridge-tool-name" }), tool.title, LONGEST_REASONS);
	riskBadge(container, riskLevel);
	if (riskReasons.length > 0) showLongText(container.createSpan({ cls: "vault-bridge-risk-reasons" }), riskReasons.join(", "), LONGEST_REASONS);
}

export function drawSummary(container: HTMLElement, request: ConsentRequest, summaryId: string): void {
	drawAsker(container.createDiv({ cls: "vault-bridge-who" }), request);
	showLongText(container.createDiv({ cls: "vault-bridge-summary", attr: { id: summaryId } }), request.summary, INTRODUCTION);
}

/** The client's own words are set apart from the bridge's: a reason is a claim, the summary is a fact. */
export function drawBackground(container: HTMLElement, request: ConsentRequest): void {
	if (request.revised) container.createDiv({ cls: "vault-bridge-note", text: "You have changed this text. What you allow is what is shown here, and the agent learns what you changed in its lines." });
	if (request.reason) {
		const reason = container.createDiv({ cls: "vault-bridge-reason" });
		reason.createSpan({ cls: "vault-bridge-faint", text: "Its reason: " });
		showLongText(reason.createSpan({ cls: "vault-bridge-quote" }), request.reason, INTRODUCTION);
	}
}

/** The name that the person gave stands as a fact. What a program calls itself is a claim, and is marked as one. */
function drawAsker(who: HTMLElement, request: ConsentRequest): void {
	const { client, clientId, verified } = request;
	showLongText(who.createEl("strong"), verified ? client : NAMELESS);
	const claim = request.callsItself ?? (clientId === "" && client !== "" ? client : null);
	if (claim !== null && !(verified && claim === client)) {
		who.appendText(", calls itself ");
		showLongText(who.createSpan({ cls: "vault-bridge-claim" }), `“${claim}”`);
		who.appendText(" (unverified)");
	}
	who.appendText(request.tool.name === WIDENING ? " is to be allowed more:" : " wants to:");
}

/** @returns A function that ends drawing that still goes on. */
export function drawEffect(container: HTMLElement, request: ConsentRequest, offer: FileOffer | null, resolve: ((choice: PlaceChoice) => Promise<string | null>) | null = null): () => void {
	const { preview } = request;
	if (preview && resolve) drawPlaces(container, preview.conflicts, resolve);
	const warnings = preview?.warnings ?? [];
	for (const warning of warnings) addWarning(container, warning);
	// The bridge says how many where it knows; then this adds nothing.
	if (request.scope?.hasBacklinks && !warnings.some((warning) => /\blinks?\b/.test(warning))) addWarning(container, "Other notes link to this.");
	if (!preview && request.targets.length > 0) drawTargets(container, request.targets);
	const end = preview && preview.files.length > 0 ? drawFiles(container, preview.files, offer) : () => undefined;
	if (preview?.request) {
		const label = request.operation === "execute" ? "The exact command" : "The exact request";
		container.createDiv({ cls: "vault-bridge-label", text: label });
		addLines(container, preview.request, label);
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
	const details = addDetails(container, "Parameters");
	if (request.tool.description && !request.brief) showLongText(details.createDiv({ cls: "vault-bridge-faint" }), request.tool.description);
	details.open = open;
	whenOpened(details, () => { drawParameters(details.createDiv(), request.parameters); });
}
