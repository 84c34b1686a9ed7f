/** The inbox: what waits for the person, as a list, and a word when an agent has handed something in. */

import { debounce, Setting, type Notice } from "obsidian";
import { plain } from "../core/consent/asker";
import { handedInText, lineAbout, lineTitle } from "../core/drafts";
import { shorten } from "../core/text";
import type { InboxLine } from "../core/wire/contract";
import { notify } from "../platform/notification";
import type { Context, Opening } from "../ui/context";
import { addAction } from "../ui/controls";
import { addEmpty, keepFocus, released, showText } from "../ui/elements";
import { showNotice } from "../ui/notice";
import { openWindow } from "../ui/window";
import { Feature } from "./feature";

const MOST_ROWS = 100;
const LONGEST_ROW = 600;
/** Milliseconds in which news are taken together. */
const SETTLE = 300;
const LONGEST_NOTICE = 160;

function showInbox({ app, clock, inbox, open }: Context): void {
	openWindow(app, "Inbox", "small", (window) => {
		const { contentEl } = window;
		window.modalEl.addClass("vault-bridge-inbox");
		const draw = async (): Promise<void> => {
			await released(contentEl);
			const { all } = inbox;
			const giveBack = keepFocus(contentEl);
			contentEl.empty();
			if (!all?.length) addEmpty(contentEl, all ? "Nothing waits for you." : "The bridge is not connected, so its inbox is not known.");
			for (const line of all?.slice(0, MOST_ROWS) ?? []) {
				const row = new Setting(contentEl);
				showText(row.nameEl, shorten(lineTitle(line), LONGEST_ROW));
				showText(row.descEl, shorten(lineAbout(line, clock.now()), LONGEST_ROW));
				addAction(row, "Show", () => {
					window.close();
					show(line, open);
				});
			}
			const more = (all?.length ?? 0) - MOST_ROWS;
			if (more > 0) contentEl.createDiv({ cls: "vault-bridge-faint", text: `And ${more} more` });
			giveBack();
		};
		window.ends.push(inbox.changed.on(() => void draw()));
		void draw();
	});
}

function show({ kind, count, ids, questions }: InboxLine, open: Opening): void {
	const newest = ids.at(-1);
	if (kind === "changes" && newest !== undefined) open.change(newest);
	else if (questions[0] !== undefined) open.question(count === 1 ? questions[0] : null);
	else open.drafts();
}

export class Inbox extends Feature {
	private readonly told = new Set<string>();
	private notice: Notice | null = null;
	private endNotification = (): void => undefined;

	override onload(): void {
		const { connection, inbox, questions } = this.context;
		const refreshSoon = debounce(() => { inbox.catchUp(); }, SETTLE);
		this.command("open-inbox", "Open the inbox", () => { this.open(); });
		this.on(inbox.changed, () => { this.tell(); });
		this.register(inbox.follow(connection));
		this.hear({ "drafts.changed": refreshSoon, "versions.noticed": refreshSoon });
		this.on(questions.changed, () => { if (connection.connected) refreshSoon(); });
		this.register(() => { this.hide(); });
	}

	open(): void {
		this.hide();
		if (this.context.connection.connected) this.context.inbox.catchUp();
		showInbox(this.context);
	}

	/** Say what was handed in since it was last said; and take the word back when the person has decided. */
	private tell(): void {
		const { clock, device, inbox, presence } = this.context;
		const drafts = (inbox.all ?? []).filter((line) => line.kind === "draft");
		if (drafts.length === 0) this.hide();
		const news = drafts.filter(({ ids }) => ids.some((id) => !this.told.has(id)));
		for (const id of news.flatMap(({ ids }) => ids)) this.told.add(id);
		const text = handedInText(news, inbox.all?.length ?? 0, clock.now());
		if (text === null) return;
		this.hide();
		this.notice = showNotice(shorten(text, LONGEST_NOTICE), [{ label: "Show", act: () => { this.open(); } }], 0);
		if (presence.inFront || !device.settings.notify) return;
		this.endNotification = notify("Vault Bridge", plain(text, LONGEST_NOTICE), () => { this.open(); });
	}

	private hide(): void {
		this.notice?.hide();
		this.notice = null;
		this.endNotification();
	}
}
