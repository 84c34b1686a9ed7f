/** The plugin's own windows: a title, what is in it, and the buttons below. What is drawn in one ends when it closes. */

import { Modal, type App } from "obsidian";
import { sanitizePlain } from "../core/text";
import { addButton, showLongText, showText } from "./elements";

/** How it looks: small; small and as wide as code needs; or tall, with a body that scrolls. */
const LOOKS = { small: ["vault-bridge-window"], wide: ["vault-bridge-window", "vault-bridge-wide-window"], tall: ["vault-bridge-consent"] } as const;

export class PluginWindow extends Modal {
	/** What ends with it. */
	readonly ends: (() => void)[] = [];
	/** Whether it may close now, however that was said. */
	mayClose: () => boolean = () => true;

	/** @param draw - Draws what is in it, when it opens. */
	constructor(
		app: App,
		title: string,
		look: keyof typeof LOOKS,
		private readonly draw: (window: PluginWindow) => void = () => undefined,
	) {
		super(app);
		this.modalEl.addClasses([...LOOKS[look]]);
		this.setTitle(sanitizePlain(title));
	}

	override onOpen(): void {
		this.draw(this);
	}

	override close(): void {
		if (this.mayClose()) super.close();
	}

	override onClose(): void {
		for (const end of this.ends.splice(0)) end();
		this.contentEl.empty();
	}

	addBody(): HTMLElement {
		return this.contentEl.createDiv({ cls: "vault-bridge-body" });
	}

	addText(text: string, cls = ""): void {
		if (text !== "") showText(this.contentEl.createEl("p", { cls }), text);
	}

	addBar(): HTMLElement {
		return this.contentEl.createDiv({ cls: "modal-button-container" });
	}

	/** Add the button that only closes it, first in a bar. */
	addCloser(bar: HTMLElement, label: string, cls = ""): HTMLButtonElement {
		return addButton(bar, label, () => { this.close(); }, cls);
	}

	/** Add a bar with what does something, and `Cancel`, which has the focus. */
	offer(label: string, act: () => void, cls = "mod-cta"): void {
		const bar = this.addBar();
		const cancel = this.addCloser(bar, "Cancel");
		addButton(bar, label, () => {
			act();
			this.close();
		}, cls);
		focusAtOpening(cancel);
	}

	/**
	 * Add a bar with what takes a form's fields, also at Enter in one of them.
	 *
	 * @param submit - Resolves to null when they were taken, else to why not.
	 */
	addForm(label: string, fields: readonly HTMLInputElement[], submit: () => Promise<string | null>): void {
		const problem = this.contentEl.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
		const bar = this.addBar();
		const take = async (): Promise<void> => {
			if (button.disabled) return;
			button.disabled = true;
			const refusal = await submit();
			button.disabled = false;
			problem.empty();
			if (refusal === null) this.close();
			else showText(problem, refusal);
		};
		const button = addButton(bar, label, () => void take(), "mod-cta");
		for (const field of fields) {
			field.addEventListener("keydown", (event) => {
				if (event.key === "Enter" && !event.isComposing) void take();
			});
		}
		this.addCloser(bar, "Cancel");
	}

	/** Do something at Ctrl or Cmd with Enter. */
	onModEnter(act: () => void): void {
		this.scope.register(["Mod"], "Enter", () => {
			act();
			return false;
		});
	}
}

export function openWindow(...given: ConstructorParameters<typeof PluginWindow>): PluginWindow {
	const window = new PluginWindow(...given);
	window.open();
	return window;
}

/**
 * Gives a control the focus when its modal opens: now, and once more when Obsidian has given it to the first control it
 * found, which it does after `onOpen`. Put the harmless control first as well, for the moment between the two.
 */
export function focusAtOpening(el: HTMLElement): void {
	el.focus();
	const again = el.win.setTimeout(() => { el.focus(); });
	// Who has pressed something before the timer came is left where they are.
	for (const press of ["keydown", "pointerdown"] as const) el.doc.addEventListener(press, () => { el.win.clearTimeout(again); }, { capture: true, once: true });
}

export interface Confirmation {
	title: string;
	text: string;
	/** What it is about, word for word. */
	quote?: string;
	/** What the button says that does it. */
	action: string;
}

/** True when the person said so; false for every other way to close it. */
export async function confirm(app: App, { title, text, quote, action }: Confirmation): Promise<boolean> {
	return new Promise((resolve) => {
		openWindow(app, title, "small", (window) => {
			window.addText(text);
			if (quote !== undefined) showLongText(window.contentEl.createEl("pre", { cls: "vault-bridge-request", attr: { tabindex: "0" } }), quote);
			window.offer(action, () => { resolve(true); }, "mod-warning");
			window.ends.push(() => { resolve(false); });
		});
	});
}
