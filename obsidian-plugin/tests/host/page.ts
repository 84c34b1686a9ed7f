/** What the page runs first: Obsidian's module for the plugin to require, and the plugin itself loaded into it. */

import { App } from "./app";
import { Component, Plugin } from "./component";
import * as controls from "./controls";
import { installDomHelpers } from "./dom";
import { setIcon } from "./icons";
import { getAllTags } from "./metadata";
import * as modal from "./modal";
import { PluginSettingTab, Setting, SettingPage } from "./settingsWindow";
import * as vault from "./vault";
import { ItemView, TextFileView, WorkspaceLeaf } from "./workspace";

type PluginModule = { default?: new (app: App, manifest: unknown) => Plugin };
type Load = (require: (name: string) => unknown, module: { exports: PluginModule }) => void;

declare global {
	interface Window {
		/** The plugin's bundle, wrapped. */
		loadBundle: Load;
		startHost: (options: HostOptions) => Promise<void>;
		host: { app: App; plugin: Plugin };
		hostDisk: (action: string, path: string, text?: string) => Promise<unknown>;
		hostRunFile: (path: string) => Promise<string>;
	}
}

export interface HostOptions {
	basePath: string;
	manifest: { id: string; name: string; version: string };
}

const obsidian = {
	...controls,
	...modal,
	...vault,
	getAllTags,
	Component,
	ItemView,
	Platform: { isWin: true },
	Plugin,
	PluginSettingTab,
	Setting,
	SettingPage,
	TextFileView,
	WorkspaceLeaf,
	setIcon,
	normalizePath: (path: string) => path,
	debounce,
};

const modules: Record<string, unknown> = {
	obsidian,
	"node:fs/promises": { readFile: async (path: string) => window.hostRunFile(path) },
	"node:path": { join: (...parts: string[]) => parts.join("/") },
	"node:child_process": { spawn: () => { throw new Error("not in a browser"); } },
};

window.startHost = async ({ basePath, manifest }) => {
	installDomHelpers();
	modal.listenForEscape();
	const app = new App(
		{
			exists: async (path) => (await window.hostDisk("exists", path)) === true,
			read: async (path) => String(await window.hostDisk("read", path)),
			write: async (path, text) => { await window.hostDisk("write", path, text); },
			trash: async (path) => { await window.hostDisk("trash", path); },
			files: async () => (await window.hostDisk("files", "")) as vault.HostFile[],
		},
		basePath,
	);
	await app.vault.refresh();
	const module: { exports: PluginModule } = { exports: {} };
	window.loadBundle((name) => modules[name], module);
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
