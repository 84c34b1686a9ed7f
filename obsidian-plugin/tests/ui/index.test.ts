/** The check of the index in a real browser: what Obsidian knows is sent as it is, what the bridge finds is drawn as text. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { openNote, runCommand, typeNote } from "./plugin";

const NOTHING = { compared: 0, links: 0, tags: 0, differences: [], more: 0, uncompared: [] };
const difference = (number: number): object => ({ path: `${number}.md`, kind: "link", target: "b.md", obsidian: 2, bridge: 1 });

eachTestHasAWindow({
	prepare: () => {
		writeFileSync(join(bridge.vault, "a.md"), "#t [[b]] [[c#d]]");
		writeFileSync(join(bridge.vault, "b.md"), "");
		writeFileSync(join(bridge.vault, "new.md"), "");
	},
});
beforeEach(async () => {
	await page.evaluate(() => {
		const { metadataCache } = window.host.app;
		metadataCache.know("a.md", { "b.md": 1 }, { c: 1 }, { frontmatter: { tags: ["p"] }, tags: [{ tag: "#t" }] });
		metadataCache.know("b.md", {}, {}, {});
	});
});

const run = async (): Promise<void> => runCommand(page, "check-index");
const answer = (first: object): void => {
	bridge.answers.set("index.compare", ({ notes }) => (notes ? NOTHING : { ...NOTHING, ...first }));
};
const text = async (): Promise<string> => (await page.textContent(".modal")) ?? "";

describe("the check of the index", () => {
	it("sends what Obsidian knows of each note, and what is not saved", async () => {
		answer({});
		await openNote(page, "b.md");
		await typeNote(page, "typed");
		await run();
		await page.waitForSelector('.modal button:text-is("Close")');
		const [first, last] = bridge.asked.filter((one) => one.method === "index.compare").map((one) => one.params);
		expect(first).toMatchObject({
			files: {
				"a.md": { resolved: { "b.md": 1 }, unresolved: { c: 1 }, tags: ["#p", "#t"], size: 16, mtime: expect.any(Number) as number },
				"b.md": { resolved: {}, unresolved: {}, tags: [], size: 0 },
				"new.md": { resolved: {}, unresolved: {}, tags: null },
			},
			unsaved: ["b.md"],
		});
		expect(last).toEqual({ files: {}, notes: ["a.md", "b.md", "new.md"] });
	});

	it("says when the two say the same", async () => {
		answer({ compared: 2, links: 2, tags: 2 });
		await run();
		await page.waitForSelector("text=say the same");
		await expect.poll(async () => page.$$(".vault-bridge-index-row")).toHaveLength(0);
		await page.keyboard.press("Enter"); // the focus is on Close
		await page.waitForSelector(".modal", { state: "detached" });
	});

	it("draws differences, more of them when asked, and opens a note", async () => {
		answer({ compared: 450, differences: Array.from({ length: 450 }, (_, number) => difference(number)), more: 7, uncompared: [{ path: "b.md", reason: "unsaved" }] });
		await run();
		await page.waitForSelector(".vault-bridge-index-row");
		const rows = page.locator(".vault-bridge-index .vault-bridge-index-row");
		await expect.poll(async () => rows.count()).toBe(200);
		await expect.poll(async () => rows.first().textContent()).toBe("0.mdlinks to b.mdObsidian 2, bridge 1");
		await page.click("text=Show 200 of 250 more");
		await expect.poll(async () => page.evaluate(() => document.activeElement?.textContent)).toBe("200.md");
		await page.click("text=Show 50 of 50 more");
		await expect.poll(async () => rows.count()).toBe(450);
		await expect.poll(async () => text()).toContain("7 more are not listed.");
		await page.click("text=1 not compared; check again later");
		await expect.poll(async () => text()).toContain("open with text that is not saved yet");
		await page.click('.vault-bridge-details .vault-bridge-link:text-is("b.md")');
		await page.waitForSelector(".modal", { state: "detached" });
		await page.waitForSelector('.workspace-tab-header:has-text("b.md")');
	});

	it("copies all of it as text", async () => {
		answer({ compared: 1, differences: [difference(1)] });
		await page.evaluate(() => { Object.defineProperty(navigator, "clipboard", { value: { writeText: async (copied: string) => { document.body.dataset["copied"] = copied; return Promise.resolve(); } } }); });
		await run();
		await page.click("text=Copy as text");
		await page.waitForSelector('.notice:has-text("Copied.")');
		await expect.poll(async () => page.getAttribute("body", "data-copied")).toContain("1.md: links to b.md: Obsidian 2, bridge 1\n");
	});

	it("draws hostile names as text", async () => {
		const hostile = "<img src=x onerror=alert(1)>\u202e.md";
		answer({ compared: 1, differences: [{ ...difference(1), path: hostile, target: hostile }], uncompared: [{ path: hostile, reason: "changed" }] });
		await run();
		await page.waitForSelector(".vault-bridge-index-row");
		await expect.poll(async () => page.$$(".modal img")).toHaveLength(0);
		await expect.poll(async () => text()).toContain("U+202E");
	});

	it("says in the bridge's words what went wrong", async () => {
		bridge.answers.set("index.compare", () => { throw new RpcFault(-32602, "Invalid params", { hint: "The index is not ready." }); });
		await run();
		await page.waitForSelector('.modal [role="status"]:text-is("The index is not ready.")');
	});

	it("ends with its window", async () => {
		bridge.answers.set("index.compare", () => NOTHING);
		await page.evaluate(() => { window.host.app.commands.get(`${window.host.plugin.manifest.id}:check-index`)?.callback?.(); document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })); });
		await page.waitForSelector(".modal", { state: "detached" });
		await expect.poll(async () => page.$$(".notice")).toHaveLength(0);
	});
});
