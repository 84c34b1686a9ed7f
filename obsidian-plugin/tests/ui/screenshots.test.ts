/** Every state, light and dark: a picture of it in `screenshots/`, for eyes, and whether everybody can read and use it. */

import { mkdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityFindings } from "./accessibility";
import { Browser, type Theme } from "./browser";
import { paleTexts } from "./contrast";
import { FakeBridge } from "./fakeBridge";
import { file } from "./files";
import { states } from "./states";

/** More widths to look at, as `SCREENSHOT_WIDTHS=420,760`. */
const WIDTHS = (process.env["SCREENSHOT_WIDTHS"] ?? "").split(",").filter((width) => width !== "").map(Number);

let browser: Browser;
let bridge: FakeBridge;

beforeAll(async () => {
	mkdirSync(file("screenshots"), { recursive: true });
	browser = await Browser.start();
});
afterAll(async () => { await browser.close(); });
beforeEach(() => { bridge = new FakeBridge(); });
afterEach(() => { bridge.end(); });

describe.each<Theme>(["light", "dark"])("every text can be read and every control be used, %s", (theme) => {
	it.each(states)("$name", async ({ name, show }) => {
		await bridge.start();
		const page = await browser.open({ vault: bridge.vault, theme });
		await show({ page, bridge });
		await page.screenshot({ path: file(`screenshots/${name}-${theme}.png`) });
		for (const width of WIDTHS) {
			await page.setViewportSize({ width, height: 700 });
			await page.screenshot({ path: file(`screenshots/${name}-${theme}-${width}.png`) });
		}
		expect(await paleTexts(page)).toEqual([]);
		expect(await accessibilityFindings(page)).toEqual([]);
		await page.close();
	});
});
