/** The inbox: what waits for the person, as a list, and a word when an agent has handed something in. */

import { Component, debounce, type Notice } from "obsidian";
import { plain } from "../core/consent/asker";
import { handedInText } from "../core/inbox";
import { Listing } from "../core/listing";
import type { InboxLine } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import { readInboxLine } from "../core/wire/readers";
import { notify } from "../platform/notification";
import { InboxModal } from "../ui/inboxModal";
import { showNotice } from "../ui/notice";
import type { Context } from "./context";
import { hear } from "./hearing";
import { shorten } from "../core/text/shorten";

/** Milliseconds in which news are taken together. */
const SETTLE = 300;
const LONGEST = 160;

export interface InboxActions {
	/** Show one question, or null: all of them. */
	question: (requestId: string | null) => void;
	drafts: () => void;
	change: (entryId: string) => void;
	/** Whether a window of the app has the focus. */
	inFront: () => boolean;
}

export class Inbox extends Component {
	readonly lines: Listing<InboxLine>;
	/** The drafts that the person was told of. */
	private readonly told = new Set<string>();
	private notice: Notice | null = null;
	private endNotification = (): void => undefined;
	private readonly refreshSoon = debounce(() => { this.lines.catchUp(); }, SETTLE);

	constructor(
		private readonly context: Context,
		private readonly actions: InboxActions,
	) {
		super();
		this.lines = new Listing(context.request, "inbox.list", readInboxLine);
	}

	override onload(): void {
		const { plugin, connection, questions } = this.context;
		plugin.addCommand({ id: "open-inbox", name: "Open the inbox", callback: () => { this.open(); } });
		this.register(this.lines.changed.on(() => { this.tell(); }));
		this.register(this.lines.follow(connection));
		this.register(hear(connection, this.handlers));
		this.register(questions.changed.on(() => { if (connection.connected) this.refreshSoon(); }));
		this.register(() => { this.hide(); });
	}

	open(): void {
		this.hide();
		if (this.context.connection.connected) this.lines.catchUp();
		new InboxModal(this.context.app, this.lines, () => this.context.clock.now(), (line) => { this.show(line); }).open();
	}

	private readonly handlers: EventHandlers = {
		"drafts.changed": () => { this.refreshSoon(); },
		"versions.noticed": () => { this.refreshSoon(); },
	};

	private show({ kind, count, ids, questions }: InboxLine): void {
		const newest = ids.at(-1);
		if (kind === "changes" && newest !== undefined) this.actions.change(newest);
		else if (questions[0] !== undefined) this.actions.question(count === 1 ? questions[0] : null);
		else this.actions.drafts();
	}

	/** Say what was handed in since it was last said; and take the word back when the person has decided. */
	private tell(): void {
		const { all } = this.lines;
		const drafts = (all ?? []).filter((line) => line.kind === "draft");
		if (drafts.length === 0) this.hide();
		const news = drafts.filter(({ ids }) => ids.some((id) => !this.told.has(id)));
		for (const id of news.flatMap(({ ids }) => ids)) this.told.add(id);
		const text = handedInText(news, all?.length ?? 0, this.context.clock.now());
		if (text === null) return;
		this.hide();
		this.notice = showNotice(shorten(text, LONGEST), [{ label: "Show", act: () => { this.open(); } }], 0);
		if (this.actions.inFront() || !this.context.device.settings.notify) return;
		this.endNotification = notify("Vault Bridge", plain(text, LONGEST), () => { this.open(); });
	}

	private hide(): void {
		this.notice?.hide();
		this.notice = null;
		this.endNotification();
	}
}
