/** The lower edge of what scrolls: it says that there is more, where there is. */

import { setIcon } from "obsidian";

/** Pixels that do not count as more. */
const NOTHING = 8;

/**
 * Draw the edge over the lower end of a scrolling element.
 *
 * @param scroller - What scrolls.
 * @param content - What is in it; when it grows, there may be more.
 * @returns A function that ends watching.
 */
export function drawMoreBelow(container: HTMLElement, scroller: HTMLElement, content: HTMLElement): () => void {
	const edge = container.createDiv({ cls: "vault-bridge-edge" });
	const button = edge.createEl("button", { type: "button", attr: { tabindex: "-1" } });
	setIcon(button.createSpan({ cls: "vault-bridge-edge-icon" }), "chevron-down");
	button.appendText("More below");
	button.addEventListener("click", () => { scroller.scrollBy({ top: scroller.clientHeight * 0.9 }); });
	const draw = (): void => { edge.toggle(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop > NOTHING); };
	scroller.addEventListener("scroll", draw, { passive: true });
	const observer = new ResizeObserver(draw);
	for (const el of [scroller, content]) observer.observe(el);
	draw();
	return () => { observer.disconnect(); };
}
