/** What is rare and bad: one bridge and one window for all of it, each test with a question of its own. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge } from "./fakeBridge";
import { connected, showSettings } from "./plugin";
import { many, question } from "./questions";

let browser: Browser;
let page: Page;
const bridge = new FakeBridge();
const status = ".vault-bridge-status";
const deny = '.vault-bridge-answers button:has-text("Deny")';
const notes = async (): Promise<string> => page.$$eval(".notice", (all) => all.map((el) => el.textContent).join("\n"));

/** Ask, see, and end the question as its client does that withdraws it. */
async function asked(request: object, see: () => Promise<void>): Promise<void> {
	bridge.ask(request);
	await page.waitForSelector(".vault-bridge-consent");
	await see();
	bridge.pending = [];
	bridge.notify("consent.resolved", { requestId: (request as { requestId: string }).requestId, outcome: "cancelled", by: null });
	await page.waitForSelector(".vault-bridge-consent", { state: "detached" });
}

beforeAll(async () => {
	browser = await Browser.start();
	bridge.answers.set("session.info", () => ({ version: "0.0.1" }));
	await bridge.start();
	page = await browser.open({ vault: bridge.vault });
	await page.clock.install();
	await connected(page);
});
afterAll(async () => {
	await browser.close();
	bridge.end();
});

it("a note in a script from right to left is shown letter by letter, and moves neither its numbers nor its signs", async () => {
	const [gone, come] = ["שלום עולם", "مرحبا (1) بالعالم"];
	const path = "יומן/اليوم.md";
	const file = { path, change: "modify", newPath: null, added: 1, removed: 1, truncated: false, diff: `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-${gone}\n+${come}\n` };
	await asked(question({ requestId: "c-rtl", summary: `Edit ${path}`, preview: { files: [file], backup: null, warnings: [], request: null } }), async () => {
		await expect.poll(async () => page.locator(".vault-bridge-diff .vault-bridge-line").allTextContents()).toEqual([gone, come]);
		const places = await page.$$eval(".vault-bridge-diff .vault-bridge-row", (rows) => rows.map((row) => [...row.children].map((cell) => cell.getBoundingClientRect().left)));
		expect(places).toHaveLength(2);
		for (const lefts of places) expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
	});
});

it("a change of 2,000 files has its answers in view, says what goes first, and finds one of them", async () => {
	await asked(many(2_000), async () => {
		await page.waitForSelector(`${deny} >> visible=true`);
		expect((await page.locator(deny).boundingBox())?.y).toBeLessThan(800);
		await expect.poll(async () => page.innerText(".vault-bridge-follows > summary")).toBe("2000 links in 2000 notes follow");
		await page.waitForSelector(".vault-bridge-files .is-delete[open]");
		await page.fill(".vault-bridge-totals input", "N1999");
		await expect.poll(async () => page.locator(".vault-bridge-follows .vault-bridge-file >> visible=true").count()).toBe(1);
	});
});

it("a question of a later bridge that cannot be shown is said to be there, and is not answered", async () => {
	bridge.notify("consent.requested", question({ requestId: "c-later", riskLevel: "unheard of" }));
	await expect.poll(notes).toContain("A question of the bridge cannot be shown");
	expect(bridge.asked.filter(({ method }) => method === "consent.respond")).toEqual([]);
});

it("a computer that slept finds out that the connection is dead, and the question is there again when it wakes", async () => {
	// Connected anew, so that what looks whether the bridge is there goes by the clock of the test.
	bridge.stop();
	await page.waitForSelector(`${status}:not(.is-connected)`);
	await bridge.start();
	await page.clock.runFor(5_000);
	await connected(page);
	const request = question({ requestId: "c-asleep", expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
	bridge.ask(request);
	await page.waitForSelector(".vault-bridge-consent");
	bridge.answers.set("ping", async () => new Promise(() => undefined));
	await page.clock.runFor(31_000);
	await page.waitForSelector("text=The connection to the bridge is lost");
	expect(await page.locator(`${deny}[aria-disabled="true"]`).count()).toBe(1);
	bridge.answers.set("ping", () => "pong");
	await page.clock.runFor(16_000);
	await page.waitForSelector(`${status}.is-asking`);
	await page.clock.runFor(1_000);
	await page.click(`${deny}[aria-disabled="false"]`);
	expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-asleep", decision: "deny_once" });
	await page.waitForSelector(".vault-bridge-consent", { state: "detached" });
});

it("a bridge that is older than the plugin is used, and said to be old where it stands", async () => {
	await showSettings(page);
	await page.waitForSelector('.setting-item:has-text("Connection"):has-text("version 0.0.1"):has-text("older than this plugin")');
});
