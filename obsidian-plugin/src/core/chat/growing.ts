/** Markdown that grows: which blocks are finished, and which is the one that may still change. */

import { parse, type Block } from "./markdown";

/** Characters of a block after which the rest of it is taken for another one: what is drawn again stays small. */
const MOST_OPEN = 4_000;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})[^\n]*\n/u;

export interface Grown {
	/** Blocks that are finished since the last look, in order. */
	finished: Block[];
	/** The block that may still change; null where there is none. */
	open: Block | null;
}

export class GrowingMarkdown {
	/** What belongs to no finished block. */
	private rest = "";

	/** Take more text. Nothing is parsed before `look`. */
	add(text: string): void {
		this.rest += text;
	}

	/** Parse what is not finished. A block is finished when another one follows it. */
	look(): Grown {
		const finished: Block[] = [];
		let placed = parse(this.rest);
		while (placed.length > 1 || this.rest.length > MOST_OPEN) {
			const last = placed.at(-1);
			if (placed.length > 1 && last) {
				finished.push(...placed.slice(0, -1).map(({ block }) => block));
				this.rest = this.rest.slice(last.from);
			} else {
				const [cut, next] = this.cut();
				finished.push(...parse(cut).map(({ block }) => block));
				this.rest = next;
			}
			placed = parse(this.rest);
		}
		return { finished, open: placed[0]?.block ?? null };
	}

	/** A block that has become too long, in two: after a line, or where there is none, a word. Code stays code. */
	private cut(): [string, string] {
		const most = this.rest.slice(0, MOST_OPEN);
		const fence = FENCE.exec(most)?.[0] ?? "";
		const line = most.lastIndexOf("\n");
		const at = line > fence.length ? line + 1 : most.lastIndexOf(" ") > MOST_OPEN / 2 ? most.lastIndexOf(" ") + 1 : wholeCharacters(most);
		return [most.slice(0, at), fence + this.rest.slice(at)];
	}
}

/** How much of a text can be taken so that no character is torn in two. */
function wholeCharacters(text: string): number {
	const code = text.charCodeAt(text.length - 1);
	return code >= 0xd800 && code <= 0xdbff ? text.length - 1 : text.length;
}
