/** Who asks for what: the top of the question. */

import { setIcon } from "obsidian";
import type { ConsentRequest } from "../../core/wire/consent";
import { riskBadge } from "../badges";
import { showLongText } from "../text";

/** Characters of each sentence that are shown at first, so that long words do not push the change off the screen. */
const INTRODUCTION = 600;
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
	const who = intro.createDiv({ cls: "vault-bridge-who" });
	showLongText(who.createEl("strong"), request.client || "A client without a name");
	who.appendText(" wants to:");
	showLongText(intro.createDiv({ cls: "vault-bridge-summary", attr: { id: summaryId } }), request.summary, INTRODUCTION);
	if (request.reason) {
		const reason = intro.createDiv({ cls: "vault-bridge-reason" });
		reason.createSpan({ cls: "vault-bridge-faint", text: "Its reason: " });
		showLongText(reason.createSpan({ cls: "vault-bridge-quote" }), request.reason, INTRODUCTION);
	}
	if (request.tool.description && !request.brief) showLongText(intro.createDiv({ cls: "vault-bridge-faint" }), request.tool.description, INTRODUCTION);
}
