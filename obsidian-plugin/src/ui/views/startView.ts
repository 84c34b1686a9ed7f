/** What to do when no bridge is there, in three lines; and with one, which tools agents shall have. */

import { ItemView, setIcon, type WorkspaceLeaf } from "obsidian";
import { labelOf } from "../../core/settings/labels";
import { showText } from "../text";

export const START_VIEW = "vault-bridge-start";

export interface StartSource {
	state: () => StartState;
	onChange: (listener: () => void) => () => void;
	choosePreset: (name: string) => void;
	retry: () => void;
	copy: (text: string) => void;
	openSettings: () => void;
}

export interface StartState {
	kind: "absent" | "unreachable" | "connected";
	/** What went wrong, or the version of the bridge. */
	detail: string;
	vaultPath: string;
	presets: { name: string; tools: number; chosen: boolean }[];
}

const PRESET_TEXTS: Readonly<Record<string, string>> = {
	minimal: "Agents find and read notes. Nothing can be changed.",
	vault: "Agents also create, edit, move and delete notes. Every change is shown to you first.",
	everything: "Every tool there is. Some still have a switch of their own in the settings.",
};

export class StartView extends ItemView {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly source: StartSource,
	) {
		super(leaf);
		this.icon = "shield-check";
	}

	override getViewType(): string {
		return START_VIEW;
	}

	override getDisplayText(): string {
		return "Getting started";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vault-bridge-view");
		this.register(this.source.onChange(() => { this.draw(); }));
		this.draw();
		return Promise.resolve();
	}

	private draw(): void {
		const state = this.source.state();
		this.contentEl.empty();
		const page = this.contentEl.createDiv({ cls: "vault-bridge-start" });
		const head = page.createDiv({ cls: "vault-bridge-start-head" });
		setIcon(head.createSpan(), state.kind === "connected" ? "shield-check" : "shield-off");
		head.createSpan({ text: HEADLINES[state.kind] });
		if (state.kind === "connected") this.drawPresets(page, state);
		else this.drawSteps(page, state);
	}

	private drawSteps(page: HTMLElement, state: StartState): void {
		if (state.detail) showText(page.createDiv({ cls: "vault-bridge-note" }), state.detail);
		const steps = page.createEl("ol", { cls: "vault-bridge-steps" });
		steps.createEl("li").appendText("Install the bridge once: follow the readme of Vault Bridge. This plugin installs nothing.");
		const serve = steps.createEl("li");
		serve.appendText("Start it for this vault: ");
		const command = `vault-bridge serve --vault "${state.vaultPath}"`;
		showText(serve.createEl("code"), command);
		const copy = serve.createEl("button", { cls: "vault-bridge-link", text: "Copy", type: "button" });
		copy.addEventListener("click", () => { this.source.copy(command); });
		steps.createEl("li").appendText("Leave Obsidian open: it connects by itself and shows you every question.");
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		bar.createEl("button", { cls: "mod-cta", text: "Look again", type: "button" }).addEventListener("click", this.source.retry);
		bar.createEl("button", { text: "Start it with Obsidian…", type: "button" }).addEventListener("click", this.source.openSettings);
	}

	private drawPresets(page: HTMLElement, state: StartState): void {
		if (state.presets.length > 0) page.createEl("p", { text: "Which tools shall agents have? You can change it at any time in the settings." });
		const cards = page.createDiv({ cls: "vault-bridge-presets" });
		for (const preset of state.presets) {
			const card = cards.createEl("button", { cls: "vault-bridge-preset", type: "button", attr: { "aria-pressed": String(preset.chosen) } });
			const title = card.createDiv({ cls: "vault-bridge-preset-name" });
			showText(title, labelOf(preset.name));
			if (preset.chosen) setIcon(title.createSpan(), "check");
			const text = PRESET_TEXTS[preset.name] ?? `${preset.tools} tools`;
			card.createDiv({ cls: "vault-bridge-faint", text });
			card.addEventListener("click", () => { this.source.choosePreset(preset.name); });
		}
		const bar = page.createDiv({ cls: "vault-bridge-start-buttons" });
		bar.createEl("button", { text: "Open settings", type: "button" }).addEventListener("click", this.source.openSettings);
		showText(page.createDiv({ cls: "vault-bridge-faint" }), state.detail);
	}
}

const HEADLINES: Readonly<Record<StartState["kind"], string>> = {
	absent: "No bridge serves this vault",
	unreachable: "The bridge cannot be reached",
	connected: "The bridge serves this vault",
};
