/** Tells the person when another program has changed much at once. The bridge says when; here it is shown and answered. */

import { Component, type Notice } from "obsidian";
import { outsideNoticeText } from "../core/outsideNotice";
import type { OutsideNotice } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import { readOutsideNotice } from "../core/wire/readers";
import { showNotice, type NoticeAction } from "../ui/notice";
import type { Context } from "./context";
import { hear } from "./hearing";

export interface OutsideActions {
	/** Open the list of changes at one of them, with what it did. */
	review: (entryId: string) => void;
	/** Show what taking one back does, and do it when the person says so. */
	undo: (entryId: string) => void;
}

export class OutsideChanges extends Component {
	private notice: Notice | null = null;

	constructor(
		private readonly context: Context,
		private readonly actions: OutsideActions,
	) {
		super();
	}

	override onload(): void {
		const { connection } = this.context;
		this.register(hear(connection, this.handlers));
		this.register(connection.changed.on((state) => {
			if (state.kind === "connected") void this.ask("versions.notice");
			else this.hide();
		}));
		this.register(() => { this.hide(); });
	}

	private readonly handlers: EventHandlers = {
		"versions.noticed": (told) => { this.show(told); },
	};

	/** Show what the bridge has to say: also what came while nobody was connected. */
	private async ask(method: "versions.notice" | "versions.fine"): Promise<void> {
		try {
			this.show(readOutsideNotice(await this.context.request(method), method));
		} catch (error) {
			console.warn("Vault Bridge:", error);
		}
	}

	private show(told: OutsideNotice): void {
		this.hide();
		const [newest, ...others] = told.entries;
		if (newest === undefined) return;
		const { review, undo } = this.actions;
		const actions: NoticeAction[] = [{ label: "Review", act: () => { review(newest); } }];
		// Each of several is taken back by itself, in the list.
		if (others.length === 0) actions.push({ label: "Undo…", act: () => { undo(newest); } });
		actions.push({ label: "Fine", act: () => undefined });
		this.notice = showNotice(outsideNoticeText(told, this.context.clock.now()), actions, 0);
		// However it is put away, the person has seen it.
		this.notice.containerEl.addEventListener("click", () => void this.ask("versions.fine"));
	}

	private hide(): void {
		this.notice?.hide();
		this.notice = null;
	}
}
