/** A box by which a person takes or leaves a part of a change: a hunk, a file, or files that belong together. */

import type { Part, Selection } from "../../core/diff/selection";

/**
 * Draw the box. It shows what is wanted of its parts, whichever box that was said with.
 *
 * @param body - What looks left out when none of them is wanted.
 */
export function drawPartBox(place: HTMLElement, body: HTMLElement, parts: readonly Part[], selection: Selection): HTMLInputElement {
	const box = place.createEl("input", { type: "checkbox" });
	const show = (): void => {
		const wanted = parts.filter((part) => selection.has(part)).length;
		box.checked = wanted === parts.length;
		box.indeterminate = wanted > 0 && wanted < parts.length;
		body.toggleClass("is-left-out", wanted === 0);
	};
	show();
	box.addEventListener("change", () => { selection.set(parts, box.checked); });
	selection.changed.on(show);
	return box;
}
