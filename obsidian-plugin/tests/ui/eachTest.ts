/** What every test of a file has anew: a bridge that says what the test wants, and a window connected to it. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Browser, type PageOptions } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { connected } from "./plugin";

export let browser: Browser;
export let bridge: FakeBridge;
export let page: Page;

interface Wishes {
	/** Done once there is a bridge and before the window is opened. */
	prepare?: () => void;
	/** What the window is opened with. */
	options?: () => Partial<PageOptions>;
}

/** Called once in a file, above the tests and the hooks that need the window. */
export function eachTestHasAWindow({ prepare, options }: Wishes = {}): void {
	beforeAll(async () => { browser = await Browser.start(); });
	afterAll(async () => { await browser.close(); });
	beforeEach(async () => {
		bridge = new FakeBridge();
		prepare?.();
		await bridge.start();
		page = await browser.open({ vault: bridge.vault, ...options?.() });
		await connected(page);
	});
	afterEach(async () => {
		await browser.done(page);
		bridge.end();
	});
}
