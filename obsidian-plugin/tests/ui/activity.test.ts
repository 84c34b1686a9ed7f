/** How much agents did, in a real browser. */

import { describe, expect, it } from "vitest";
import { activity, idle } from "./activity";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { recorded } from "./files";
import { runCommand } from "./plugin";

eachTestHasAWindow();

async function open(answer: (params: Record<string, unknown>) => unknown = ({ days }) => activity(days as number)): Promise<void> {
	bridge.answers.set("audit.activity", answer);
	await runCommand(page, "agents-activity");
}
const table = (caption: string): string => `.vault-bridge-activity table:has(caption:text-is("${caption}"))`;

describe("the agents' activity", () => {
	it("is drawn as bars as high as their numbers, which are in a table too", async () => {
		await open();
		await page.waitForSelector(".vault-bridge-activity svg");
		const calls = page.locator('.vault-bridge-activity svg[aria-label^="Calls by day"]');
		await expect.poll(async () => calls.getAttribute("aria-label")).toContain("182 in all, at most 64 on ");
		const heights = await calls.locator("rect").evaluateAll((bars) => {
			const days = new Map<string, number>();
			for (const bar of bars) days.set(bar.getAttribute("x") ?? "", (days.get(bar.getAttribute("x") ?? "") ?? 0) + Number(bar.getAttribute("height")));
			return [...days.values()];
		});
		expect(heights.map((height) => Math.round((height / 60) * 64))).toEqual([12, 48, 31, 5, 64, 22]);
		await page.click('.vault-bridge-activity summary:text-is("The numbers of each day")');
		const rows = page.locator(`${table("Each day")} tbody tr`);
		await expect.poll(async () => rows.nth(5).locator("th, td").allTextContents()).toEqual(["2026-01-30", "51", "8", "5", "4", "0", "1", "1"]);
		await expect.poll(async () => rows.count()).toBe(7);
	});

	it("names programs and tools as text, whatever they call themselves", async () => {
		await open();
		await page.waitForSelector(table("Programs"));
		await expect.poll(async () => page.locator(`${table("Programs")} tbody tr`).first().locator("th, td").allTextContents()).toEqual(["Claude Code", "150", "12", "9", "20"]);
		await expect.poll(async () => page.locator(".vault-bridge-activity img").count()).toBe(0);
		await expect.poll(async () => page.locator(`${table("Programs")} .vault-bridge-escape`).count()).toBe(1);
		await expect.poll(async () => page.locator(`${table("Tools")} tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))).toEqual([
			["grep", "120", "12 ms", "88 ms"],
			["web_fetch", "25", "840 ms", "4.2 s"],
			["apply_patch", "3", "–", "–"],
		]);
	});

	it("is of the period that the person chooses", async () => {
		await open();
		await page.waitForSelector(".vault-bridge-activity svg");
		await page.selectOption('.vault-bridge-toolbar [aria-label="Time"]', "90");
		await bridge.untilAsked(({ method, params }) => method === "audit.activity" && params["days"] === 90);
		await expect.poll(async () => page.locator(`${table("Each day")} tbody tr`).count()).toBe(90);
	});

	it("says what will be here where nothing happened yet", async () => {
		await open(() => idle);
		await page.waitForSelector('.vault-bridge-empty:has-text("No agent did anything in these days")');
		await expect.poll(async () => page.locator(".vault-bridge-activity svg").count()).toBe(0);
	});

	it("says why when it cannot be had, and comes when it can", async () => {
		await open(() => { throw new RpcFault(-32000, "The audit log cannot be read: Permission denied"); });
		await page.waitForSelector('.vault-bridge-empty:has-text("Permission denied")');
		bridge.answers.set("audit.activity", () => activity(7));
		await page.click('.vault-bridge-toolbar button:text-is("Refresh")');
		await page.waitForSelector(".vault-bridge-activity svg");
	});

	it("is one press away from the log, and the log from it", async () => {
		bridge.answers.set("audit.activity", () => activity(7));
		await runCommand(page, "view-tool-logs");
		await page.click('.vault-bridge-toolbar button:text-is("Activity")');
		await page.waitForSelector(".vault-bridge-activity svg");
		await page.click('.vault-bridge-toolbar button:text-is("View log")');
		await expect.poll(async () => page.locator(".vault-bridge-log").isVisible()).toBe(true);
	});

	it("stays in front of a log that the bridge is slow to fill", async () => {
		bridge.answers.set("audit.activity", () => activity(7));
		let fill = (): void => undefined;
		const late = new Promise((resolve) => { fill = () => { resolve(recorded("audit")); }; });
		bridge.answers.set("audit.query", async () => late);
		await runCommand(page, "view-tool-logs");
		await page.click('.vault-bridge-toolbar button:text-is("Activity")');
		await page.waitForSelector(".vault-bridge-activity svg");
		fill();
		await bridge.until("audit.verify"); // which is asked for when the lines are drawn
		await page.evaluate(async () => new Promise(requestAnimationFrame));
		await expect.poll(async () => page.locator(".vault-bridge-activity").isVisible()).toBe(true);
	});
});
