/** Modal, Notice and Menu: with Obsidian's classes, its keys and its focus. */

import type { App } from "./app";
import { setIcon } from "./icons";

const open: Modal[] = [];

export class Modal {
	readonly containerEl = createDiv({ cls: "modal-container mod-dim" });
	readonly bgEl = this.containerEl.createDiv({ cls: "modal-bg" });
	readonly modalEl = this.containerEl.createDiv({ cls: "modal" });
	readonly headerEl: HTMLElement;
	readonly titleEl: HTMLElement;
	readonly contentEl: HTMLElement;
	private before: Element | null = null;

	constructor(readonly app: App) {
		const close = this.modalEl.createDiv({ cls: "modal-close-button mod-raised clickable-icon", attr: { "aria-label": "Close" } });
		setIcon(close, "x");
		this.headerEl = this.modalEl.createDiv({ cls: "modal-header" });
		this.titleEl = this.headerEl.createDiv({ cls: "modal-title" });
		this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
		close.addEventListener("click", () => { this.close(); });
		this.bgEl.addEventListener("click", () => { this.close(); });
	}

	setTitle(title: string): this {
		this.titleEl.setText(title);
		return this;
	}

	open(): void {
		this.before = document.activeElement;
		document.body.append(this.containerEl);
		open.push(this);
		this.modalEl.tabIndex = -1;
		this.modalEl.focus();
		this.onOpen();
	}

	close(): void {
		const index = open.indexOf(this);
		if (index < 0) return;
		open.splice(index, 1);
		this.containerEl.remove();
		if (this.before instanceof HTMLElement) this.before.focus();
		this.onClose();
	}

	onOpen(): void {
		// For subclasses.
	}

	onClose(): void {
		// For subclasses.
	}
}

/** Escape closes the topmost modal, as Obsidian's key scopes do. */
export function listenForEscape(): void {
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape") open.at(-1)?.close();
	});
}

export class Notice {
	readonly noticeEl: HTMLElement;

	constructor(message: string, duration = 4000) {
		const container = document.body.querySelector(".notice-container") ?? document.body.createDiv({ cls: "notice-container" });
		this.noticeEl = container.createDiv({ cls: "notice", text: message });
		if (duration > 0) window.setTimeout(() => { this.hide(); }, duration);
		this.noticeEl.addEventListener("click", () => { this.hide(); });
	}

	hide(): void {
		this.noticeEl.remove();
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
}

export class Menu {
	private readonly el = createDiv({ cls: "menu" });

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
		document.body.append(this.el);
		const { width, height } = this.el.getBoundingClientRect();
		this.el.setCssProps({ left: `${Math.min(x, innerWidth - width - 8)}px`, top: `${Math.min(y, innerHeight - height - 8)}px` });
		window.setTimeout(() => { document.addEventListener("click", () => { this.el.remove(); }, { once: true }); });
	}
}
