/** Drafts of agents: how much is staged, in the status bar, and the pane in which a person looks into it. */

import { Component, debounce, Notice, setIcon } from "obsidian";
import { drafterOf, Drafts, draftingText, stagedText } from "../core/drafts";
import { messageOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text/sanitize";
import type { ConsentRequest } from "../core/wire/consent";
import type { DraftInfo } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import { confirm } from "../ui/confirmModal";
import { DRAFTS_VIEW, DraftsView } from "../ui/views/draftsView";
import type { Context } from "./context";
import { hear } from "./hearing";
import { showView } from "./views";

/** Milliseconds in which news are taken together. */
const SETTLE = 300;
const MOST_TEXT = 80;

export class Drafting extends Component {
	private readonly drafts: Drafts;
	private readonly refreshSoon = debounce(() => void this.refresh(), SETTLE);

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
		this.drawStatus(plugin.addStatusBarItem());
		this.register(hear(connection, this.handlers));
		this.register(connection.changed.on((state) => {
			if (state.kind === "connected") void this.refresh();
			else this.drafts.forget();
		}));
	}

	open(): void {
		void showView(this.context.app, DRAFTS_VIEW);
	}

	private readonly handlers: EventHandlers = {
		"drafts.changed": () => { this.refreshSoon(); },
	};

	private async refresh(): Promise<void> {
		try {
			await this.drafts.refresh();
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
	}

	private drawStatus(el: HTMLElement): void {
		el.addClasses(["mod-clickable", "vault-bridge-drafting"]);
		el.setAttrs({ role: "button", tabindex: "0" });
		this.registerDomEvent(el, "click", () => { this.open(); });
		this.registerDomEvent(el, "keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " ") return;
			event.preventDefault();
			this.open();
		});
		const draw = (): void => {
			const text = draftingText(this.drafts.all ?? []);
			el.toggle(text !== null);
			el.empty();
			if (text === null) return;
			const said = sanitizePlain(text);
			setIcon(el.createSpan({ cls: "status-bar-item-icon" }), "git-pull-request-draft");
			el.createSpan({ cls: "status-bar-item-segment", text: said.length > MOST_TEXT ? `${said.slice(0, MOST_TEXT)}…` : said });
			el.setAttrs({ "aria-label": `${said}. Nothing of it is written. Review drafts`, "data-tooltip-position": "top" });
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
			new Notice("The draft is discarded. Nothing of it was written.");
			await this.drafts.refresh();
		} catch (error) {
			new Notice(sanitizePlain(messageOf(error)));
		}
	}
}
