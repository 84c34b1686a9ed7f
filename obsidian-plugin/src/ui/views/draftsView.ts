/** The drafts of agents, each with its steps and with what taking it would do to each file. */

import type { WorkspaceLeaf } from "obsidian";
import { CardsView } from "./cardsView";
import { DraftCard, type DraftsSource } from "./draftCard";

export const DRAFTS_VIEW = "vault-bridge-drafts";

export class DraftsView extends CardsView {
	private readonly cards = new Map<string, DraftCard>();

	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: DraftsSource,
	) {
		super(leaf, DRAFTS_VIEW, "Drafts of agents", "git-pull-request-draft");
	}

	protected override follow(draw: () => void): void {
		this.register(this.source.drafts.changed.on(draw));
		this.register(this.source.onQuestions(() => {
			for (const card of this.cards.values()) card.showQuestion();
		}));
		this.register(() => {
			for (const card of this.cards.values()) card.end();
			this.cards.clear();
		});
	}

	/** What is open stays open: cards are made and removed, and those that stay are told what is new. */
	protected override draw(listEl: HTMLElement, emptyEl: HTMLElement): void {
		const { all } = this.source.drafts;
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
			else this.cards.set(draft.draftId, new DraftCard(listEl, draft, this.source, there.size === 1));
		}
	}
}
