/** Whether the person is here, and whether they are writing: in any window of the app. */

import { Component, type App } from "obsidian";
import type { Clock } from "../core/clock";

/** Milliseconds after a key in which a person still counts as typing. */
const TYPING_MS = 2_000;
const KEYS = ["keydown", "beforeinput", "input", "compositionstart", "compositionupdate"] as const;
/** What keys go into; what is behind a frame cannot be seen from here. */
const TEXT_PLACES = "input:not([type='checkbox'], [type='radio'], [type='button'], [type='range']), textarea, select, [contenteditable]:not([contenteditable='false']), iframe, webview";

export class Presence extends Component {
	private lastKey = -Infinity;
	private composing = false;
	private readonly watched = new Set<Window>();

	constructor(
		private readonly app: App,
		private readonly clock: Clock,
	) {
		super();
	}

	override onload(): void {
		const { workspace } = this.app;
		this.watch(window);
		workspace.iterateAllLeaves((leaf) => { this.watch(leaf.view.containerEl.win); });
		this.registerEvent(workspace.on("window-open", (_, win) => { this.watch(win); }));
		this.registerEvent(workspace.on("window-close", (_, win) => { this.watched.delete(win); }));
	}

	/** Whether a window of the app has the focus. */
	get inFront(): boolean {
		return [...this.watched].some((win) => win.document.hasFocus());
	}

	/** Whether a window that takes the focus would take a key that is meant for something else. */
	get isWriting(): boolean {
		return this.composing || this.clock.now() - this.lastKey < TYPING_MS || isText(activeDocument.activeElement) || [...this.watched].some((win) => win.document.hasFocus() && isText(win.document.activeElement));
	}

	private watch(win: Window): void {
		if (this.watched.has(win)) return;
		this.watched.add(win);
		const onKey = (event: Event): void => {
			if (isOurs(event.target)) return;
			this.lastKey = this.clock.now();
			this.composing = event.type.startsWith("composition") || (event.type !== "keydown" && this.composing);
		};
		const onEnd = (): void => { this.composing = false; };
		for (const type of KEYS) win.addEventListener(type, onKey, { capture: true, passive: true });
		win.addEventListener("compositionend", onEnd, { capture: true });
		this.register(() => {
			for (const type of KEYS) win.removeEventListener(type, onKey, { capture: true });
			win.removeEventListener("compositionend", onEnd, { capture: true });
		});
	}
}

/** Keys in the question itself are its own. */
function isOurs(target: EventTarget | null): boolean {
	return target !== null && "closest" in target && (target as Element).closest(".vault-bridge-consent") !== null;
}

function isText(element: Element | null): boolean {
	return element !== null && !isOurs(element) && element.matches(TEXT_PLACES);
}
