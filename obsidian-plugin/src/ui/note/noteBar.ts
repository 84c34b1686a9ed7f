/** The bar above a note: who wants to change it, the answers for once, and the way to the window; afterwards, the way back. */

import type { EditorView, PanelConstructor, ViewUpdate } from "@codemirror/view";
import { askerOf } from "../../core/consent/asker";
import { isWhole, whyNotWhole } from "../../core/consent/inNote";
import { allows } from "../../core/consent/options";
import { denialHolds, ONCE } from "../../core/consent/wording";
import type { ConsentRequest, FilePreview } from "../../core/wire/contract";
import { Guard } from "../consent/guard";
import type { Context } from "../context";
import { drawPartBox } from "../diff/diffView";
import { addButton, riskBadge, showLongText } from "../elements";
import { noteField } from "./noteField";

export type AnswerOnce = (request: ConsentRequest, decision: "allow_once" | "deny_once", byKey: boolean) => void;

const LONGEST = 300;
const LOST = "The connection to the bridge is lost.";
const OTHER_TEXT = "This note holds other text than the question was made of, so the change is not shown here.";
const HIDDEN = "A part of the change is where lines are folded, or drawn as something else, such as a table. Open the question to see it.";

/** Draw who asks, and what: the same in an editor and in a note that is open for reading. Returns what says how many others there are. */
export function drawNoteQuestion(el: HTMLElement, request: ConsentRequest): (others: number) => void {
	const head = el.createDiv({ cls: "vault-bridge-note-bar-head" });
	riskBadge(head, request.riskLevel);
	showLongText(head.createSpan(), `${askerOf(request)}: ${request.summary}`, LONGEST);
	const more = head.createSpan({ cls: "vault-bridge-faint" });
	for (const warning of request.preview?.warnings ?? []) showLongText(el.createDiv({ cls: "vault-bridge-note is-warning" }), warning, LONGEST);
	return (others) => { more.setText(others > 0 ? `and ${others} more about this note` : ""); };
}

export function createBar(): HTMLElement {
	return createDiv({ cls: "vault-bridge-note-bar", attr: { role: "region", "aria-label": "Question about this note" } });
}

export function questionBar(request: ConsentRequest, file: FilePreview, context: Context, give: AnswerOnce): PanelConstructor {
	return (view) => {
		const dom = createBar();
		const bar = new QuestionBar(view, dom, request, file, context, give);
		return { dom, top: true, mount: () => { bar.begin(); }, update: (update) => { bar.update(update); }, destroy: () => { bar.end(); } };
	};
}

class QuestionBar {
	private readonly guard: Guard;
	private readonly status: HTMLElement;
	private readonly allow: HTMLButtonElement | null;
	private readonly deny: HTMLButtonElement | null;
	private readonly showOthers: (others: number) => void;
	private isHidden = false;
	private stopWatching: () => void = () => undefined;

	constructor(
		private readonly view: EditorView,
		private readonly dom: HTMLElement,
		private readonly request: ConsentRequest,
		private readonly file: FilePreview,
		{ clock, open }: Context,
		give: AnswerOnce,
	) {
		this.guard = new Guard(clock, () => { this.show(); });
		this.showOthers = drawNoteQuestion(dom, request);
		this.drawParts();
		this.status = dom.createDiv({ cls: "vault-bridge-faint", attr: { role: "status" } });
		const buttons = dom.createDiv({ cls: "vault-bridge-note-bar-buttons" });
		addButton(buttons, "Open the question", () => { open.question(request.requestId); });
		const answer = (decision: keyof typeof ONCE): HTMLButtonElement | null => {
			if (!request.choices.includes(decision)) return null;
			const button = buttons.createEl("button", { cls: `vault-bridge-answer is-${decision}`, text: allows(decision) ? ONCE[decision] : `${ONCE[decision]}${denialHolds(request.options)}`, type: "button" });
			this.guard.press(button, allows(decision) ? "allow" : "deny", (byKey) => {
				if (button.getAttr("aria-disabled") !== "true") give(request, decision, byKey);
			});
			return button;
		};
		this.deny = answer("deny_once");
		this.allow = isWhole(request) ? answer("allow_once") : null;
	}

	begin(): void {
		this.stopWatching = this.guard.watch(this.dom, this.dom);
		this.guard.rearm();
		this.look();
	}

	end(): void {
		this.stopWatching();
	}

	update(update: ViewUpdate): void {
		const [before, now] = [update.startState.field(noteField), update.state.field(noteField)];
		if (before.shown?.left !== now.shown?.left) this.guard.rearm();
		if (before !== now) this.show();
		if (before !== now || update.viewportChanged || update.geometryChanged) this.look();
	}

	/** A box for each part: the buttons in the text are not reached by key. */
	private drawParts(): void {
		const { shown } = this.view.state.field(noteField);
		const parts = shown?.selection?.of(this.file.path) ?? [];
		if (!shown?.selection || parts.length < 2 || !isWhole(this.request)) return;
		const list = this.dom.createDiv({ cls: "vault-bridge-note-bar-parts", attr: { role: "group", "aria-label": "Changes" } });
		for (const part of parts) {
			const label = list.createEl("label");
			drawPartBox(label, label, [part], shown.selection);
			label.appendText(`Change ${(part.hunk ?? 0) + 1}`);
		}
	}

	/** What is in the part of the text that is drawn, and yet cannot be seen, is under something that the editor draws there. */
	private look(): void {
		this.view.requestMeasure({
			key: this,
			read: ({ state, viewport, contentDOM }) => {
				const { shown, places } = state.field(noteField);
				return (places ?? []).some(({ hunk, removed, added, after }, index) => {
					const from = state.doc.line(Math.max(1, removed[0]?.old ?? after)).from;
					if (from < viewport.from || state.doc.line(Math.max(1, after)).to > viewport.to || shown?.left.includes(hunk)) return false;
					const seen = contentDOM.querySelectorAll(`[data-place="${index}"]`).length;
					return seen < (added.length > 0 ? 1 : 0) + (removed.length > 0 && !this.isAllInOne(index) ? removed.length : 0);
				});
			},
			write: (hidden) => {
				if (hidden === this.isHidden) return;
				this.isHidden = hidden;
				this.show();
			},
		});
	}

	/** Whether what goes is drawn with what comes. */
	private isAllInOne(index: number): boolean {
		return this.view.contentDOM.querySelector(`.vault-bridge-note-lines[data-place="${index}"] .is-removed`) !== null;
	}

	private show(): void {
		const { shown, places } = this.view.state.field(noteField);
		if (!shown) return;
		const { lost, selection } = shown;
		this.showOthers(shown.more);
		const differs = shown.base !== null && !places && this.file.change === "modify";
		const why = lost ? LOST : (whyNotWhole(this.file, this.request) ?? (differs ? OTHER_TEXT : this.isHidden ? HIDDEN : null));
		if (this.status.textContent !== (why ?? "")) this.status.setText(why ?? "");
		const [wanted, total] = [selection?.wanted ?? 1, selection?.total ?? 1];
		this.allow?.setText(wanted < total ? `Allow ${wanted} of ${total}` : ONCE.allow_once);
		const ready = !lost && places !== null && !this.isHidden && wanted > 0 && this.guard.armed;
		this.allow?.setAttr("aria-disabled", !ready);
		this.allow?.toggleClass("mod-cta", ready);
		this.deny?.setAttr("aria-disabled", lost);
	}
}

/** What is above a note after its change: who made it, and how it is taken back. */
export function doneBar(request: ConsentRequest, undo: () => void): PanelConstructor {
	return () => {
		const dom = createDiv({ cls: "vault-bridge-note-bar is-done", attr: { role: "region", "aria-label": "Change of this note" } });
		showLongText(dom.createSpan(), `Changed by ${askerOf(request)}. The lines are marked until the next edit.`, LONGEST);
		addButton(dom, "Undo", undo);
		return { dom, top: true };
	};
}
