/** What a person does with the plugin in the app. */

import type { Page } from "playwright-core";
import type { MarkdownView } from "../host/workspace";

export async function connected(page: Page): Promise<void> {
	await page.waitForSelector(".vault-bridge-status.is-connected");
}

/** Run one of the plugin's commands, as from the command palette. */
export async function runCommand(page: Page, command: string): Promise<void> {
	await page.evaluate((name) => {
		const { app, plugin } = window.host;
		app.commands.executeCommandById(`${plugin.manifest.id}:${name}`);
	}, command);
}

/** Open the plugin's settings, connected or not. */
export async function showSettings(page: Page): Promise<void> {
	await page.evaluate(() => {
		const { app, plugin } = window.host;
		app.setting.open();
		app.setting.openTabById(plugin.manifest.id);
	});
}

/** Open the plugin's settings, and go into pages of them. */
export async function openSettings(page: Page, ...pages: string[]): Promise<void> {
	await connected(page);
	await showSettings(page);
	await page.waitForSelector(".mod-page");
	for (const name of pages) await page.click(`.mod-page:has-text("${name}")`);
}

/** Open a note of the vault, beside what is open. */
export async function openNote(page: Page, path: string): Promise<void> {
	await page.evaluate(async (name) => window.host.app.workspace.openLinkText(name), path);
}

/** What the editor of the note holds that was opened last. */
export async function noteText(page: Page): Promise<string> {
	return page.evaluate(() => (window.host.app.workspace.getMostRecentLeaf()?.view as MarkdownView).getViewData());
}

/** Write something else into that editor, as a person who types. */
export async function typeNote(page: Page, text: string): Promise<void> {
	await page.evaluate((typed) => {
		const { editorEl } = window.host.app.workspace.getMostRecentLeaf()?.view as MarkdownView;
		editorEl.focus();
		editorEl.value = typed;
	}, text);
}

/** Put the caret, or a selection, into that editor. */
export async function selectInNote(page: Page, from: number, to = from): Promise<void> {
	await page.evaluate((range) => { (window.host.app.workspace.getMostRecentLeaf()?.view as MarkdownView).editorEl.setSelectionRange(...range); }, [from, to] as [number, number]);
}

/** Stop the time by which the plugin judges, in this window alone: the clock of the tests is that of all windows. */
export async function stopTime(page: Page): Promise<void> {
	await page.evaluate(() => {
		const moment = Date.now();
		Date.now = () => moment;
	});
}

/** Let time go on that was stopped. */
export async function letTimeGoOn(page: Page): Promise<void> {
	await page.evaluate(() => { Date.now = () => performance.timeOrigin + performance.now(); });
}

/** Wait for a question, also where it waits behind a notice because a key was pressed a moment ago. */
export async function questionShown(page: Page): Promise<void> {
	await page.waitForSelector('.vault-bridge-consent, .notice button:text-is("Show")');
	if (!(await page.isVisible(".vault-bridge-consent"))) await page.click('.notice button:text-is("Show")');
	await page.waitForSelector(".vault-bridge-consent");
}
