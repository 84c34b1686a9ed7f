/** Where and for whom an answer for longer holds: what can be chosen, and what each of the answers then means. */

import { extentOf, isForLonger, reachesOf, whomOf, type Extent, type Whom } from "../../core/consent/extent";
import { DECISION_LABELS, extentSentence, reachLabel, whomLabel } from "../../core/consent/wording";
import { sanitizePlain } from "../../core/text/sanitize";
import type { ConsentRequest } from "../../core/wire/consent";
import type { Decision, Reach } from "../../core/wire/contract";
import { showText } from "../text";

export class ExtentChoice {
	private readonly longer: readonly Decision[];
	private readonly note: HTMLElement;
	private reach: Reach | null;
	private whom: Whom | undefined;

	/**
	 * @param container - Where the choices are drawn.
	 * @param below - Where it is drawn what the answers mean.
	 * @param changed - Called when the person has chosen something else.
	 */
	constructor(
		container: HTMLElement,
		below: HTMLElement,
		private readonly request: ConsentRequest,
		offered: readonly Decision[],
		changed: () => void,
	) {
		this.longer = offered.filter(isForLonger);
		const [reaches, whoms] = [reachesOf(request), whomOf(request)];
		this.reach = reaches[0] ?? null;
		this.whom = whoms[0];
		this.note = below.createDiv({ attr: { "aria-live": "polite" } });
		const row = container.createDiv({ cls: "vault-bridge-extent" });
		row.toggle(this.longer.length > 0 && (reaches.length > 1 || whoms.length > 1));
		row.createSpan({ text: "Answers for longer hold for" });
		const draw = (): void => {
			this.draw();
			changed();
		};
		if (this.longer.length > 0 && reaches.length > 1)
			drawSelect(row, "What an answer for longer holds for", reaches.map((one) => reachLabel(request, one)), (index) => { this.reach = reaches[index] ?? null; draw(); });
		if (whoms.length > 1)
			drawSelect(row, "Whom always and never hold for", whoms.map((one) => whomLabel(request, one)), (index) => { this.whom = whoms[index]; draw(); });
		this.draw();
	}

	/** How far an answer reaches. */
	of(decision: Decision): Extent {
		return extentOf(decision, this.reach, this.whom);
	}

	private draw(): void {
		this.note.empty();
		for (const decision of this.longer) {
			const line = this.note.createDiv();
			line.createSpan({ cls: "vault-bridge-scope-label", text: `${DECISION_LABELS[decision]}: ` });
			showText(line, extentSentence(this.request, decision, this.of(decision)));
		}
	}
}

function drawSelect(row: HTMLElement, label: string, options: readonly string[], choose: (index: number) => void): void {
	const select = row.createEl("select", { cls: "dropdown", attr: { "aria-label": label } });
	options.forEach((text, index) => select.createEl("option", { text: sanitizePlain(text), value: String(index) }));
	select.addEventListener("change", () => { choose(select.selectedIndex); });
}
