/** Every state, light and dark. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { findings } from "./looks";
import { states } from "./states";

let browser: Browser;
let bridge: FakeBridge;

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
beforeEach(() => { bridge = new FakeBridge(); });
afterEach(() => { bridge.end(); });

describe("every text can be read and every control be used, light and dark", () => {
	it.each(states)("$name", async ({ name, show }) => {
		await bridge.start();
		const page = await browser.open({ vault: bridge.vault });
		await show({ page, bridge });
		expect(await findings(page, name)).toEqual([]);
		await browser.done(page);
	});
});
