/** Log, history, status and getting started, in a real browser. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agents } from "./agents";
import { bridge, browser, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { file } from "./files";
import { connected, runCommand } from "./plugin";

eachTestHasAWindow();

const run = async (command: string): Promise<void> => runCommand(page, command);
const queries = (): object[] => bridge.asked.filter((one) => one.method === "audit.query").map((one) => one.params);
const recorded = <T>(name: string): T[] => JSON.parse(readFileSync(file(`tests/recorded/${name}.json`), "utf8")) as T[];
const undo = (): void => {
	bridge.answers.set("tools.preview", () => recorded("preview-undo"));
	bridge.answers.set("history.undo", () => ({ success: true, text: "Undone: patch-682018be", metadata: {} }));
};

describe("the log", () => {
	it("is filtered and searched by the bridge", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		await page.selectOption('[aria-label="Tool"]', "grep");
		await page.selectOption('[aria-label="Kind"]', "decision");
		await page.fill(".vault-bridge-toolbar input", "TODO");
		await expect.poll(queries).toContainEqual({ tool: "grep", kind: "decision", text: "TODO", actions: true, limit: 100 });
		await page.selectOption('[aria-label="Kind"]', "unanswered");
		await expect.poll(queries).toContainEqual({ tool: "grep", code: "timed_out", text: "TODO", actions: true, limit: 100 });
	});

	it("says each action once, in a sentence, under its day, with no word of the wire", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		const said = await page.locator(".vault-bridge-log-sentence").allTextContents();
		expect(said).toEqual(recorded<{ sentence: string }>("audit").map((one) => one.sentence));
		expect(said.join(" ")).not.toMatch(/[a-z]_[a-z]|undefined|null|[{}]/);
		await expect.poll(async () => page.locator(".vault-bridge-day").count()).toBe(1);
	});

	it("shows all of a line: what was decided, the diff, checksums, the record, and undo", async () => {
		undo();
		await run("view-tool-logs");
		await page.click('.vault-bridge-log-row:has-text("changed “Welcome.md”") >> nth=-1 >> summary');
		const detail = page.locator(".vault-bridge-log-detail");
		await detail.waitFor();
		await expect.poll(async () => detail.textContent()).toContain("You allowed Apply patch for “Welcome.md”, once");
		await expect.poll(async () => detail.textContent()).toContain("Checksum before");
		await detail.locator(".vault-bridge-row").first().waitFor();
		await expect.poll(async () => detail.locator(".vault-bridge-row.is-added .vault-bridge-line").allTextContents()).toEqual(["# Welcome to the vault"]);
		await detail.locator('summary:text-is("The record in the log")').click();
		await expect.poll(async () => detail.locator(".vault-bridge-log-record .vault-bridge-json").textContent()).toContain('"tool": "apply_patch"');
		await detail.locator("text=Undo…").click();
		await page.click('.modal button:text-is("Undo")');
		expect(await bridge.until("history.undo")).toMatchObject({ executionId: expect.stringContaining("patch-") as string });
	});

	it("says why there is no diff where there is none", async () => {
		bridge.answers.set("history.diff", () => { throw new RpcFault(-32602, "There is no change 'x' in the history"); });
		await run("view-tool-logs");
		await page.click('.vault-bridge-log-row:has-text("changed “Welcome.md”") >> nth=-1 >> summary');
		await page.waitForSelector(".vault-bridge-log-detail .vault-bridge-problem:has-text(\"no change 'x'\")");
	});

	it.each(["en-US", "de-DE"])("prints the time beside the sentence, not over it, in %s", async (locale) => {
		await page.evaluate((wanted) => {
			Date.prototype.toLocaleTimeString = function (this: Date, ...[, options]: [Intl.LocalesArgument?, Intl.DateTimeFormatOptions?]): string { return new Intl.DateTimeFormat(wanted, options).format(this); };
		}, locale);
		for (const width of [1100, 500, 320]) {
			await page.setViewportSize({ width, height: 800 });
			await run("view-tool-logs");
			await page.waitForSelector(".vault-bridge-log-row");
			const overlaps = await page.locator(".vault-bridge-log-row > summary").evaluateAll((rows) => rows.filter((row) => {
				const [time, sentence] = [...row.children].map((one) => one.getBoundingClientRect());
				return time && sentence && time.right > sentence.left && time.bottom > sentence.top && sentence.bottom > time.top;
			}).length);
			expect(overlaps).toBe(0);
		}
	});

	it("draws names and words of others as text", async () => {
		const sentence = "“<img src=x onerror=alert(1)>\u202e” (not verified) read “a.md”";
		bridge.answers.set("audit.query", () => [{ seq: 1, timestamp: "2026-01-01T00:00:00.000Z", kind: "execution", tool: "read", client: "x", success: true, sentence }]);
		await run("view-tool-logs");
		await page.waitForSelector('.vault-bridge-log-sentence:has-text("onerror")');
		await expect.poll(async () => page.locator(".vault-bridge-log-sentence img").count()).toBe(0);
		await expect.poll(async () => page.locator(".vault-bridge-log-sentence .vault-bridge-escape").count()).toBe(1);
	});

	it("has on top what nobody answered, until the person has seen it", async () => {
		const missed = recorded<{ code?: string }>("audit").filter((one) => one.code === "timed_out");
		bridge.answers.set("audit.query", ({ code }) => (code === "timed_out" ? missed : recorded("audit")));
		await run("view-tool-logs");
		const box = page.locator(".vault-bridge-unanswered");
		await box.waitFor();
		await expect.poll(async () => box.textContent()).toContain("1 question nobody answered. Nothing was done.");
		await expect.poll(async () => box.textContent()).toContain("Claude Code wanted to write “Inbox/Idea.md”");
		await box.locator('button:text-is("Seen")').click();
		await box.waitFor({ state: "detached" });
		const seen = await page.evaluate(() => window.localStorage.getItem("vault-bridge"));
		expect(seen).toMatch(/"logSeen":"\d{4}-\d\d-\d\dT/);
		bridge.notify("audit.appended", {});
		const { logSeen } = JSON.parse(seen ?? "") as { logSeen: string };
		await expect.poll(queries).toContainEqual({ code: "timed_out", since: logSeen, actions: true, limit: 100 });
	});

	it("says so when older lines cannot be had, and offers them again", async () => {
		const line = (seq: number): object => ({ seq, timestamp: "2026-01-01T00:00:00.000Z", kind: "bridge", tool: null, client: null, event: "started", sentence: `Line ${seq}` });
		let fails = true;
		bridge.answers.set("audit.query", ({ before, code }) => {
			if (code) return [];
			if (before === undefined) return Array.from({ length: 100 }, (_, index) => line(200 - index));
			if (fails) throw new RpcFault(-32603, "The log cannot be read");
			return [line(100)];
		});
		await run("view-tool-logs");
		await page.click('button:text-is("Show older")');
		await page.waitForSelector('.vault-bridge-older .vault-bridge-problem:has-text("The log cannot be read")');
		fails = false;
		await page.click('button:text-is("Show older")');
		await page.waitForSelector('.vault-bridge-log-sentence:text-is("Line 100")');
		await expect.poll(async () => page.locator(".vault-bridge-day").count()).toBe(1);
		await expect.poll(async () => page.locator(".vault-bridge-older").count()).toBe(0);
	});

	it("keeps older lines when something new comes, and leaves out those of another filter", async () => {
		const line = (seq: number): object => ({ seq, timestamp: "2026-01-01T00:00:00.000Z", kind: "bridge", tool: "read", client: null, event: "started", sentence: `Line ${seq}` });
		let answer = (): void => undefined;
		let held = false;
		bridge.answers.set("audit.query", async ({ before, code, kind }) => {
			if (code) return [];
			if (kind) return [line(7)];
			if (before === undefined) return Array.from({ length: 100 }, (_, index) => line(300 - index));
			const older = Array.from({ length: 100 }, (_, index) => line(Number(before) - 1 - index));
			return before === "201" ? older : new Promise((resolve) => { held = true; answer = () => { resolve(older); }; });
		});
		await run("view-tool-logs");
		await page.click('button:text-is("Show older")');
		await page.waitForSelector('.vault-bridge-log-sentence:text-is("Line 101")');
		bridge.notify("audit.appended", {});
		await page.waitForSelector("text=Show new lines");
		expect(await page.locator(".vault-bridge-log-row").count()).toBe(200);
		await page.click('button:text-is("Show older")');
		await expect.poll(() => held).toBe(true);
		await page.selectOption('[aria-label="Kind"]', "decision");
		await expect.poll(async () => page.locator(".vault-bridge-log-sentence").allTextContents()).toEqual(["Line 7"]);
		answer();
		await bridge.request("nothing.of.the.kind", {});
		expect(await page.locator(".vault-bridge-log-sentence").allTextContents()).toEqual(["Line 7"]);
	});

	it("leaves the focus where it is when it grows", async () => {
		const sentences = recorded<{ sentence: string }>("audit").map((one) => one.sentence);
		await run("view-tool-logs");
		const last = page.locator(".vault-bridge-log-row summary").last();
		await last.focus();
		const first = { ...recorded<object>("audit")[0], seq: 9_999, sentence: "Something new" };
		bridge.answers.set("audit.query", ({ code }) => (code ? [] : [first, ...recorded<object>("audit")]));
		bridge.notify("audit.appended", {});
		await page.waitForSelector('.vault-bridge-log-sentence:text-is("Something new")');
		await expect.poll(async () => page.locator(":focus .vault-bridge-log-sentence").allTextContents()).toEqual([sentences.at(-1)]);
	});

	it("grows as things happen, but not under an open line", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		const pages = (): number => queries().filter((one) => !("code" in one)).length;
		const before = pages();
		bridge.notify("audit.appended", {});
		await expect.poll(pages).toBe(before + 1);
		await page.click(".vault-bridge-log-row summary");
		bridge.notify("audit.appended", {});
		await page.waitForSelector("text=Show new lines");
		expect(pages()).toBe(before + 1);
	});

	it("does not shut a line that was opened while the bridge was asked for the newer ones", async () => {
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		let answer = (): void => undefined;
		let asked = 0;
		bridge.answers.set("audit.query", async ({ code }) => {
			if (code) return [];
			asked += 1;
			return new Promise((resolve) => { answer = () => { resolve(recorded("audit")); }; });
		});
		bridge.notify("audit.appended", {});
		await expect.poll(() => asked).toBe(1);
		await page.click(".vault-bridge-log-row summary");
		await page.waitForSelector(".vault-bridge-log-row[open] .vault-bridge-log-detail");
		answer();
		await page.waitForSelector("text=Show new lines");
		expect(await page.locator(".vault-bridge-log-row[open]").count()).toBe(1);
		await page.click("text=Show new lines");
		await expect.poll(() => asked).toBe(2);
		answer();
		await expect.poll(async () => page.locator(".vault-bridge-log-row[open], .vault-bridge-newer").count()).toBe(0);
	});

	it.each([["JSON", "json"], ["CSV", "csv"]])("is exported as %s", async (name, ending) => {
		bridge.answers.set("audit.export", ({ format, kind }) => ({ format, text: `${String(format)} of patch-682018be, ${String(kind)}`, records: 1, truncated: false }));
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-log-row");
		await page.selectOption('[aria-label="Kind"]', "decision");
		const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text=Export ${name}`)]);
		expect(download.suggestedFilename()).toMatch(new RegExp(`^tool-log-\\d{4}-\\d\\d-\\d\\d\\.${ending}$`));
		expect(readFileSync(await download.path(), "utf8")).toBe(`${ending} of patch-682018be, decision`);
	});

	it("tells whether its chain is whole, and can be cleared, where the bridge can", async () => {
		bridge.answers.set("audit.verify", () => ({ whole: false, faultCount: 1, faults: [{ kind: "altered", file: "audit.jsonl", message: "Line 7 was changed." }] }));
		bridge.answers.set("audit.stats", () => recorded("audit-stats"));
		bridge.answers.set("audit.clear", () => ({}));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await connected(page);
		await page.waitForTimeout(200);
		await run("view-tool-logs");
		await page.waitForSelector(".vault-bridge-chain.is-broken:has-text('Line 7 was changed.')");
		await page.click('.vault-bridge-toolbar button:text-is("Clear")');
		await page.click('.modal button:text-is("Clear log")');
		await bridge.until("audit.clear");
	});
});

describe("the history", () => {
	it("shows what an undo does before it is done", async () => {
		undo();
		await run("undo-change");
		await page.waitForSelector(".modal .vault-bridge-diff");
		expect(bridge.asked.some((one) => one.method === "history.undo")).toBe(false);
		await page.click('.modal button:text-is("Undo")');
		expect(await bridge.until("history.undo")).toEqual({});
		await page.waitForSelector('.notice:has-text("Undone")');
	});

	it("says why there is nothing to undo", async () => {
		bridge.answers.set("tools.preview", () => ({ success: false, error: "There is nothing to undo", errorType: "not_found", text: "", metadata: {} }));
		await run("undo-change");
		await page.waitForSelector('.notice:has-text("There is nothing to undo")');
	});

	it("shows each change by its day, with what it was, and what it did without undoing it", async () => {
		await run("show-changes");
		await page.waitForSelector(".vault-bridge-change");
		await expect.poll(async () => page.locator(".vault-bridge-day").count()).toBe(1);
		const row = page.locator(".vault-bridge-change", { hasText: "Edit Welcome.md: 1 line changed" });
		await expect.poll(async () => row.textContent()).toContain("Claude Code");
		await row.locator("summary").first().click();
		await row.locator(".vault-bridge-row.is-added").first().waitFor();
		await expect.poll(async () => row.locator(".vault-bridge-row.is-added .vault-bridge-line").allTextContents()).toEqual(["# Welcome to the vault"]);
		expect(bridge.asked.filter((one) => one.method === "tools.preview")).toEqual([]);
	});

	it("takes what is pressed while it is asked for again, and is drawn anew then", async () => {
		undo();
		await run("show-changes");
		const lists = (): number => bridge.asked.filter((one) => one.method === "history.list").length;
		await page.hover('.vault-bridge-change button:has-text("Undo") >> nth=0');
		const before = lists();
		await page.mouse.down();
		bridge.answers.set("history.list", () => []);
		bridge.notify("audit.appended", {});
		await expect.poll(lists).toBeGreaterThan(before);
		await page.evaluate(async () => new Promise(requestAnimationFrame));
		await page.mouse.up();
		await page.waitForSelector(".modal .vault-bridge-diff");
		await page.waitForSelector('.vault-bridge-empty:has-text("No change is recorded yet.")');
	});

	it("names each button after the change that it is for", async () => {
		await run("show-changes");
		await page.waitForSelector(".vault-bridge-change-button");
		const names = await page.locator(".vault-bridge-change-button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
		expect(names).toContain("Undo: Add the tag #preserves to Kitchen/Plum jam.md");
		expect(new Set(names).size).toBe(names.length);
	});

	it("says which files are no longer kept", async () => {
		bridge.answers.set("history.diff", () => ({ files: [{ path: "a.md", change: "modify" }], lost: ["a.md"] }));
		await run("show-changes");
		await page.click(".vault-bridge-change summary");
		await page.waitForSelector('.vault-bridge-note:has-text("Not kept: what a.md held before or after this change.")');
	});

	it("is filtered by program and time, and undoes exactly what it has listed", async () => {
		const first = recorded<{ client: string; clientId: string }>("history").find((one) => one.client === "Claude Code");
		await run("show-changes");
		await page.waitForSelector(".vault-bridge-change");
		const button = page.locator('button:text-is("Undo these…")');
		await expect.poll(async () => page.locator('[aria-label="Time"] option:checked').textContent()).toBe("Any time");
		await expect.poll(async () => button.isDisabled()).toBe(true);
		await page.selectOption('[aria-label="Program"]', { label: "Claude Code" });
		await page.selectOption('[aria-label="Time"]', { label: "Last hour" });
		await expect.poll(() => bridge.asked.filter((one) => one.method === "history.list").at(-1)?.params).toMatchObject({ client: first?.clientId, since: expect.stringMatching(/Z$/) as string });
		await button.click();
		const modal = page.locator(".modal.vault-bridge-undo-all");
		await modal.waitFor();
		await expect.poll(async () => modal.textContent()).toContain("Would undo 1 change in 1 file. 1 change cannot be undone.");
		await expect.poll(async () => modal.textContent()).toContain("'Inbox/Idea.md' was edited since");
		expect(bridge.asked.filter((one) => one.method === "history.undoAll" && one.params["preview"] !== true)).toEqual([]);
		await modal.locator('button:text-is("Undo 1 change")').click();
		await page.waitForSelector('.notice:has-text("Undid 1 change in 1 file.")');
		const changes = (recorded("history-undo-all") as unknown as { changes: { executionId: string; undone: boolean }[] }).changes;
		await expect.poll(() => bridge.asked.filter((one) => one.method === "history.undoAll").at(-1)?.params).toEqual({ executionIds: changes.filter((one) => one.undone).map((one) => one.executionId) });
	});

	it("names the files that an undo leaves as they are, before it and in the history, and offers to undo the rest", async () => {
		undo();
		const left = [{ path: "Inbox/Mine.md", why: "it was edited since" }];
		const said = "Inbox/Mine.md stays as it is: it was edited since";
		const change = { ...recorded<object>("history").find((one) => (one as { state: string }).state === "applied"), executionId: "x-1", state: "undone", outside: false, left };
		bridge.answers.set("history.list", () => [change]);
		bridge.answers.set("history.undoAll", () => ({ changes: [{ ...change, undone: true, why: null }], undone: 1, skipped: 0, files: 1, text: "Would undo 1 change in 1 file. 1 file stays as it is" }));
		await run("show-changes");
		const row = page.locator(".vault-bridge-change");
		await expect.poll(async () => row.locator("summary").first().textContent()).toContain("undone in part");
		await row.locator("summary").first().click();
		await expect.poll(async () => row.textContent()).toContain(said);
		await row.locator('button:has-text("Undo the rest")').click();
		await expect.poll(() => bridge.asked.filter((one) => one.method === "tools.preview").at(-1)?.params).toEqual({ name: "history_undo", arguments: { executionId: "x-1" } });
		await page.click('.modal button:text-is("Cancel")');
		await run("undo-last-hour");
		const modal = page.locator(".modal.vault-bridge-undo-all");
		await expect.poll(async () => modal.textContent()).toContain(said);
		await modal.locator('button:text-is("Undo 1 change")').click();
		await page.waitForSelector(`.notice:has-text("${said}")`);
	});

	it("undoes nothing when the list is closed, and says when there is nothing to undo", async () => {
		await run("undo-last-hour");
		await page.click('.modal.vault-bridge-undo-all button:text-is("Cancel")');
		await expect.poll(() => bridge.asked.filter((one) => one.method === "history.undoAll")).toHaveLength(1);
		bridge.answers.set("history.undoAll", () => ({ changes: [], undone: 0, skipped: 0, files: 0, text: "There is nothing to undo" }));
		await run("undo-last-hour");
		await page.waitForSelector('.notice:has-text("There is nothing to undo")');
	});

	it("says so when older changes cannot be had", async () => {
		const change = (number: number): object => ({ ...recorded<object>("history")[0], executionId: `x-${number}` });
		bridge.answers.set("history.list", ({ before }) => {
			if (before !== undefined) throw new RpcFault(-32603, "A fault in the bridge");
			return Array.from({ length: 50 }, (_, index) => change(index));
		});
		await run("show-changes");
		await page.click('button:text-is("Show older")');
		await page.waitForSelector('.vault-bridge-older .vault-bridge-problem:has-text("A fault in the bridge")');
	});

	it("says so when the bridge fails", async () => {
		bridge.answers.set("history.list", () => { throw new RpcFault(-32603, "A fault in the bridge"); });
		await run("show-changes");
		await page.waitForSelector(".vault-bridge-empty:has-text('A fault in the bridge')");
	});
});

describe("the status bar", () => {
	it("shows what runs, and when an agent has to wait", async () => {
		bridge.notify("tool.started", { executionId: "x-1", tool: "grep", client: "Claude Code" });
		await page.waitForSelector('.vault-bridge-status:has-text("grep")');
		bridge.notify("tool.finished", { executionId: "x-1", tool: "grep", client: "Claude Code", success: true, durationMs: 3 });
		await page.waitForSelector('.vault-bridge-status:has-text("Bridge")');
		bridge.notify("limits.hit", { tool: "grep", retryAfter: 12, client: "Claude Code", message: "Tool rate limit reached. Please wait 12 seconds." });
		bridge.notify("limits.hit", { tool: "grep", retryAfter: 11, client: "Claude Code", message: "Tool rate limit reached. Please wait 11 seconds." });
		await page.waitForSelector(".notice");
		await expect.poll(async () => page.$$(".notice")).toHaveLength(1);
	});

	it("says when the bridge is lost, and when none is there", async () => {
		bridge.stop();
		await page.waitForSelector('.vault-bridge-status.is-trouble:has-text("Bridge lost")');
		bridge.end();
		await page.waitForSelector('.vault-bridge-status:has-text("Bridge off")');
	});

	it("opens its menu by keyboard", async () => {
		await page.focus(".vault-bridge-status");
		await page.keyboard.press("Enter");
		await page.click('.menu-item:has-text("Changes")');
		await page.waitForSelector(".vault-bridge-history");
	});
});

describe("getting started", () => {
	it("opens by itself once, and offers the presets", async () => {
		const first = await browser.open({ vault: bridge.vault, welcomed: false });
		bridge.answers.set("settings.update", () => ({ settings: {}, warnings: [] }));
		await first.click(".vault-bridge-start-own > summary");
		await first.click('.vault-bridge-preset:has-text("Minimal")');
		expect(await bridge.until("settings.update")).toEqual({ patch: { enabledTools: ["find", "grep", "read"] } });
		expect(await first.evaluate(() => window.localStorage.getItem("vault-bridge"))).toContain('"welcomed":true');
		await first.close();
	});

	it("finds by itself a program that is installed meanwhile, and leaves the focus where it is", async () => {
		bridge.agents = agents.map((one) => ({ ...one, here: false, client: null, fault: null }));
		await run("getting-started");
		await page.waitForSelector("text=Install one of them. This page goes on by itself.");
		await page.locator('button:text-is("Ask a demo question")').focus();
		bridge.agents = agents.map((one) => ({ ...one, client: null }));
		await page.waitForSelector('.vault-bridge-agent:has-text("Codex")');
		expect(await page.locator(":focus").textContent()).toBe("Ask a demo question");
	});
});

it("leaves nothing behind when the plugin is unloaded", async () => {
	await page.evaluate(() => { window.host.plugin.unload(); });
	await expect.poll(async () => page.$$(".vault-bridge-status")).toHaveLength(0);
	await expect.poll(async () => page.$$(".side-dock-ribbon-action")).toHaveLength(0);
	expect(await page.evaluate(() => window.host.app.commands.size)).toBe(0);
});
