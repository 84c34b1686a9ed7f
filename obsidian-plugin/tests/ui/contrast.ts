/** The contrast of every text that the plugin draws, as it is rendered: colours, backgrounds and opacity all the way up. */

import type { Page } from "playwright-core";

/** Where the plugin draws. What stands around it is Obsidian's own. */
export const OURS = [".modal:not(.mod-settings)", ".vertical-tab-content", ".workspace-leaf-content", ".status-bar-item", ".notice", ".menu"];

/** WCAG 2.2 AA for text of any size. */
const LEAST = 4.5;

/** One line for each text that is too pale: the ratio, the two colours, the element and the text. */
export async function paleTexts(page: Page): Promise<string[]> {
	await page.evaluate(async () => { await Promise.all(document.getAnimations().map(async (one) => one.finished)); });
	return page.evaluate(measure, [OURS, LEAST] as const);
}

/** Runs in the page. */
function measure([roots, least]: readonly [readonly string[], number]): string[] {
	type Colour = [red: number, green: number, blue: number, alpha: number];
	const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	if (!pen) throw new Error("no canvas to read colours with");
	const known = new Map<string, Colour>();
	const found = new Set<string>();

	/** Any colour of CSS as it is drawn. */
	function colourOf(css: string): Colour {
		const before = known.get(css);
		if (before) return before;
		if (!pen) throw new Error("no canvas");
		pen.clearRect(0, 0, 1, 1);
		pen.fillStyle = css;
		pen.fillRect(0, 0, 1, 1);
		const [red = 0, green = 0, blue = 0, alpha = 0] = pen.getImageData(0, 0, 1, 1).data;
		const colour: Colour = [red, green, blue, alpha / 255];
		known.set(css, colour);
		return colour;
	}

	function over(top: Colour, below: Colour): Colour {
		const alpha = top[3] + below[3] * (1 - top[3]);
		if (alpha === 0) return [0, 0, 0, 0];
		const mix = (index: 0 | 1 | 2): number => (top[index] * top[3] + below[index] * below[3] * (1 - top[3])) / alpha;
		return [mix(0), mix(1), mix(2), alpha];
	}

	function luminance(colour: Colour): number {
		const linear = (value: number): number => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
		return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
	}

	/** The colours of a text and of what is behind it, drawn from the inside out: an element's opacity fades both. */
	function drawn(el: Element, text: Colour): [text: Colour, ground: Colour] {
		let ink = text;
		let ground: Colour = [0, 0, 0, 0];
		for (let at: Element | null = el; at; at = at.parentElement) {
			const style = getComputedStyle(at);
			if (style.backgroundImage !== "none") throw new Error(`${at.className} has a picture behind its text: its contrast cannot be told`);
			const own = colourOf(style.backgroundColor);
			ink = over(ink, own);
			ground = over(ground, own);
			const opacity = Number(style.opacity);
			ink = [ink[0], ink[1], ink[2], ink[3] * opacity];
			ground = [ground[0], ground[1], ground[2], ground[3] * opacity];
		}
		const paper: Colour = [255, 255, 255, 1];
		return [over(ink, paper), over(ground, paper)];
	}

	function check(el: Element, css: string, text: string): void {
		const [ink, ground] = drawn(el, colourOf(css)).map((colour) => luminance(colour)) as [number, number];
		const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
		if (ratio >= least) return;
		const [inkColour, groundColour] = drawn(el, colourOf(css)).map((colour) => colour.slice(0, 3).map((part) => Math.round(part)).join(" "));
		found.add(`${ratio.toFixed(2)} (${String(inkColour)} on ${String(groundColour)}) ${el.tagName.toLowerCase()}.${el.className} “${text.trim().slice(0, 40)}”`);
	}

	/** A control that cannot be used now need not be read now (WCAG 1.4.3). */
	const asleep = (el: Element): boolean => el.closest(":disabled, [aria-disabled='true']") !== null;

	for (const root of document.querySelectorAll(roots.join(", "))) {
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const el = walker.currentNode.parentElement;
			const text = walker.currentNode.textContent ?? "";
			if (!el || text.trim() === "" || asleep(el) || !el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
			check(el, getComputedStyle(el).color, text);
		}
		for (const field of root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>("input:not([type=checkbox]), textarea, select")) {
			if (asleep(field) || !field.checkVisibility({ visibilityProperty: true })) continue;
			const empty = field.value === "" && "placeholder" in field && field.placeholder !== "";
			check(field, getComputedStyle(field, empty ? "::placeholder" : null).color, empty && "placeholder" in field ? field.placeholder : field.value);
		}
	}
	return [...found].sort();
}
