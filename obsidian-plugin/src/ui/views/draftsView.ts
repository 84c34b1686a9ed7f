/** The drafts of agents, each a card: whose, since when, its steps, and what taking it would do to each file. */

import { drafterOf, momentWords, stagedText } from "../../core/drafts";
import type { Emitter } from "../../core/emitter";
import { messageOf } from "../../core/settings/store";
import type { ConsentRequest, DraftInfo, DraftPreview } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import type { Context } from "../context";
import { drawFiles } from "../diff/fileList";
import { drawChevron } from "../diff/filePreview";
import { addButton, addProblem, addWarning, showLongText, showText, showTime } from "../elements";
import { tell, tellFailure } from "../notice";
import { confirm } from "../window";
import { CardsPane, type Face } from "./pane";

/** Steps that are listed; of more, the last ones. */
const MOST_STEPS = 200;

class DraftCard {
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
		private readonly context: Context,
		open: boolean,
	) {
		this.el = list.createEl("section", { cls: "vault-bridge-draft", attr: { "aria-label": `Draft ${draft.draftId}` } });
		const head = this.el.createDiv({ cls: "vault-bridge-draft-head" });
		const about = head.createDiv({ cls: "vault-bridge-draft-about" });
		showText(about.createDiv({ cls: "vault-bridge-draft-client" }), drafterOf(draft));
		this.aboutEl = about.createDiv({ cls: "vault-bridge-faint", attr: { role: "status" } });
		addButton(head, "Discard…", () => { this.discard().catch(tellFailure); });
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
		const { question } = this;
		this.questionEl.toggle(question !== null);
		if ((question !== null) === (this.questionEl.childElementCount > 0)) return;
		this.questionEl.empty();
		if (question === null) return;
		this.questionEl.createSpan({ text: "It is submitted: take it whole, in part or not at all, with a message to the agent." });
		addButton(this.questionEl, "Answer…", () => { if (this.question) this.context.open.question(this.question.requestId); }, "mod-cta");
	}

	/** The question whether to take it, while it is submitted and not answered. */
	private get question(): ConsentRequest | null {
		return this.context.questions.all.find(({ request }) => request.draft === this.draft.draftId)?.request ?? null;
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

	/** Discard it, when the person says so once more. */
	private async discard(): Promise<void> {
		const { app, drafts, request } = this.context;
		const text = `${drafterOf(this.draft)}: ${stagedText(this.draft)}. Nothing of it has been written. It cannot be brought back.`;
		if (!(await confirm(app, { title: "Discard this draft?", text, action: "Discard" }))) return;
		await request("drafts.discard", { draftId: this.draft.draftId });
		tell("The draft is discarded. Nothing of it was written.");
		await drafts.refresh();
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
		const now = this.context.clock.now();
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
		ask(this.context.request, "drafts.preview", { draftId: draft.draftId }).then(
			(preview) => { if (loading === this.loading) this.show(preview); },
			(error: unknown) => {
				if (loading !== this.loading) return;
				this.clear();
				this.drawn = null;
				addProblem(this.filesEl, messageOf(error));
			},
		);
	}

	private show({ files, warnings, conflicts }: DraftPreview): void {
		this.clear();
		for (const { path, why } of conflicts) addWarning(this.filesEl, `${path} ${why}`);
		for (const warning of warnings) addWarning(this.filesEl, warning);
		if (files.length === 0) this.filesEl.createDiv({ cls: "vault-bridge-faint", text: "Nothing of it differs from the vault any more." });
		else this.endDrawing = drawFiles(this.filesEl, files, null);
	}

	private clear(): void {
		this.endDrawing();
		this.endDrawing = () => undefined;
		this.filesEl.empty();
	}
}

export const DRAFTS: Face = { type: "vault-bridge-drafts", title: "Drafts of agents", icon: "git-pull-request-draft", command: ["review-drafts", "Review drafts"] };

export class DraftsView extends CardsPane {
	private readonly cards = new Map<string, DraftCard>();

	protected override get list(): Emitter<null> {
		return this.context.drafts.changed;
	}

	protected override fill(el: HTMLElement): void {
		super.fill(el);
		this.on(this.context.questions.changed, () => {
			for (const card of this.cards.values()) card.showQuestion();
		});
		this.register(() => {
			for (const card of this.cards.values()) card.end();
			this.cards.clear();
		});
	}

	/** What is open stays open: cards are made and removed, and those that stay are told what is new. */
	protected override draw(listEl: HTMLElement, emptyEl: HTMLElement): void {
		const { all } = this.context.drafts;
		emptyEl.toggle(all === null || all.length === 0);
		emptyEl.setText(all === null ? "The bridge is not connected, so its drafts are not known." : "No agent is drafting. What agents stage in drafts is shown here before you are asked about it.");
		const there = new Set((all ?? []).map((draft) => draft.draftId));
		for (const [draftId, card] of this.cards) {
			if (there.has(draftId)) continue;
			card.end();
			this.cards.delete(draftId);
		}
		for (const draft of all ?? []) {
			const card = this.cards.get(draft.draftId);
			if (card) card.update(draft);
			else this.cards.set(draft.draftId, new DraftCard(listEl, draft, this.context, there.size === 1));
		}
	}
}
