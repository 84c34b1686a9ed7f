/** Drafts of agents: how much is staged, in the status bar, and the pane in which a person looks into it. */

import { Component, debounce } from "obsidian";
import { drafterOf, Drafts, draftingText, stagedText } from "../core/drafts";
import { sanitizePlain } from "../core/text/sanitize";
import type { ConsentRequest } from "../core/wire/consent";
import type { DraftInfo } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import { confirm } from "../ui/confirmModal";
import { addStatusItem, drawStatusItem } from "../ui/statusItem";
import { DRAFTS_VIEW, DraftsView } from "../ui/views/draftsView";
import type { Context } from "./context";
import { hear } from "./hearing";
import { showView } from "./views";
import { tell, tellFailure } from "../ui/notice";
import { shorten } from "../core/text/shorten";

/** Milliseconds in which news are taken together. */
const SETTLE = 300;
const MOST_TEXT = 80;

export class Drafting extends Component {
	private readonly drafts: Drafts;
	private readonly refreshSoon = debounce(() => { this.drafts.catchUp(); }, SETTLE);

	constructor(
		private readonly context: Context,
		private readonly answer: (question: ConsentRequest) => void,
	) {
		super();
		this.drafts = new Drafts(context.request);
	}

	override onload(): void {
		const { plugin, connection } = this.context;
		plugin.registerView(
			DRAFTS_VIEW,
			(leaf) => new DraftsView(leaf, {
				drafts: this.drafts,
				now: () => this.context.clock.now(),
				question: ({ draftId }) => this.context.questions.all.find(({ request }) => request.draft === draftId)?.request ?? null,
				onQuestions: (changed) => this.context.questions.changed.on(changed),
				answer: this.answer,
				discard: (draft) => void this.discard(draft),
			}),
		);
		plugin.addCommand({ id: "review-drafts", name: "Review drafts", callback: () => { this.open(); } });
		this.drawStatus(addStatusItem(plugin, this, "vault-bridge-drafting", () => { this.open(); }));
		this.register(hear(connection, this.handlers));
		this.register(this.drafts.follow(connection));
	}

	open(): void {
		void showView(this.context.app, DRAFTS_VIEW);
	}

	private readonly handlers: EventHandlers = {
		"drafts.changed": () => { this.refreshSoon(); },
	};

	private drawStatus(el: HTMLElement): void {
		const draw = (): void => {
			const said = sanitizePlain(draftingText(this.drafts.all ?? []) ?? "");
			drawStatusItem(el, said === "" ? null : { icon: "git-pull-request-draft", text: shorten(said, MOST_TEXT), label: `${said}. Nothing of it is written. Review drafts` });
		};
		this.register(this.drafts.changed.on(draw));
		draw();
	}

	private async discard(draft: DraftInfo): Promise<void> {
		const sure = await confirm(this.context.app, {
			title: "Discard this draft?",
			text: `${drafterOf(draft)}: ${stagedText(draft)}. Nothing of it has been written. It cannot be brought back.`,
			action: "Discard",
		});
		if (!sure) return;
		try {
			await this.drafts.discard(draft.draftId);
			tell("The draft is discarded. Nothing of it was written.");
			await this.drafts.refresh();
		} catch (error) {
			tellFailure(error);
		}
	}
}
