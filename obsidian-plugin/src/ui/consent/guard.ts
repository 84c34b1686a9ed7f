/** What a question's window knows of the person's attention, and what keys may do in it because of that. */

import type { Clock } from "../../core/clock";
import { Arming, effectOf, type Purpose } from "../../core/consent/keys";

const POINTING = ["mousedown", "click"] as const;

export class Guard {
	private readonly arming: Arming;
	private engaged = false;
	private touched = false;
	private cancel: () => void = () => undefined;

	/** @param changed - Called when a yes begins or ceases to count. */
	constructor(
		clock: Clock,
		private readonly changed: () => void,
	) {
		this.arming = new Arming(clock);
	}

	get armed(): boolean {
		return this.arming.armed;
	}

	/** Whether the person has done anything with the window: pointed, scrolled or pressed a key. */
	get isTouched(): boolean {
		return this.touched;
	}

	/** What is shown has changed: nothing counts for a moment. */
	rearm(): void {
		this.cancel();
		this.arming.restart();
		this.changed();
		this.cancel = this.arming.whenArmed(this.changed);
	}

	/** The person may have looked away meanwhile, so keys count again only after the pointer or Tab. */
	restart(): void {
		this.engaged = false;
		this.rearm();
	}

	/** A button whose keys and clicks go through the guard. `act` hears whether a key, and not the pointer, pressed it. */
	press(button: HTMLElement, purpose: Purpose, act: (byKey: boolean) => void): void {
		button.addEventListener("click", (event) => {
			// A click without a pointer has no count: a key made it, or a program that reads the screen aloud.
			act(event.detail === 0);
		});
		button.addEventListener("keydown", (event) => {
			const effect = effectOf(purpose, { key: event.key, repeat: event.repeat, mod: event.ctrlKey || event.metaKey }, { armed: this.armed, engaged: this.engaged });
			if (effect === "browser") return;
			event.preventDefault();
			if (effect === "press") act(true);
		});
	}

	/**
	 * Watch the window of a modal. A click beside the modal is no answer, and one that brings the window to the front is
	 * not meant for a button.
	 *
	 * @returns A function that ends it.
	 */
	watch(containerEl: HTMLElement, modalEl: HTMLElement): () => void {
		const ignoreOutside = (event: MouseEvent): void => {
			if (event.targetNode && modalEl.contains(event.targetNode)) {
				this.engaged = true;
				this.touched = true;
				return;
			}
			event.preventDefault();
			event.stopImmediatePropagation();
		};
		const touch = (): void => { this.touched = true; };
		const onKey = (event: KeyboardEvent): void => {
			touch();
			if (event.key === "Tab") this.engaged = true;
		};
		const onFront = (): void => { this.restart(); };
		const { win } = modalEl;
		for (const type of POINTING) containerEl.addEventListener(type, ignoreOutside, { capture: true });
		// The window hears of a key before Obsidian's own key scopes, which may keep it.
		win.addEventListener("keydown", onKey, { capture: true });
		win.addEventListener("focus", onFront);
		modalEl.addEventListener("wheel", touch, { passive: true });
		return () => {
			this.cancel();
			for (const type of POINTING) containerEl.removeEventListener(type, ignoreOutside, { capture: true });
			win.removeEventListener("keydown", onKey, { capture: true });
			win.removeEventListener("focus", onFront);
			modalEl.removeEventListener("wheel", touch);
		};
	}
}

/** Keeps the Tab key inside an element. Returns the function that ends it. */
export function trapFocus(el: HTMLElement): () => void {
	const keep = (event: KeyboardEvent): void => {
		if (event.key !== "Tab") return;
		const stops = el.findAll("button, input, select, textarea, summary, a[href], [tabindex='0']").filter((stop) => stop.isShown());
		const edge = event.shiftKey ? stops[0] : stops.at(-1);
		if (edge?.isActiveElement() || !el.contains(el.doc.activeElement)) {
			event.preventDefault();
			(event.shiftKey ? stops.at(-1) : stops[0])?.focus();
		}
	};
	el.addEventListener("keydown", keep);
	return () => {
		el.removeEventListener("keydown", keep);
	};
}
