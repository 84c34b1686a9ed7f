/** The controls of a setting: toggle, text, dropdown, search, buttons. */

import { setIcon } from "./icons";

export class ToggleComponent {
	readonly toggleEl: HTMLElement;
	private readonly input: HTMLInputElement;
	private listener: (value: boolean) => unknown = () => undefined;

	constructor(container: HTMLElement) {
		this.toggleEl = container.createDiv({ cls: "checkbox-container" });
		this.input = this.toggleEl.createEl("input", { type: "checkbox", attr: { tabindex: "0" } });
		this.toggleEl.addEventListener("click", (event) => {
			event.preventDefault();
			this.setValue(!this.getValue());
		});
	}

	getValue(): boolean {
		return this.toggleEl.hasClass("is-enabled");
	}

	setValue(on: boolean): this {
		const before = this.getValue();
		this.toggleEl.toggleClass("is-enabled", on);
		this.input.checked = on;
		if (before !== on) this.listener(on);
		return this;
	}

	onChange(listener: (value: boolean) => unknown): this {
		this.listener = listener;
		return this;
	}
}

export class TextComponent {
	readonly inputEl: HTMLInputElement;

	constructor(container: HTMLElement) {
		this.inputEl = container.createEl("input", { type: "text", attr: { spellcheck: "false" } });
	}

	getValue(): string {
		return this.inputEl.value;
	}

	setValue(value: string): this {
		this.inputEl.value = value;
		return this;
	}

	setPlaceholder(text: string): this {
		this.inputEl.placeholder = text;
		return this;
	}

	onChange(listener: (value: string) => unknown): this {
		this.inputEl.addEventListener("input", () => listener(this.inputEl.value));
		return this;
	}
}

export class SearchComponent extends TextComponent {
	constructor(container: HTMLElement) {
		super(container.createDiv({ cls: "search-input-container" }));
		this.inputEl.type = "search";
	}
}

export class DropdownComponent {
	readonly selectEl: HTMLSelectElement;

	constructor(container: HTMLElement) {
		this.selectEl = container.createEl("select", { cls: "dropdown" });
	}

	addOption(value: string, text: string): this {
		this.selectEl.createEl("option", { text, attr: { value } });
		return this;
	}

	addOptions(options: Record<string, string>): this {
		for (const [value, text] of Object.entries(options)) this.addOption(value, text);
		return this;
	}

	getValue(): string {
		return this.selectEl.value;
	}

	setValue(value: string): this {
		this.selectEl.value = value;
		return this;
	}

	onChange(listener: (value: string) => unknown): this {
		this.selectEl.addEventListener("change", () => listener(this.selectEl.value));
		return this;
	}
}

export class ButtonComponent {
	readonly buttonEl: HTMLButtonElement;

	constructor(container: HTMLElement) {
		this.buttonEl = container.createEl("button");
	}

	setButtonText(text: string): this {
		this.buttonEl.setText(text);
		return this;
	}

	setCta(): this {
		this.buttonEl.addClass("mod-cta");
		return this;
	}

	setDisabled(disabled: boolean): this {
		this.buttonEl.disabled = disabled;
		return this;
	}

	onClick(listener: (event: MouseEvent) => unknown): this {
		this.buttonEl.addEventListener("click", listener);
		return this;
	}
}

export class ExtraButtonComponent {
	readonly extraSettingsEl: HTMLElement;

	constructor(container: HTMLElement) {
		this.extraSettingsEl = container.createDiv({ cls: "clickable-icon extra-setting-button", attr: { tabindex: "0", role: "button" } });
	}

	setIcon(icon: string): this {
		setIcon(this.extraSettingsEl, icon);
		return this;
	}

	setTooltip(text: string): this {
		this.extraSettingsEl.setAttr("aria-label", text);
		return this;
	}

	onClick(listener: () => unknown): this {
		this.extraSettingsEl.addEventListener("click", listener);
		return this;
	}
}
