/** Denials given by key, with the notice that takes each back while it is not sent yet. */

import type { Notice } from "obsidian";
import { HeldDenials, type Batch, type Denial } from "../core/consent/heldDenials";
import type { Context } from "../ui/context";
import { showNotice } from "../ui/notice";
import type { Answering } from "./answering";

const LONGEST = 120;

export class KeyDenials {
	readonly held: HeldDenials;
	private readonly notices = new Map<Batch, Notice>();

	/** @param reopened - Called before questions are open again because their denial was taken back. */
	constructor(
		private readonly context: Context,
		private readonly answering: Answering,
		private readonly reopened: (requestIds: readonly string[]) => void,
	) {
		this.held = new HeldDenials(context.clock, {
			connected: () => context.connection.connected,
			send: (denials) => { void this.send(denials); },
			over: (batch) => {
				this.notices.get(batch)?.hide();
				this.notices.delete(batch);
			},
		});
	}

	/** A denial by key may be a slip: for ten seconds it can be taken back, and only then it is sent. */
	hold(denials: readonly Denial[]): void {
		const batch = this.held.hold(denials);
		if (batch) {
			const text = denials.length === 1 ? `Denied: ${denials[0]?.request.summary.slice(0, LONGEST) ?? ""}` : `Denied ${denials.length} questions`;
			this.notices.set(batch, showNotice(text, [{ label: "Undo", act: () => { this.undo(batch); } }], 0));
		}
		this.context.questions.setDenied(idsOf(denials), true);
	}

	private undo(batch: Batch): void {
		if (!this.held.undo(batch)) return;
		const ids = idsOf(batch.denials);
		this.reopened(ids);
		this.context.questions.setDenied(ids, false);
	}

	private async send(denials: readonly Denial[]): Promise<void> {
		await this.answering.deny(denials);
		// What is still there could not be denied, and is a question again.
		this.context.questions.setDenied(idsOf(denials), false);
	}
}

function idsOf(denials: readonly Denial[]): string[] {
	return denials.map(({ request }) => request.requestId);
}
