/** The panes of ours: each has a name and a command that shows it. Some have cards, some a list that grows by pages. */

import { debounce, DropdownComponent, ItemView, type View, type WorkspaceLeaf } from "obsidian";
import { dayLabel } from "../../core/days";
import type { Emitter } from "../../core/emitter";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import type { Context } from "../context";
import { addButton, addEmpty, addProblem, keepFocus, released } from "../elements";

export interface Face {
	type: string;
	title: string;
	icon: string;
	command: readonly [id: string, name: string];
	/** Where it opens: in a tab among the notes, or in the sidebar on the right. */
	place?: "right";
}

export abstract class Pane extends ItemView {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly face: Face,
		protected readonly context: Context,
	) {
		super(leaf);
		this.icon = face.icon;
	}

	override getViewType(): string {
		return this.face.type;
	}

	override getDisplayText(): string {
		return this.face.title;
	}

	/** Open it without waiting for what the bridge says: it would come to the front only then, before what was opened since. */
	override async onOpen(): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("vault-bridge-view");
		void this.fill(this.contentEl);
		return Promise.resolve();
	}

	protected on<T>(emitter: Emitter<T>, listener: (value: T) => void): void {
		this.register(emitter.on(listener));
	}

	/** Draw what is in it, and follow what that depends on until it is closed. */
	protected abstract fill(el: HTMLElement): Promise<void> | void;
}

/** Add a kind of pane. Returns what opens one, or shows the one that is open. */
export function addPane({ app, plugin }: Context, { type, place, command: [id, name] }: Face, create: (leaf: WorkspaceLeaf) => Pane, opening = (): void => undefined): () => Promise<View> {
	const show = async (): Promise<View> => {
		opening();
		const { workspace } = app;
		const existing = workspace.getLeavesOfType(type)[0];
		const leaf = existing ?? (place === "right" ? workspace.getRightLeaf(false) : null) ?? workspace.getLeaf("tab");
		if (!existing) await leaf.setViewState({ type, active: true });
		await workspace.revealLeaf(leaf);
		return leaf.view;
	};
	plugin.registerView(type, create);
	plugin.addCommand({ id, name, callback: () => void show() });
	return show;
}

/** One with a card for each thing of a list, or a sentence where there is none. */
export abstract class CardsPane extends Pane {
	protected override fill(el: HTMLElement): void {
		const emptyEl = el.createDiv({ cls: "vault-bridge-empty", attr: { role: "status" } });
		const listEl = el.createDiv({ cls: "vault-bridge-drafts" });
		const draw = (): void => {
			const giveBack = keepFocus(listEl);
			this.draw(listEl, emptyEl);
			giveBack();
		};
		this.on(this.list, draw);
		draw();
	}

	/** Emits whenever the list is another. */
	protected abstract get list(): Emitter<null>;

	protected abstract draw(listEl: HTMLElement, emptyEl: HTMLElement): void;
}

/** Milliseconds in which news are taken together. */
const SETTLE = 300;

/** What a list shows, and what is said of it. */
export interface Pages {
	cls: string;
	/** How many are asked for at once; fewer are the last page. */
	size: number;
	/** What the button says that shows what has come. */
	news: string;
	/** Calls back when there is something new, or the connection came or went. */
	onChange: (listener: () => void) => () => void;
}

export abstract class PagedPane<F, T> extends Pane {
	protected abstract filter: F;
	protected abstract readonly pages: Pages;
	protected listEl: HTMLElement | null = null;
	private readonly known = new Set<string>();
	private request = 0;
	private newest: Promise<void> = Promise.resolve();
	/** Whether the person waits for other lines than those that are drawn. */
	private awaited = false;
	/** Whether they asked for older lines too. */
	private grown = false;

	protected override async fill(el: HTMLElement): Promise<void> {
		const bar = el.createDiv({ cls: "vault-bridge-toolbar" });
		const buttons = bar.createDiv({ cls: "vault-bridge-toolbar-buttons" });
		this.drawToolbar(bar, buttons);
		bar.append(buttons);
		this.listEl = el.createDiv({ cls: this.pages.cls });
		this.register(this.pages.onChange(debounce(() => void this.refresh(true), SETTLE)));
		await this.refresh(false);
	}

	/** Draw what filters the list, and the buttons beside. */
	protected abstract drawToolbar(bar: HTMLElement, buttons: HTMLElement): void;

	/** A page, newest first; rejects with a sentence for the person. */
	protected abstract query(last: T | null): Promise<T[]>;

	protected abstract timeOf(item: T): string;

	/** Draw one, and offer what it can be filtered by. */
	protected abstract drawItem(list: HTMLElement, item: T): void;

	/** What is said where nothing fits. */
	protected abstract emptySentence(): string;

	protected abstract refreshing(): void;

	protected addSelect(bar: HTMLElement, label: string, options: Readonly<Record<string, string>>, choose: (value: string) => void): DropdownComponent {
		const select = new DropdownComponent(bar).addOptions(options).onChange(choose);
		select.selectEl.setAttr("aria-label", label);
		return select;
	}

	protected addChoice(select: DropdownComponent | null, value: string, name: string): void {
		const key = `${select?.selectEl.getAttr("aria-label") ?? ""} ${value}`;
		if (value === "" || this.known.has(key)) return;
		this.known.add(key);
		select?.addOption(value, sanitizePlain(name));
	}

	protected change(part: Partial<F>): void {
		this.filter = { ...this.filter, ...part };
		void this.refresh(false);
	}

	/** Ask for the list and draw it. Over when the newest is drawn, which may have been asked for since. */
	protected async refresh(byItself: boolean): Promise<void> {
		const { listEl } = this;
		if (!listEl) return;
		this.awaited ||= !byItself;
		if (this.isRead(listEl)) return;
		this.refreshing();
		this.newest = this.readNewest(listEl, ++this.request);
		await this.newest;
	}

	private async readNewest(listEl: HTMLElement, request: number): Promise<void> {
		const found = await this.query(null).catch(messageOf);
		await released(listEl);
		if (request !== this.request) return this.newest;
		if (this.isRead(listEl)) return;
		this.awaited = this.grown = false;
		const giveBack = keepFocus(listEl);
		listEl.empty();
		if (typeof found === "string") addEmpty(listEl, found);
		else if (found.length === 0) addEmpty(listEl, this.emptySentence());
		else this.append(listEl, found, "");
		giveBack();
	}

	/** Something new must neither shut an open row nor take away older ones: such a list is only marked. */
	private isRead(listEl: HTMLElement): boolean {
		if (this.awaited || !(this.grown || listEl.querySelector("details[open]"))) return false;
		if (!listEl.querySelector(".vault-bridge-newer")) listEl.prepend(addButton(listEl, this.pages.news, () => void this.refresh(false), "vault-bridge-newer"));
		return true;
	}

	/** Draw a page, and a button for the next one where there may be more. */
	private append(list: HTMLElement, items: readonly T[], lastDay: string): void {
		let day = lastDay;
		for (const item of items) {
			const own = dayLabel(this.timeOf(item), Date.now());
			if (own !== day) list.createDiv({ cls: "vault-bridge-day", text: own, attr: { role: "heading", "aria-level": "3" } });
			day = own;
			this.drawItem(list, item);
		}
		const last = items.at(-1);
		if (last === undefined || items.length < this.pages.size) return;
		const box = list.createDiv({ cls: "vault-bridge-older" });
		const button = addButton(box, "Show older", () => {
			button.disabled = this.grown = true;
			this.query(last).then(
				(older) => {
					if (!box.isConnected) return;
					box.remove();
					this.append(list, older, day);
				},
				(error: unknown) => {
					button.disabled = false;
					box.querySelector(".vault-bridge-problem")?.remove();
					addProblem(box, messageOf(error));
				},
			);
		});
	}
}
