/** An answer as it grows: pieces are taken at once, and drawn together with the next frame of the window. */

import { GrowingMarkdown } from "../../core/chat/growing";
import type { Block } from "../../core/chat/markdown";
import { drawBlock, redrawBlock, type Links } from "./blocks";

/** Characters that are parsed and drawn in one frame: more of them would hold the window up. */
const MOST_IN_FRAME = 2_000;

export class Answer {
	private readonly growing = new GrowingMarkdown();
	private open: { block: Block; el: HTMLElement } | null = null;
	/** What has come and is not drawn. */
	private waiting = "";
	private frame: number | null = null;

	/** @param drawn - Called when there is more of it on the screen. */
	constructor(
		private readonly el: HTMLElement,
		private readonly links: Links,
		private readonly drawn: () => void,
	) {}

	/** Take a piece. */
	add(text: string): void {
		this.waiting += text;
		this.next();
	}

	/** Draw all that has come, now. */
	draw(): void {
		this.end();
		// In the same portions: a long text costs as much as its parts, not the square of it.
		do this.show(); while (this.waiting !== "");
		this.drawn();
	}

	/** Draw no more. */
	end(): void {
		if (this.frame !== null) this.el.win.cancelAnimationFrame(this.frame);
		this.frame = null;
	}

	private next(): void {
		this.frame ??= this.el.win.requestAnimationFrame(() => {
			this.frame = null;
			this.show();
			this.drawn();
			if (this.waiting !== "") this.next();
		});
	}

	private show(): void {
		this.growing.add(this.waiting.slice(0, MOST_IN_FRAME));
		this.waiting = this.waiting.slice(MOST_IN_FRAME);
		const { finished, open } = this.growing.look();
		for (const block of finished) {
			this.showBlock(block);
			this.open = null;
		}
		if (open) this.showBlock(open);
	}

	private showBlock(block: Block): void {
		const el = this.open ? redrawBlock(this.open.el, this.open.block, block, this.links) : drawBlock(block, this.links);
		if (!this.open) this.el.append(el);
		this.open = { block, el };
	}
}
