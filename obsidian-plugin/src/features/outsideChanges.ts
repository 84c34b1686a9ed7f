/** Tells the person when another program has changed much at once. The bridge says when; here it is shown and answered. */

import type { Notice } from "obsidian";
import { outsideNoticeText } from "../core/history";
import { Latest } from "../core/overtaking";
import { warn } from "../core/warn";
import type { OutsideNotice } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import { showNotice, type NoticeAction } from "../ui/notice";
import { reverse } from "../ui/reversing";
import { Feature } from "./feature";

export class OutsideChanges extends Feature {
	private notice: Notice | null = null;
	private readonly latest = new Latest();

	override onload(): void {
		this.hear({ "versions.noticed": (told) => {
			this.latest.overtake();
			this.show(told);
		} });
		this.follow(() => { this.look("versions.notice"); }, () => {
			this.latest.overtake();
			this.hide();
		});
		this.register(() => { this.hide(); });
	}

	/** Show what the bridge has to say: also what came while nobody was connected. */
	private look(method: "versions.notice" | "versions.fine"): void {
		this.latest.of(ask(this.context.request, method), (told) => { this.show(told); }).catch(warn);
	}

	private show(told: OutsideNotice): void {
		this.hide();
		const [newest, ...others] = told.entries;
		if (newest === undefined) return;
		const actions: NoticeAction[] = [{ label: "Review", act: () => { this.context.open.change(newest); } }];
		// Each of several is taken back by itself, in the list.
		if (others.length === 0) actions.push({ label: "Undo…", act: () => { reverse(this.context, "undo", newest); } });
		actions.push({ label: "Fine", act: () => undefined });
		this.notice = showNotice(outsideNoticeText(told, this.context.clock.now()), actions, 0);
		// However it is put away, the person has seen it.
		this.notice.containerEl.addEventListener("click", () => { this.look("versions.fine"); });
	}

	private hide(): void {
		this.notice?.hide();
		this.notice = null;
	}
}
