/** A list that grows by pages, under a heading for each day. */

import { dayLabel } from "../../core/days";
import { showText } from "../text";
import { addButton } from "../addButton";

export interface Pages<T> {
	/** How many are asked for at once; fewer are the last page. */
	size: number;
	/** What comes after an item; rejects with a sentence for the person. */
	after: (last: T) => Promise<T[]>;
	timeOf: (item: T) => string;
	draw: (list: HTMLElement, item: T) => void;
	/** Called with each page before it is drawn. */
	arrived?: (items: readonly T[]) => void;
}

/** Draw a page, and a button for the next one where there may be more. */
export function drawPage<T>(list: HTMLElement, items: readonly T[], pages: Pages<T>, lastDay = ""): void {
	pages.arrived?.(items);
	let day = lastDay;
	for (const item of items) {
		const own = dayLabel(pages.timeOf(item), Date.now());
		if (own !== day) list.createDiv({ cls: "vault-bridge-day", text: own, attr: { role: "heading", "aria-level": "3" } });
		day = own;
		pages.draw(list, item);
	}
	const last = items.at(-1);
	if (last !== undefined && items.length >= pages.size) offerOlder(list, last, pages, day);
}

function offerOlder<T>(list: HTMLElement, last: T, pages: Pages<T>, day: string): void {
	const box = list.createDiv({ cls: "vault-bridge-older" });
	const button = addButton(box, "Show older", () => {
		button.disabled = true;
		pages.after(last).then(
			(older) => {
				box.remove();
				drawPage(list, older, pages, day);
			},
			(error: unknown) => {
				button.disabled = false;
				box.querySelector(".vault-bridge-problem")?.remove();
				const problem = box.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
				showText(problem, error instanceof Error ? error.message : String(error));
			},
		);
	});
}
