/** One draft: whose, since when, its steps, and its files with their diffs. */

import { drafterOf, momentWords, stagedText, type Drafts } from "../../core/drafts";
import type { ConsentRequest } from "../../core/wire/consent";
import type { DraftInfo, DraftPreview } from "../../core/wire/contract";
import { drawFiles } from "../diff/fileList";
import { drawChevron } from "../diff/filePreview";
import { showLongText, showText } from "../text";
import { showTime } from "./time";
import { addButton } from "../addButton";

export interface DraftsSource {
	drafts: Drafts;
	now: () => number;
	/** The question whether to take a draft, while it is submitted and not answered. */
	question: (draft: DraftInfo) => ConsentRequest | null;
	/** Be told whenever such questions come or end. Returns how to be told no longer. */
	onQuestions: (changed: () => void) => () => void;
	/** Show a question, with all that can be answered. */
	answer: (question: ConsentRequest) => void;
	/** Discard a draft, when the person says so once more. */
	discard: (draft: DraftInfo) => void;
}

/** Steps that are listed; of more, the last ones. */
const MOST_STEPS = 200;

export class DraftCard {
	private readonly el: HTMLElement;
	private readonly aboutEl: HTMLElement;
	private readonly questionEl: HTMLElement;
	private readonly steps: HTMLDetailsElement;
	private readonly changes: HTMLDetailsElement;
	private readonly newerEl: HTMLElement;
	private readonly filesEl: HTMLElement;
	private endDrawing = (): void => undefined;
	private loading = 0;
	/** What the files were drawn of; null while they were not. */
	private drawn: DraftInfo | null = null;

	/** @param open - Whether its files are shown at once. */
	constructor(
		list: HTMLElement,
		private draft: DraftInfo,
		private readonly source: DraftsSource,
		open: boolean,
	) {
		this.el = list.createEl("section", { cls: "vault-bridge-draft", attr: { "aria-label": `Draft ${draft.draftId}` } });
		const head = this.el.createDiv({ cls: "vault-bridge-draft-head" });
		const about = head.createDiv({ cls: "vault-bridge-draft-about" });
		showText(about.createDiv({ cls: "vault-bridge-draft-client" }), drafterOf(draft));
		this.aboutEl = about.createDiv({ cls: "vault-bridge-faint", attr: { role: "status" } });
		addButton(head, "Discard…", () => { source.discard(this.draft); });
		this.questionEl = this.el.createDiv({ cls: "vault-bridge-draft-question", attr: { role: "status" } });
		this.steps = this.drawSection("Steps");
		this.changes = this.drawSection("Files");
		this.newerEl = this.changes.createDiv({ cls: "vault-bridge-note", attr: { role: "status" } });
		this.filesEl = this.changes.createDiv({ cls: "vault-bridge-draft-files" });
		this.newerEl.hide();
		this.newerEl.createSpan({ text: "The draft has changed since. " });
		addButton(this.newerEl, "Show it as it is now", () => { this.load(); }, "vault-bridge-link");
		this.steps.addEventListener("toggle", () => { this.drawSteps(); });
		this.changes.addEventListener("toggle", () => {
			if (this.changes.open && this.drawn === null) this.load();
		});
		this.changes.open = open;
		this.showState();
		this.showQuestion();
	}

	/** Whether it is submitted and waits for the person. */
	showQuestion(): void {
		const question = this.source.question(this.draft);
		this.questionEl.toggle(question !== null);
		if ((question !== null) === (this.questionEl.childElementCount > 0)) return;
		this.questionEl.empty();
		if (question === null) return;
		this.questionEl.createSpan({ text: "It is submitted: take it whole, in part or not at all, with a message to the agent." });
		this.questionEl.createEl("button", { cls: "mod-cta", text: "Answer…", type: "button" }).addEventListener("click", () => {
			const now = this.source.question(this.draft);
			if (now !== null) this.source.answer(now);
		});
	}

	/** It has changed. What the person reads is not taken from under their eyes. */
	update(draft: DraftInfo): void {
		if (draft.touched === this.draft.touched && draft.steps.length === this.draft.steps.length) return;
		this.draft = draft;
		this.showState();
	}

	end(): void {
		this.loading++;
		this.endDrawing();
		this.el.remove();
	}

	private drawSection(title: string): HTMLDetailsElement {
		const section = this.el.createEl("details", { cls: "vault-bridge-draft-section" });
		const summary = section.createEl("summary");
		drawChevron(summary);
		summary.createSpan({ text: title });
		return section;
	}

	private showState(): void {
		const { created, touched } = this.draft;
		const now = this.source.now();
		const last = this.draft.steps.length > 0 ? `, last at ${momentWords(touched, now)}` : "";
		this.aboutEl.setText(`Since ${momentWords(created, now)}. ${stagedText(this.draft)}${last}. Nothing of it is written.`);
		this.steps.toggle(this.draft.steps.length > 0);
		this.changes.toggle(this.draft.steps.length > 0);
		this.drawSteps();
		if (this.drawn === null && this.changes.open) this.load();
		else this.newerEl.toggle(this.drawn !== null && this.drawn !== this.draft);
	}

	private drawSteps(): void {
		this.steps.querySelector("ol")?.remove();
		if (!this.steps.open) return;
		const { steps } = this.draft;
		const start = Math.max(0, steps.length - MOST_STEPS);
		const list = this.steps.createEl("ol", { cls: "vault-bridge-draft-steps", attr: { start: String(start + 1) } });
		for (const step of steps.slice(start)) {
			const item = list.createEl("li");
			showLongText(item.createSpan({ cls: "vault-bridge-log-sentence" }), step.summary);
			const about = item.createSpan({ cls: "vault-bridge-faint" });
			about.appendText(" · ");
			showText(about, step.tool);
			about.appendText(" · ");
			showTime(about, step.time);
		}
	}

	/** Ask what taking the draft would do, and draw it in the place of what was drawn. */
	private load(): void {
		const { draft } = this;
		if (draft.steps.length === 0) return;
		const loading = ++this.loading;
		this.drawn = draft;
		this.newerEl.hide();
		this.source.drafts.preview(draft.draftId).then(
			(preview) => { if (loading === this.loading) this.show(preview); },
			(error: unknown) => {
				if (loading !== this.loading) return;
				this.clear();
				this.drawn = null;
				const problem = this.filesEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
				showText(problem, error instanceof Error ? error.message : String(error));
			},
		);
	}

	private show({ files, warnings, conflicts }: DraftPreview): void {
		this.clear();
		for (const { path, why } of conflicts) showLongText(this.filesEl.createDiv({ cls: "vault-bridge-note is-warning" }), `${path} ${why}`);
		for (const warning of warnings) showLongText(this.filesEl.createDiv({ cls: "vault-bridge-note is-warning" }), warning);
		if (files.length === 0) this.filesEl.createDiv({ cls: "vault-bridge-faint", text: "Nothing of it differs from the vault any more." });
		else this.endDrawing = drawFiles(this.filesEl, files, null);
	}

	private clear(): void {
		this.endDrawing();
		this.endDrawing = () => undefined;
		this.filesEl.empty();
	}
}
