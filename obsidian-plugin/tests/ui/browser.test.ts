/** What the window of a test has of the test before: nothing. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";

eachTestHasAWindow();

it.each<[name: string, leave: (left: Page) => Promise<unknown>, same: boolean]>([
	["what is only in its document", async (left) => left.evaluate(() => { Object.assign(window, { left: 1 }); Array.prototype.reverse = () => []; }), true],
	["another size", async (left) => left.setViewportSize({ width: 300, height: 300 }), true],
	["the mouse over something", async (left) => left.mouse.move(30, 30), true],
	["a listener", async (left) => Promise.resolve(left.on("request", () => undefined)), false],
	["a route", async (left) => left.route("**", async (route) => route.abort()), false],
	["a function", async (left) => left.exposeFunction("left", () => 1), false],
	["a window", async (left) => left.evaluate(() => { window.open("about:blank")?.close(); }), false],
	["an end", async (left) => left.close(), false],
])("not %s", async (_name, leave, same) => {
	await leave(page);
	await browser.done(page);
	const next = await browser.open({ vault: bridge.vault });
	expect(next === page).toBe(same);
	expect(await next.evaluate(() => ["left" in window, [1, 2].reverse(), innerWidth, document.querySelectorAll(":hover").length])).toEqual([false, [2, 1], 1100, 0]);
	if (!same) await browser.done(next);
});
