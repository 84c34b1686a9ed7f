/** The notice about what other programs did: it is there once, and every button does what it says. */

import { beforeEach, describe, expect, it } from "vitest";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";
import { recorded } from "./files";
import { noticed } from "./outside";
import { connected, runCommand } from "./plugin";

eachTestHasAWindow();

const notice = '.notice:has-text("Another program")';
const fines = (): number => bridge.asked.filter((one) => one.method === "versions.fine").length;
const text = async (): Promise<string> => (await page.textContent(`${notice} .vault-bridge-notice-text`)) ?? "";
const entry = (recorded("history") as { executionId: string }[]).find((one) => one.executionId === "outside-1");

beforeEach(() => { expect(entry).toBeDefined(); });

describe("a notice about other programs", () => {
	it("is shown as text, and counts on in its place", async () => {
		bridge.notify("versions.noticed", noticed({ message: "<img src=x>\u202e.md lost most of its lines" }));
		await page.waitForSelector(notice);
		await expect.poll(async () => text()).toContain("<img src=x>U+202E.md lost most of its lines");
		await expect.poll(async () => page.$$(`${notice} img`)).toHaveLength(0);
		bridge.notify("versions.noticed", noticed({ message: "40 notes deleted" }));
		await page.waitForSelector('.notice:has-text("40 notes deleted")');
		await expect.poll(async () => page.$$(".notice")).toHaveLength(1);
		expect(fines()).toBe(0);
	});

	it("takes no focus from a note", async () => {
		await page.evaluate(() => { document.body.createEl("textarea", { cls: "a-note" }).focus(); });
		bridge.notify("versions.noticed", noticed());
		await page.waitForSelector(notice);
		await page.keyboard.type("x");
		await expect.poll(async () => page.inputValue(".a-note")).toBe("x");
	});

	it("is not hidden by an answer from before", async () => {
		const letGo = await bridge.delay("versions.notice", noticed({ entries: [] }));
		bridge.notify("versions.noticed", noticed());
		await page.waitForSelector(notice);
		await letGo();
		expect(await page.isVisible(notice)).toBe(true);
	});

	it("goes when the bridge says that it is over, and when the bridge goes", async () => {
		bridge.notify("versions.noticed", noticed());
		await page.waitForSelector(notice);
		bridge.notify("versions.noticed", noticed({ entries: [] }));
		await page.waitForSelector(notice, { state: "detached" });
		bridge.notify("versions.noticed", noticed());
		await page.waitForSelector(notice);
		bridge.stop();
		await page.waitForSelector(notice, { state: "detached" });
		expect(fines()).toBe(0);
	});

	it.each(["Fine", null])("is answered by %s, or by a click beside the buttons", async (label) => {
		bridge.notify("versions.noticed", noticed());
		await page.waitForSelector(notice);
		if (label === null) await page.click(`${notice} .vault-bridge-notice-text`);
		else await page.click(`${notice} button:text-is("${label}")`);
		await page.waitForSelector(notice, { state: "detached" });
		await bridge.until("versions.fine");
		await expect.poll(() => fines()).toBe(1);
	});

	it("opens the list at its entry, with what it did, whatever the list was narrowed to", async () => {
		await runCommand(page, "show-changes");
		await page.waitForSelector(".vault-bridge-change");
		await page.selectOption('[aria-label="Program"]', { label: "Claude Code" });
		await page.selectOption('[aria-label="Time"]', { label: "Last hour" });
		bridge.notify("versions.noticed", noticed());
		await page.click(`${notice} button:text-is("Review")`);
		await page.waitForSelector('[data-change="outside-1"] details[open] .vault-bridge-row');
		await expect.poll(async () => page.$$(".vault-bridge-change-main[open]")).toHaveLength(1);
		await expect.poll(async () => page.locator('[aria-label="Program"] option:checked').textContent()).toBe("Another program");
		await expect.poll(async () => page.locator('[aria-label="Time"] option:checked').textContent()).toBe("Any time");
		await expect.poll(() => bridge.asked.filter((one) => one.method === "history.list").at(-1)?.params).toEqual({ limit: 50, origin: "program" });
		await expect.poll(async () => page.locator('button:text-is("Undo these…")').isDisabled()).toBe(true);
		await expect.poll(() => fines()).toBe(1);
	});

	it("opens its entry also where the list is asked for again meanwhile", async () => {
		const lists = (): number => bridge.asked.filter(({ method, params }) => method === "history.list" && params["origin"] === "program").length;
		await runCommand(page, "show-changes");
		await page.waitForSelector(".vault-bridge-change");
		const waiting: (() => void)[] = [];
		bridge.answers.set("history.list", async () => new Promise((resolve) => waiting.push(() => { resolve(recorded("history")); })));
		bridge.notify("versions.noticed", noticed());
		await page.click(`${notice} button:text-is("Review")`);
		await expect.poll(lists).toBeGreaterThan(0);
		const before = lists();
		bridge.notify("tool.finished", { executionId: "grep-1", tool: "grep", client: "Claude Code", callId: null, success: true, durationMs: 1 });
		await expect.poll(lists).toBeGreaterThan(before);
		bridge.answers.set("history.list", () => recorded("history"));
		while (waiting.length > 0) waiting.shift()?.();
		await page.waitForSelector('[data-change="outside-1"] details[open] .vault-bridge-row');
	});

	it("shows what an undo does, and does it when the person says so", async () => {
		bridge.answers.set("tools.preview", () => recorded("preview-undo"));
		bridge.answers.set("history.undo", () => ({ success: true, text: "Undone: outside-1", metadata: {} }));
		bridge.notify("versions.noticed", noticed());
		await page.click(`${notice} button:text-is("Undo…")`);
		await page.waitForSelector(".modal .vault-bridge-diff");
		await expect.poll(async () => page.textContent(".modal .vault-bridge-note")).toBe("If this vault is synced, your other devices get this too.");
		expect(bridge.asked.filter((one) => one.method === "history.undo")).toEqual([]);
		expect(await bridge.until("tools.preview")).toEqual({ name: "history_undo_outside", arguments: { executionId: "outside-1" } });
		await page.click('.modal button:text-is("Undo")');
		expect(await bridge.until("history.undo")).toEqual({ executionId: "outside-1" });
	});

	it("offers to mend the links that it broke, shows how, and does exactly that", async () => {
		const { plan: { files, warnings } } = recorded("preview-undo") as { plan: { files: unknown[]; warnings: string[] } };
		const foreseen = { plan: "digest-1", text: "Mend 2 links in 1 note that outside-1 broke", files, warnings };
		bridge.answers.set("history.list", () => (recorded("history") as { executionId: string }[]).map((one) => ({ ...one, brokenLinks: one.executionId === "outside-1" ? 2 : 0 })));
		bridge.answers.set("versions.broken", () => foreseen);
		bridge.answers.set("versions.mend", () => ({ success: true, text: "Mended: links in 1 file", metadata: {} }));
		bridge.notify("versions.noticed", noticed());
		await page.click(`${notice} button:text-is("Review")`);
		await expect.poll(async () => page.locator(".vault-bridge-change-button:has-text('Mend links')").count()).toBe(1);
		await page.click('[data-change="outside-1"] .vault-bridge-change-button:has-text("Mend links")');
		await page.waitForSelector('.modal:has-text("Mend 2 links in 1 note") .vault-bridge-diff');
		expect(bridge.asked.filter((one) => one.method === "versions.mend")).toEqual([]);
		await page.click('.modal button:text-is("Mend")');
		expect(await bridge.until("versions.mend")).toEqual({ executionId: "outside-1", plan: "digest-1" });
		await page.waitForSelector('.notice:has-text("Mended: links in 1 file")');
	});

	it("says why there is nothing to mend", async () => {
		bridge.answers.set("history.list", () => (recorded("history") as object[]).map((one) => ({ ...one, brokenLinks: 1 })));
		bridge.answers.set("versions.broken", () => ({ plan: null, text: "None of these links can be mended", files: [], warnings: [] }));
		bridge.notify("versions.noticed", noticed());
		await page.click(`${notice} button:text-is("Review")`);
		await page.click('[data-change="outside-1"] .vault-bridge-change-button:has-text("Mend links")');
		await page.waitForSelector('.notice:has-text("None of these links can be mended")');
	});

	it("offers no undo of several at once", async () => {
		bridge.notify("versions.noticed", noticed({ entries: ["outside-2", "outside-1"] }));
		await page.waitForSelector(notice);
		await expect.poll(async () => page.locator(`${notice} button`).allTextContents()).toEqual(["Review", "Fine"]);
	});

	it("is there for a window that comes later", async () => {
		bridge.answers.set("versions.notice", () => noticed({ message: "500 notes deleted", unattended: true }));
		const later = await browser.open({ vault: bridge.vault });
		await connected(later);
		await later.waitForSelector('.notice:has-text("500 notes deleted while the bridge was not running")');
		await later.close();
	});

	it("is no trouble where the bridge is older and knows of none", async () => {
		bridge.answers.delete("versions.notice");
		const later = await browser.open({ vault: bridge.vault });
		await connected(later);
		await expect.poll(async () => later.$$(".notice")).toHaveLength(0);
		await later.close();
	});
});
