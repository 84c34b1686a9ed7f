/** What happens, who asks for it, and with which tool: the top of the question. */

import { setIcon } from "obsidian";
import { NAMELESS } from "../../core/consent/asker";
import type { ConsentRequest } from "../../core/wire/consent";
import { riskBadge } from "../badges";
import { showLongText } from "../text";

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
export function drawAsker(who: HTMLElement, request: ConsentRequest): void {
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
