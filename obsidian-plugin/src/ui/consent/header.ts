/** Who asks for what: the top of the question. */

import { setIcon } from "obsidian";
import type { ConsentRequest } from "../../core/wire/consent";
import { riskBadge } from "../badges";
import { showLongText } from "../text";

/** Characters of each sentence that are shown at first, so that long words do not push the change off the screen. */
const INTRODUCTION = 600;
/** The question whether a program may do more: it is about the program, and not asked by it. */
const WIDENING = "clients.allow";
const LUCIDE_NAME = /^[a-z0-9-]{1,60}$/;

export function drawTitle(titleEl: HTMLElement, request: ConsentRequest): void {
	titleEl.addClass("vault-bridge-title");
	setIcon(titleEl.createSpan({ cls: "vault-bridge-title-icon" }), LUCIDE_NAME.test(request.tool.icon) ? request.tool.icon : "wrench");
	showLongText(titleEl.createSpan({ cls: "vault-bridge-title-text" }), request.tool.title);
	riskBadge(titleEl, request.riskLevel);
}

/** The client's own words are set apart from the bridge's: a reason is a claim, the summary is a fact. */
export function drawIntroduction(container: HTMLElement, request: ConsentRequest, summaryId: string): void {
	const intro = container.createDiv({ cls: "vault-bridge-intro" });
	drawAsker(intro.createDiv({ cls: "vault-bridge-who" }), request);
	showLongText(intro.createDiv({ cls: "vault-bridge-summary", attr: { id: summaryId } }), request.summary, INTRODUCTION);
	if (request.reason) {
		const reason = intro.createDiv({ cls: "vault-bridge-reason" });
		reason.createSpan({ cls: "vault-bridge-faint", text: "Its reason: " });
		showLongText(reason.createSpan({ cls: "vault-bridge-quote" }), request.reason, INTRODUCTION);
	}
	if (request.tool.description && !request.brief) showLongText(intro.createDiv({ cls: "vault-bridge-faint" }), request.tool.description, INTRODUCTION);
}

/** The name that the person gave stands as a fact. What a program calls itself is a claim, and is marked as one. */
function drawAsker(who: HTMLElement, request: ConsentRequest): void {
	const { client, clientId, verified } = request;
	showLongText(who.createEl("strong"), verified ? client : "A program without a name of its own");
	const claim = request.callsItself ?? (clientId === "" && client !== "" ? client : null);
	if (claim !== null && !(verified && claim === client)) {
		who.appendText(", calls itself ");
		showLongText(who.createSpan({ cls: "vault-bridge-claim" }), `“${claim}”`);
		who.createSpan({ cls: "vault-bridge-badge is-none", text: "Not verified" });
	}
	who.appendText(request.tool.name === WIDENING ? " is to be allowed more:" : " wants to:");
}
