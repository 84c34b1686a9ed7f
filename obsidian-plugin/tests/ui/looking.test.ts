/** What the person looks at: told to the bridge while a program may see it, and shown as long as one may. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { grants } from "./programs";
import { connected, runCommand } from "./plugin";

const PLAN = "# Plan\n\n| a | b |\n| - | - |\n| 1 |\n\nRest.\n";
const TABLE = "| a | b |\n| - | - |\n| 1 |";
const mark = ".vault-bridge-looking";
const note = ".workspace-leaf-content .cm-content";

interface Told {
	open: { path: string; view: string; selection: Record<string, unknown> | null } | null;
	tabs: string[];
	recent: string[];
}

const told = (): Told[] => bridge.asked.filter(({ method }) => method === "screen.tell").map(({ params }) => params["screen"] as Told);
const last = (): Told | undefined => told().at(-1);
const open = async (path: string): Promise<void> => page.evaluate(async (name) => window.host.app.workspace.openLinkText(name), path);
const select = async (start: number, end: number): Promise<void> => page.evaluate(([from, to]) => {
	const view = window.host.app.workspace.getLeavesOfType("markdown").at(-1)?.view as unknown as { editorEl: { focus: () => void; setSelectionRange: (from: number, to: number) => void } };
	view.editorEl.focus();
	view.editorEl.setSelectionRange(from, to);
}, [start, end] as const);

eachTestHasAWindow({
	prepare: () => {
		writeFileSync(join(bridge.vault, "Plan.md"), PLAN);
		writeFileSync(join(bridge.vault, "Other.md"), "other\n");
		writeFileSync(join(bridge.vault, "Long.md"), `${"0123456789".repeat(300)}\n${"x".repeat(19_999)}😀 and more ${"y".repeat(50)}\nend`);
		writeFileSync(join(bridge.vault, "Diary.md"), "Dear diary\n");
	},
});

describe("while no program may see it", () => {
	it("nothing leaves the app, whatever the person does", async () => {
		await open("Plan.md");
		await select(8, 35);
		await open("Other.md");
		await bridge.until("screen.clients");
		await wait(500);
		expect(told()).toEqual([]);
		expect(await page.isVisible(mark)).toBe(false);
	});

	it("an answer from before the permission ended shows nothing", async () => {
		const letGo = await bridge.delay("screen.clients", { clients: ["Claude Code"] });
		bridge.notify("grants.changed", { bounded: [] });
		await expect.poll(() => bridge.asked.filter(({ method }) => method === "screen.clients").length).toBe(3);
		await letGo();
		expect([told(), await page.isVisible(mark)]).toEqual([[], false]);
	});

	it("nothing is asked of an older bridge, and nothing shown", async () => {
		bridge.answers.set("screen.clients", () => { throw new RpcFault(-32601, "Method not found"); });
		bridge.notify("grants.changed", { bounded: [] });
		await open("Plan.md");
		await expect.poll(() => bridge.asked.filter(({ method }) => method === "screen.clients").length).toBe(2);
		expect([told(), await page.isVisible(mark)]).toEqual([[], false]);
	});
});

describe("while a program may see it", () => {
	beforeEach(async () => {
		bridge.lookers = ["Claude Code"];
		bridge.notify("grants.changed", { bounded: [] });
		await page.waitForSelector(`${mark}:has-text("Claude Code")`);
	});

	it("the open note is told with what is selected, its lines and the text around it", async () => {
		await open("Plan.md");
		await select(PLAN.indexOf(TABLE), PLAN.indexOf(TABLE) + TABLE.length);
		await expect.poll(() => last()?.open?.selection?.["text"]).toBe(TABLE);
		expect(last()).toEqual({
			open: {
				path: "Plan.md",
				view: "source",
				selection: { text: TABLE, cut: false, start: { line: 3, column: 0 }, end: { line: 5, column: 5 }, before: "# Plan\n\n", after: "\n\nRest.\n" },
			},
			tabs: ["Plan.md"],
			recent: ["Plan.md"],
		});
	});

	it("of much that is selected as much is told as the bridge takes, and that there is more", async () => {
		await open("Long.md");
		await select(3001, 3001 + 20_050);
		await expect.poll(() => last()?.open?.selection?.["cut"]).toBe(true);
		const { text, before } = last()?.open?.selection as { text: string; before: string };
		expect([text.length, text.endsWith("x"), before]).toEqual([19_999, true, ""]);
	});

	it("the note stays in front while the person is in a sidebar, and is gone when it is closed", async () => {
		await open("Plan.md");
		await expect.poll(() => last()?.open?.path).toBe("Plan.md");
		await runCommand(page, "open-chat");
		await page.waitForSelector(".vault-bridge-chat");
		await page.evaluate(() => { window.host.app.workspace.trigger("active-leaf-change"); });
		await open("Other.md");
		await expect.poll(() => last()?.open?.path).toBe("Other.md");
		await page.evaluate(() => { for (const leaf of window.host.app.workspace.getLeavesOfType("markdown")) leaf.detach(); });
		await expect.poll(() => last()?.open).toBe(null);
		expect(last()?.tabs).toEqual([]);
	});

	it("another view among the notes does not take the note's place, and a tab nobody has looked at is told and not loaded", async () => {
		await open("Plan.md");
		await page.evaluate(async () => window.host.app.workspace.getLeaf("tab").defer("Diary.md"));
		await runCommand(page, "view-tool-logs");
		await expect.poll(() => last()?.tabs).toEqual(["Plan.md", "Diary.md"]);
		expect(last()?.open?.path).toBe("Plan.md");
		expect(await page.evaluate(() => window.host.app.workspace.getLeavesOfType("markdown").map((leaf) => leaf.isDeferred))).toEqual([false, true]);
	});

	it("typing is told once, when the person pauses", async () => {
		await open("Plan.md");
		await expect.poll(() => last()?.open?.path).toBe("Plan.md");
		const before = told().length;
		await page.locator(note).pressSequentially("twelve words", { delay: 5 });
		await expect.poll(() => last()?.open?.selection?.["before"]).toContain("twelve words");
		expect(told().length - before).toBeLessThan(12);
	});

	it("the mark says who, and a press ends it", async () => {
		bridge.answers.set("consent.grants", () => [...grants, { ...grants[0], grantId: "s-9", what: "looking" }]);
		bridge.answers.set("consent.revoke", () => {
			bridge.lookers = [];
			bridge.notify("grants.changed", { bounded: [] });
			return { revoked: true };
		});
		expect(await page.getAttribute(mark, "aria-label")).toBe("Vault Bridge: Claude Code may see what you look at");
		await page.click(mark);
		await page.click('.menu-item:has-text("End this now")');
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "s-9" });
		await page.waitForSelector(mark, { state: "hidden" });
		const before = told().length;
		await open("Plan.md");
		await wait(500);
		expect(told().length).toBe(before);
	});

	it("it ends with the answer that nobody may see it any more, and with the connection", async () => {
		bridge.lookers = [];
		await open("Plan.md");
		await page.waitForSelector(mark, { state: "hidden" });
		bridge.lookers = ["Claude Code", "Codex"];
		bridge.notify("clients.changed", { message: "" });
		await page.waitForSelector(`${mark}:has-text("2 programs")`);
		bridge.stop();
		await page.waitForSelector(mark, { state: "hidden" });
		await bridge.start();
		await connected(page);
		await page.waitForSelector(`${mark}:has-text("2 programs")`);
	});
});

describe("what a program wants to show", () => {
	const show = (more: object = {}): void => { bridge.notify("screen.show", { client: "Claude Code", path: "Plan.md", part: "", line: null, unasked: false, ...more }); };
	const views = async (): Promise<string[]> => page.evaluate(() => window.host.app.workspace.getLeavesOfType("markdown").map((leaf) => leaf.view?.getDisplayText() ?? ""));

	it("is offered one at a time, of each program the latest, and opened by a click at its place", async () => {
		show({ line: 3 });
		show({ path: "Diary.md" });
		show({ path: "Other.md" });
		show({ path: "Long.md", client: "Codex" });
		await page.waitForSelector('.notice:has-text("Claude Code wants to show you Plan.md, line 3")');
		expect(await page.locator(".notice").count()).toBe(1);
		expect(await views()).toEqual([]);
		await page.click('.notice button:text-is("Open")');
		await expect.poll(views).toEqual(["Plan.md"]);
		expect(await page.evaluate(() => (window.host.app.workspace.getLeavesOfType("markdown")[0]?.view as unknown as { editor: { getCursor: (side: string) => { line: number } } }).editor.getCursor("from").line)).toBe(2);
		await page.click('.notice:has-text("Claude Code wants to show you Other.md") button:text-is("Not now")');
		await page.click('.notice:has-text("Codex wants to show you Long.md") button:text-is("Not now")');
		await page.waitForSelector(".notice", { state: "detached" });
		expect(await views()).toEqual(["Plan.md"]);
	});

	it("is opened without a click in one tab, unless the person has gone on or pinned it", async () => {
		for (const path of ["Plan.md", "Other.md"]) {
			show({ path, unasked: true });
			await expect.poll(views).toEqual([path]);
		}
		await page.evaluate(async () => { await window.host.app.workspace.openIn(window.host.app.workspace.getLeavesOfType("markdown")[0] as never, "Diary.md"); });
		show({ unasked: true });
		await expect.poll(views).toEqual(["Diary.md", "Plan.md"]);
		await page.evaluate(() => { (window.host.app.workspace.getLeavesOfType("markdown")[1] as unknown as { pinned: boolean }).pinned = true; });
		show({ path: "Other.md", unasked: true });
		await expect.poll(views).toEqual(["Diary.md", "Plan.md", "Other.md"]);
	});

	it("is not opened by a click beside that, and is opened at once where the person allowed it", async () => {
		show({ part: "Plan" });
		await page.click('.notice:has-text("Plan.md, Plan") button:text-is("Not now")');
		await page.waitForSelector(".notice", { state: "detached" });
		expect(await views()).toEqual([]);
		show({ part: "Plan", unasked: true });
		await expect.poll(views).toEqual(["Plan.md"]);
	});

	it("is said to be gone where it is gone, and makes no note", async () => {
		show({ path: "None.md", unasked: true });
		await page.waitForSelector('.notice:has-text("There is no None.md any more.")');
		expect(await views()).toEqual([]);
	});
});
