/** Modal, Notice and Menu: with Obsidian's classes, its scopes and its focus. */

import type { App } from "./app";
import { setIcon } from "./icons";
import { Scope } from "./keymap";

/** What Obsidian would give the focus to when a modal opens. */
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]:not([tabindex="-1"])';

export class Modal {
	readonly scope = new Scope();
	readonly containerEl = createDiv({ cls: "modal-container mod-dim" });
	readonly bgEl = this.containerEl.createDiv({ cls: "modal-bg" });
	readonly modalEl = this.containerEl.createDiv({ cls: "modal" });
	readonly headerEl: HTMLElement;
	readonly titleEl: HTMLElement;
	readonly contentEl: HTMLElement;
	shouldRestoreSelection = true;
	private before: Element | null = null;

	constructor(readonly app: App) {
		const close = this.modalEl.createDiv({ cls: "modal-close-button mod-raised clickable-icon", attr: { "aria-label": "Close" } });
		setIcon(close, "x");
		this.headerEl = this.modalEl.createDiv({ cls: "modal-header" });
		this.titleEl = this.headerEl.createDiv({ cls: "modal-title" });
		this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
		close.addEventListener("click", () => { this.close(); });
		this.bgEl.addEventListener("click", () => { this.close(); });
		this.scope.register([], "Escape", () => {
			this.close();
			return false;
		});
	}

	setTitle(title: string): this {
		this.titleEl.setText(title);
		return this;
	}

	/** In the window that is active. The first control gets the focus once `onOpen` has returned, whatever that focused. */
	open(): void {
		if (isShown(this)) return;
		this.before = activeDocument.activeElement;
		this.app.keymap.pushScope(this.scope);
		activeDocument.body.append(this.containerEl);
		this.modalEl.tabIndex = -1;
		void this.onOpen();
		if (isShown(this)) (this.contentEl.querySelector<HTMLElement>(FOCUSABLE) ?? this.modalEl).focus();
	}

	close(): void {
		if (!isShown(this)) return;
		this.app.keymap.popScope(this.scope);
		this.containerEl.remove();
		if (this.shouldRestoreSelection && this.before?.instanceOf(HTMLElement)) this.before.focus();
		this.onClose();
	}

	onOpen(): Promise<void> | void {
		// For subclasses.
	}

	onClose(): void {
		// For subclasses.
	}
}

/** A field, and below it what fits what is typed; Enter and a click choose. */
export abstract class FuzzySuggestModal<T> extends Modal {
	readonly inputEl = this.contentEl.createEl("input", { cls: "prompt-input", type: "text" });
	private readonly resultEl = this.contentEl.createDiv({ cls: "prompt-results" });

	constructor(app: App) {
		super(app);
		this.modalEl.addClass("prompt");
		this.inputEl.addEventListener("input", () => { this.draw(); });
		this.inputEl.addEventListener("keydown", ({ key }) => {
			if (key === "Enter") this.resultEl.querySelector<HTMLElement>(".suggestion-item")?.click();
		});
	}

	abstract getItems(): T[];

	abstract getItemText(item: T): string;

	abstract onChooseItem(item: T): void;

	setPlaceholder(placeholder: string): void {
		this.inputEl.placeholder = placeholder;
	}

	override onOpen(): void {
		this.draw();
	}

	private draw(): void {
		this.resultEl.empty();
		for (const item of this.getItems()) {
			const text = this.getItemText(item);
			if (!text.toLowerCase().includes(this.inputEl.value.toLowerCase())) continue;
			this.resultEl.createDiv({ cls: "suggestion-item", text }).addEventListener("click", () => {
				this.close();
				this.onChooseItem(item);
			});
		}
	}
}

/** No member of the class: a plugin's modal may have one of that name. */
function isShown({ containerEl }: Modal): boolean {
	return containerEl.isConnected;
}

export class Notice {
	readonly containerEl: HTMLElement;

	constructor(message: string | DocumentFragment, duration = 4000) {
		const { body } = activeDocument;
		const container = body.querySelector(".notice-container") ?? body.createDiv({ cls: "notice-container" });
		this.containerEl = container.createDiv({ cls: "notice", text: message });
		if (duration > 0) window.setTimeout(() => { this.hide(); }, duration);
		this.containerEl.addEventListener("click", () => { this.hide(); });
	}

	hide(): void {
		this.containerEl.remove();
	}
}

export class MenuItem {
	readonly el = createDiv({ cls: "menu-item tappable" });
	private readonly iconEl = this.el.createDiv({ cls: "menu-item-icon" });
	private readonly titleEl = this.el.createDiv({ cls: "menu-item-title" });

	setTitle(title: string): this {
		this.titleEl.setText(title);
		return this;
	}

	setIcon(icon: string): this {
		setIcon(this.iconEl, icon);
		return this;
	}

	onClick(callback: () => void): this {
		this.el.addEventListener("click", callback);
		return this;
	}

	setIsLabel(isLabel: boolean): this {
		this.el.toggleClass("is-label", isLabel);
		return this;
	}
}

export class Menu {
	private readonly el = createDiv({ cls: "menu" });
	private readonly scope = new Scope();

	constructor() {
		this.scope.register([], "Escape", () => {
			this.hide();
			return false;
		});
	}

	hide(): this {
		window.host.app.keymap.popScope(this.scope);
		this.el.remove();
		return this;
	}

	addItem(fill: (item: MenuItem) => unknown): this {
		const item = new MenuItem();
		this.el.append(item.el);
		fill(item);
		return this;
	}

	addSeparator(): this {
		this.el.createDiv({ cls: "menu-separator" });
		return this;
	}

	showAtMouseEvent(event: MouseEvent): void {
		this.showAtPosition(event);
	}

	showAtPosition({ x, y }: { x: number; y: number }): void {
		activeDocument.body.append(this.el);
		const { win, doc } = this.el;
		const { width, height } = this.el.getBoundingClientRect();
		this.el.setCssProps({ left: `${Math.min(x, win.innerWidth - width - 8)}px`, top: `${Math.min(y, win.innerHeight - height - 8)}px` });
		win.setTimeout(() => { doc.addEventListener("click", () => { this.hide(); }, { once: true }); });
		window.host.app.keymap.pushScope(this.scope);
	}
}
