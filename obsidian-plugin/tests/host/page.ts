/** What the page runs first: Obsidian's module for the plugin to require, and the plugin itself loaded into it. */

import * as codemirrorState from "@codemirror/state";
import * as codemirrorView from "@codemirror/view";
import { App } from "./app";
import { Component, Plugin } from "./component";
import * as controls from "./controls";
import { installDomHelpers } from "./dom";
import { setIcon } from "./icons";
import { Scope } from "./keymap";
import { getAllTags, parseLinktext } from "./metadata";
import { nodeModules, nodeProcess, type HostMachine } from "./node";
import * as modal from "./modal";
import { editorInfoField, editorLivePreviewField } from "./noteEditor";
import { PluginSettingTab, Setting, SettingPage } from "./settingsWindow";
import * as vault from "./vault";
import { FileView, ItemView, MarkdownView, TextFileView, WorkspaceLeaf } from "./workspace";

type PluginModule = { default?: new (app: App, manifest: unknown) => Plugin };
type Load = (require: (name: string) => unknown, module: { exports: PluginModule }) => void;

declare global {
	interface Window {
		/** The plugin's bundle, wrapped. */
		loadBundle: Load;
		startHost: (options: HostOptions) => Promise<void>;
		host: { app: App; plugin: Plugin };
		hostDisk: (action: string, path: string, text?: string) => Promise<unknown>;
	}
}

export interface HostOptions {
	basePath: string;
	machine: HostMachine;
	manifest: { id: string; name: string; version: string };
}

const Platform = { isDesktop: true, isDesktopApp: true, isMobile: false, isWin: false, isMacOS: false, isLinux: false };

const obsidian = {
	...controls,
	...modal,
	...vault,
	editorInfoField,
	editorLivePreviewField,
	getAllTags,
	parseLinktext,
	MarkdownView,
	Component,
	ItemView,
	Platform,
	Plugin,
	PluginSettingTab,
	Scope,
	Setting,
	SettingPage,
	FileView,
	TextFileView,
	WorkspaceLeaf,
	setIcon,
	debounce,
};

window.startHost = async ({ basePath, manifest, machine }) => {
	Object.assign(Platform, { isWin: machine.system === "windows", isMacOS: machine.system === "macos", isLinux: machine.system === "linux" });
	Object.assign(window, { process: nodeProcess(machine), hostChosen: {} });
	const modules: Record<string, unknown> = { obsidian, "@codemirror/state": codemirrorState, "@codemirror/view": codemirrorView, ...nodeModules(machine) };
	installDomHelpers(window);
	const app = new App(
		{
			exists: async (path) => (await window.hostDisk("exists", path)) === true,
			readBinary: async (path) => Uint8Array.from(atob(String(await window.hostDisk("read", path))), (char) => char.charCodeAt(0)).buffer,
			write: async (path, text) => { await window.hostDisk("write", path, text); },
			writeBinary: async (path, bytes) => { await window.hostDisk("writeBinary", path, btoa(String.fromCharCode(...new Uint8Array(bytes)))); },
			remove: async (path) => { await window.hostDisk("remove", path); },
			rename: async (path, to) => { await window.hostDisk("rename", path, to); },
			trash: async (path) => { await window.hostDisk("trash", path); },
			entries: async () => (await window.hostDisk("entries", "")) as vault.HostEntry[],
		},
		basePath,
	);
	app.keymap.listen(window);
	await app.vault.refresh();
	const module: { exports: PluginModule } = { exports: {} };
	const require = (name: string): unknown => {
		if (!(name in modules)) throw new Error(`The stand-in has no module ${name}`);
		return modules[name];
	};
	window.loadBundle(require, module);
	const Main = module.exports.default;
	if (!Main) throw new Error("the bundle exports no plugin");
	const plugin = new Main(app, manifest);
	window.host = { app, plugin };
	plugin.load();
};

function debounce<A extends unknown[]>(callback: (...args: A) => unknown, wait: number): (...args: A) => void {
	let timer = 0;
	return (...args) => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => callback(...args), wait);
	};
}
