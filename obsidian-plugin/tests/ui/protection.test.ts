/** A program that was told to ask before its own editor changes notes, and may do so without: Obsidian says it. */

import { expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";

const SENTENCE = "Claude Code may edit this vault without asking: <b>settings.json</b> is gone";

eachTestHasAWindow({ prepare: () => { bridge.unprotected = [SENTENCE]; } });

it("says it once, in a notice that stays, as text", async () => {
	await page.waitForSelector(".notice:has-text('may edit this vault without asking')");
	await expect.poll(async () => page.locator(".notice b").count()).toBe(0);
	await expect.poll(async () => page.locator(".notice", { hasText: "<b>settings.json</b>" }).count()).toBe(1);
	bridge.stop();
	bridge.unprotected = [SENTENCE, "Codex may edit this vault without asking"];
	await bridge.start();
	await page.waitForSelector(".notice:has-text('Codex')");
	await expect.poll(async () => page.locator(".notice", { hasText: "Claude Code" }).count()).toBe(1);
});
