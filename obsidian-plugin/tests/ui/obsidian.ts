/** Obsidian itself, downloaded and started apart from a person's own by `obsidian-launcher`, which the workflow installs. */

import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Launched } from "obsidian-launcher";
import { chromium, type Browser, type Page } from "playwright-core";
import { PATIENCE } from "../patience";
import type { Desk } from "./desk";
import { file } from "./files";

const editor = ".workspace-leaf.mod-active .cm-content";

export async function obsidian(version: string): Promise<Desk> {
	const { default: Launcher } = await import("obsidian-launcher");
	const launcher = new Launcher();
	const open = new Map<Page, { started: Launched; browser: Browser }>();
	const close = async (page: Page): Promise<void> => {
		const window = open.get(page);
		open.delete(page);
		if (!window) return;
		await window.browser.close();
		const { proc, configDir } = window.started;
		const gone = new Promise((resolve) => proc.once("exit", resolve));
		if (proc.exitCode === null && proc.kill()) await gone;
		rmSync(configDir, { recursive: true, force: true, maxRetries: 5 });
	};
	return {
		origin: "app://obsidian.md",
		open: async (vault) => {
			const port = await freePort();
			const started = await launcher.launch({ appVersion: version, installerVersion: version, vault, args: [`--remote-debugging-port=${port}`] });
			const browser = await connected(port);
			const page = await windowOf(browser);
			open.set(page, { started, browser });
			return page;
		},
		close,
		type: async (page, text) => {
			await page.click(editor);
			await page.keyboard.press(process.platform === "darwin" ? "Meta+ArrowUp" : "Control+Home");
			await page.keyboard.type(text);
		},
		end: async () => { for (const page of open.keys()) await close(page); },
	};
}

/** The window, once the app's layout and the plugin are there. */
async function windowOf(browser: Browser): Promise<Page> {
	const [context] = browser.contexts();
	if (!context) throw new Error("Obsidian has no window");
	const page = context.pages()[0] ?? (await context.waitForEvent("page", { timeout: PATIENCE }));
	context.setDefaultTimeout(PATIENCE);
	const { id } = JSON.parse(readFileSync(file("manifest.json"), "utf8")) as { id: string };
	await page.waitForFunction((name) => {
		const { app } = window as unknown as { app?: { workspace?: { layoutReady: boolean }; plugins?: { plugins: Record<string, unknown> } } };
		const plugin = app?.plugins?.plugins[name];
		if (!app?.workspace?.layoutReady || plugin === undefined) return false;
		// By the name under which the tests find them in the stand-in.
		Object.assign(window, { host: { app, plugin } });
		return true;
	}, id);
	return page;
}

async function connected(port: number): Promise<Browser> {
	const late = Date.now() + PATIENCE;
	for (;;) {
		try {
			return await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
		} catch (error) {
			if (Date.now() > late) throw error;
			await wait(200);
		}
	}
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === "string") throw new Error("no port is free");
	return address.port;
}
