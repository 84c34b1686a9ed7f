/** What a person does with the plugin in the app. */

import type { Page } from "playwright-core";

export async function connected(page: Page): Promise<void> {
	await page.waitForSelector(".vault-bridge-status.is-connected");
}

/** Run one of the plugin's commands, as from the command palette. */
export async function runCommand(page: Page, command: string): Promise<void> {
	await page.evaluate((name) => {
		const { app, plugin } = window.host;
		app.commands.get(`${plugin.manifest.id}:${name}`)?.callback?.();
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
