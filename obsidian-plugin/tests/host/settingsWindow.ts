/** Setting, SettingPage, PluginSettingTab, and the window that draws a tab from its definitions (1.13). */

import type { App } from "./app";
import type { Plugin } from "./component";
import { ButtonComponent, DropdownComponent, ExtraButtonComponent, TextComponent, ToggleComponent } from "./controls";
import { setIcon } from "./icons";
import { Modal } from "./modal";

export class Setting {
	readonly settingEl: HTMLElement;
	readonly infoEl: HTMLElement;
	readonly nameEl: HTMLElement;
	readonly descEl: HTMLElement;
	readonly controlEl: HTMLElement;

	constructor(container: HTMLElement) {
		this.settingEl = container.createDiv({ cls: "setting-item" });
		this.infoEl = this.settingEl.createDiv({ cls: "setting-item-info" });
		this.nameEl = this.infoEl.createDiv({ cls: "setting-item-name" });
		this.descEl = this.infoEl.createDiv({ cls: "setting-item-description" });
		this.controlEl = this.settingEl.createDiv({ cls: "setting-item-control" });
	}

	setName(name: string): this {
		this.nameEl.setText(name);
		return this;
	}

	setHeading(): this {
		this.settingEl.addClass("setting-item-heading");
		return this;
	}

	setDesc(text: string | DocumentFragment): this {
		this.descEl.setText(text);
		return this;
	}

	addToggle(fill: (toggle: ToggleComponent) => unknown): this {
		fill(new ToggleComponent(this.controlEl));
		return this;
	}

	addText(fill: (text: TextComponent) => unknown): this {
		fill(new TextComponent(this.controlEl));
		return this;
	}

	addDropdown(fill: (dropdown: DropdownComponent) => unknown): this {
		fill(new DropdownComponent(this.controlEl));
		return this;
	}

	addButton(fill: (button: ButtonComponent) => unknown): this {
		fill(new ButtonComponent(this.controlEl));
		return this;
	}

	addExtraButton(fill: (button: ExtraButtonComponent) => unknown): this {
		fill(new ExtraButtonComponent(this.controlEl));
		return this;
	}
}

export abstract class SettingPage {
	containerEl = createDiv({ cls: "setting-page" });
	title = "";
	abstract display(): void;
	hide(): void {
		// For subclasses.
	}
}

interface Definition {
	type?: "group" | "list" | "page";
	name?: string;
	desc?: string;
	heading?: string;
	items?: Definition[];
	page?: () => SettingPage;
	render?: (setting: Setting, group: unknown) => unknown;
	visible?: boolean | (() => boolean);
	aliases?: string[];
	search?: { placeholder?: string; match: (definition: Definition, query: string) => boolean };
}

export abstract class PluginSettingTab {
	readonly containerEl = createDiv({ cls: "vertical-tab-content" });
	icon = "";
	settingItems: Definition[] = [];
	/** The names of the pages one has gone into. */
	private readonly trail: string[] = [];

	constructor(
		readonly app: App,
		readonly plugin: Plugin,
	) {}

	abstract getSettingDefinitions(): Definition[];

	update(): void {
		this.settingItems = this.getSettingDefinitions();
		if (this.containerEl.isConnected) this.draw();
	}

	/** What the window does when the tab is chosen. */
	enter(): void {
		this.trail.length = 0;
		this.settingItems = this.getSettingDefinitions();
		this.draw();
	}

	private draw(): void {
		this.containerEl.empty();
		let items = this.settingItems;
		for (const name of this.trail) {
			const page = items.flatMap((item) => (item.type === "group" ? (item.items ?? []) : [item])).find((item) => item.type === "page" && item.name === name);
			if (page?.page) {
				this.drawBack(name);
				const custom = page.page();
				this.containerEl.append(custom.containerEl);
				custom.display();
				return;
			}
			items = page?.items ?? [];
		}
		const last = this.trail.at(-1);
		if (last !== undefined) this.drawBack(last);
		for (const item of items) this.drawItem(this.containerEl, item);
	}

	private drawBack(title: string): void {
		const bar = this.containerEl.createDiv({ cls: "setting-page-titlebar" });
		const back = bar.createEl("button", { cls: "clickable-icon setting-page-back", attr: { "aria-label": "Back" } });
		setIcon(back, "chevron-left");
		bar.createDiv({ cls: "setting-page-title", text: title });
		back.addEventListener("click", () => {
			this.trail.pop();
			this.draw();
		});
	}

	private drawItem(container: HTMLElement, item: Definition): void {
		if (item.type === "group" || item.type === "list") {
			const group = container.createDiv({ cls: "setting-group" });
			if (item.heading !== undefined) group.createDiv({ cls: "setting-item setting-item-heading" }).createDiv({ cls: "setting-item-name", text: item.heading });
			const { search } = item;
			const field = search && group.createEl("input", { type: "search", placeholder: search.placeholder ?? "", attr: { "aria-label": search.placeholder ?? "" } });
			const list = group.createDiv({ cls: "setting-items" });
			const rows = (item.items ?? []).map((child): [Definition, Element | null] => {
				this.drawItem(list, child);
				return [child, list.lastElementChild];
			});
			field?.addEventListener("input", () => { for (const [child, row] of rows) row?.classList.toggle("is-hidden", !search?.match(child, field.value)); });
			return;
		}
		const setting = new Setting(container).setName(item.name ?? "").setDesc(item.desc ?? "");
		if (item.type === "page") {
			setting.settingEl.addClass("mod-page");
			setting.settingEl.setAttrs({ tabindex: "0", role: "button" });
			setIcon(setting.controlEl.createSpan(), "chevron-right");
			setting.settingEl.addEventListener("click", () => {
				this.trail.push(item.name ?? "");
				this.draw();
			});
		}
		item.render?.(setting, null);
	}
}

/** `app.setting`: the window with the list of tabs on the left. */
export class SettingsWindow extends Modal {
	private readonly tabs: PluginSettingTab[] = [];
	private readonly contentArea: HTMLElement;
	private readonly listEl: HTMLElement;

	constructor(app: App) {
		super(app);
		this.modalEl.addClasses(["mod-settings", "mod-sidebar-layout"]);
		this.listEl = this.contentEl.createDiv({ cls: "vertical-tab-header" });
		this.contentArea = this.contentEl.createDiv({ cls: "vertical-tab-content-container" });
		this.contentEl.addClass("vertical-tabs-container");
	}

	addTab(tab: PluginSettingTab): void {
		this.tabs.push(tab);
	}

	removeTab(tab: PluginSettingTab): void {
		this.tabs.splice(this.tabs.indexOf(tab), 1);
	}

	openTabById(id: string): void {
		const tab = this.tabs.find((one) => one.plugin.manifest.id === id);
		if (!tab) return;
		this.listEl.empty();
		this.listEl.createDiv({ cls: "vertical-tab-header-group-title", text: "Community plugins" });
		const item = this.listEl.createDiv({ cls: "vertical-tab-nav-item is-active" });
		setIcon(item.createSpan(), tab.icon);
		item.createSpan({ text: tab.plugin.manifest.name });
		this.contentArea.replaceChildren(tab.containerEl);
		tab.enter();
	}
}
