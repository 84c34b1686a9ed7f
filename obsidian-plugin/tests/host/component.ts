/** Component and Plugin: what is registered ends when the component does. */

import type { Extension } from "@codemirror/state";
import type { App } from "./app";
import type { EventRef } from "./events";
import { setIcon } from "./icons";

export class Component {
	private readonly children: Component[] = [];
	private readonly ends: (() => void)[] = [];
	private loaded = false;

	load(): void {
		if (this.loaded) return;
		this.loaded = true;
		this.onload();
		for (const child of this.children) child.load();
	}

	unload(): void {
		if (!this.loaded) return;
		this.loaded = false;
		for (const child of this.children.splice(0)) child.unload();
		for (const end of this.ends.splice(0).reverse()) end();
		this.onunload();
	}

	onload(): void {
		// For subclasses.
	}

	onunload(): void {
		// For subclasses.
	}

	addChild<T extends Component>(child: T): T {
		this.children.push(child);
		if (this.loaded) child.load();
		return child;
	}

	removeChild<T extends Component>(child: T): T {
		this.children.splice(this.children.indexOf(child), 1);
		child.unload();
		return child;
	}

	register(end: () => void): void {
		this.ends.push(end);
	}

	registerEvent(ref: EventRef): void {
		this.register(() => { ref.events.offref(ref); });
	}

	registerDomEvent(el: EventTarget, type: string, listener: EventListener): void {
		el.addEventListener(type, listener);
		this.register(() => { el.removeEventListener(type, listener); });
	}
}

export interface Command {
	id: string;
	name: string;
	callback?: () => void;
	checkCallback?: (checking: boolean) => boolean;
}

export class Plugin extends Component {
	constructor(
		readonly app: App,
		readonly manifest: { id: string; name: string; version: string },
	) {
		super();
	}

	addCommand(command: Command): Command {
		const id = `${this.manifest.id}:${command.id}`;
		this.app.commands.set(id, { ...command, name: `${this.manifest.name}: ${command.name}` });
		this.register(() => this.app.commands.delete(id));
		return command;
	}

	addStatusBarItem(): HTMLElement {
		const el = this.app.statusBarEl.createDiv({ cls: `status-bar-item plugin-${this.manifest.id}` });
		this.register(() => { el.remove(); });
		return el;
	}

	addRibbonIcon(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
		const el = this.app.ribbonEl.createDiv({ cls: "side-dock-ribbon-action clickable-icon", attr: { "aria-label": title } });
		setIcon(el, icon);
		el.addEventListener("click", callback);
		this.register(() => { el.remove(); });
		return el;
	}

	addSettingTab(tab: import("./settingsWindow").PluginSettingTab): void {
		this.app.setting.addTab(tab);
		this.register(() => { this.app.setting.removeTab(tab); });
	}

	registerEditorExtension(extension: Extension): void {
		const { workspace } = this.app;
		workspace.editorExtensions.push(extension);
		workspace.updateOptions();
		this.register(() => {
			workspace.editorExtensions.splice(workspace.editorExtensions.indexOf(extension), 1);
			workspace.updateOptions();
		});
	}

	registerView(type: string, create: (leaf: import("./workspace").WorkspaceLeaf) => import("./workspace").View): void {
		this.app.workspace.viewTypes.set(type, create);
		this.register(() => this.app.workspace.viewTypes.delete(type));
	}
}
