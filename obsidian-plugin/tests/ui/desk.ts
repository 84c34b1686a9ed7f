/** Where a person works with the plugin: in the stand-in for Obsidian, or in the app itself. */

import type { Page } from "playwright-core";
import { Browser } from "./browser";
import { noteText, typeNote } from "./plugin";

export interface Desk {
	/** Where the plugin's requests come from. */
	readonly origin: string;
	/** The window of a vault, with the plugin in it. */
	open: (vault: string) => Promise<Page>;
	/** Close that window, and with it the vault. */
	close: (page: Page) => Promise<void>;
	/** Type into the note that is open, before all that it holds. */
	type: (page: Page, text: string) => Promise<void>;
	end: () => Promise<void>;
}

/** The version of the app, where the app is wanted: `latest`, `earliest` (that of the manifest), or a number. */
const version = process.env["OBSIDIAN_VERSION"];

export async function takeDesk(): Promise<Desk> {
	return version === undefined ? standIn() : (await import("./obsidian")).obsidian(version);
}

async function standIn(): Promise<Desk> {
	const browser = await Browser.start();
	return {
		origin: browser.origin,
		open: async (vault) => browser.open({ vault, welcomed: false }),
		close: async (page) => browser.quit(page),
		type: async (page, text) => typeNote(page, text + (await noteText(page))),
		end: async () => browser.close(),
	};
}
