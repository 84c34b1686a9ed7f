/** What the bridge may ask of the plugin, in a real browser with real files: text in an editor is never lost. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "./browser";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { noteText, openNote, typeNote } from "./plugin";

const BEFORE = "# Note\n\nÄ text.\n";
const AFTER = "# Note\n\nAnother text.\n";

eachTestHasAWindow({
	prepare: () => {
		writeFileSync(join(bridge.vault, "Open.md"), BEFORE);
		writeFileSync(join(bridge.vault, "Shut.md"), BEFORE);
	},
});
beforeEach(async () => {
	await openNote(page, "Open.md");
});

const onDisk = (name: string): string => readFileSync(join(bridge.vault, name), "utf8");
const type = async (text: string): Promise<void> => { await typeNote(page, text); };
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();
const write = async (change: object, expiresAt = soon(60_000)): Promise<unknown> =>
	bridge.request("host.write", { changes: [{ path: "Open.md", expected: sha256(BEFORE), content: AFTER, ...change }], expiresAt });
const outcome = (path: string, result: string): object => ({ results: [{ path, outcome: result }] });

it("tells the bridge what it can", async () => {
	expect(await bridge.until("session.name")).toEqual({ client: "Obsidian", can: ["consent", "write", "dirty", "runTool"] });
});

describe("what is open in editors", () => {
	it("is told, and what of it is not on disk yet", async () => {
		const paths = ["Open.md", "Shut.md", "None.md"];
		expect(await bridge.request("host.dirty", { paths })).toEqual({ open: ["Open.md"], unsaved: [] });
		await type(`${BEFORE}more`);
		expect(await bridge.request("host.dirty", { paths })).toEqual({ open: ["Open.md"], unsaved: ["Open.md"] });
	});

	it("does not count line breaks of Windows as text", async () => {
		writeFileSync(join(bridge.vault, "Open.md"), BEFORE.replace(/\n/g, "\r\n"));
		expect(await bridge.request("host.dirty", { paths: ["Open.md"] })).toMatchObject({ unsaved: [] });
	});
});

describe("writing a note that is open", () => {
	it("writes when the note is what the bridge believes it is", async () => {
		expect(await write({})).toEqual(outcome("Open.md", "written"));
		expect(onDisk("Open.md")).toBe(AFTER);
	});

	it("writes nothing over text that is not on disk yet", async () => {
		await type("my own words");
		expect(await write({})).toEqual(outcome("Open.md", "unsaved"));
		expect(onDisk("Open.md")).toBe(BEFORE);
		await expect.poll(async () => noteText(page)).toBe("my own words");
	});

	it.each([
		["holds something else", { expected: sha256("something else") }, "stale"],
		["is not there", { path: "None.md" }, "missing"],
		["begins with a byte order mark", { content: `\ufeff${AFTER}` }, "failed"],
	])("writes nothing when the note %s", async (_, change, expected) => {
		expect(await write(change)).toMatchObject({ results: [{ outcome: expected }] });
		expect(onDisk("Open.md")).toBe(BEFORE);
	});

	it("writes nothing after the moment up to which the bridge waits", async () => {
		await page.evaluate(() => {
			window.host.app.vault.process = async () => {
				document.body.dataset["reached"] = "yes";
				return Promise.resolve("");
			};
		});
		expect(await write({}, soon(-1))).toEqual(outcome("Open.md", "failed"));
		expect([await page.getAttribute("body", "data-reached"), onDisk("Open.md")]).toEqual([null, BEFORE]);
	});

	it("writes nothing when that moment passes while Obsidian is busy with the note", async () => {
		const expiresAt = soon(10_000);
		await page.evaluate((until) => {
			const { vault } = window.host.app;
			const process = vault.process.bind(vault);
			vault.process = async (file, change) => {
				document.body.dataset["reached"] = "yes";
				await new Promise((resolve) => { window.setTimeout(resolve, until - Date.now() + 100); });
				return process(file, change);
			};
		}, Date.parse(expiresAt));
		expect(await write({}, expiresAt)).toEqual(outcome("Open.md", "failed"));
		expect([await page.getAttribute("body", "data-reached"), onDisk("Open.md")]).toEqual(["yes", BEFORE]);
	});

	it.each([
		["the right shape", { changes: [{ path: "Open.md" }], expiresAt: soon(60_000) }],
		["a time that it holds until", { changes: [] }],
		["a time that can be read", { changes: [], expiresAt: "later" }],
	])("refuses what has not %s", async (_, params) => {
		expect(await bridge.request("host.write", params)).toMatchObject({ code: -32602 });
	});
});

it("puts what is deleted where the user's trash is", async () => {
	expect(await bridge.request("host.trash", { paths: ["Shut.md", "None.md"] })).toEqual({
		results: [{ path: "Shut.md", outcome: "trashed" }, { path: "None.md", outcome: "missing" }],
	});
	expect([existsSync(join(bridge.vault, "Shut.md")), onDisk(".trash/Shut.md")]).toEqual([false, BEFORE]);
});

it("puts a folder there as a whole, and writes into no folder", async () => {
	mkdirSync(join(bridge.vault, "Folder.md"));
	writeFileSync(join(bridge.vault, "Folder.md/Inner.md"), BEFORE);
	await page.evaluate(async () => { await window.host.app.vault.refresh(); });
	expect(await write({ path: "Folder.md" })).toEqual(outcome("Folder.md", "missing"));
	expect(await bridge.request("host.trash", { paths: ["Folder.md"] })).toEqual(outcome("Folder.md", "trashed"));
	expect([existsSync(join(bridge.vault, "Folder.md")), onDisk(".trash/Folder.md/Inner.md")]).toEqual([false, BEFORE]);
});

it("knows no way to run code but in a frame that reaches nothing", async () => {
	expect(await bridge.request("host.runBrowserTool", { code: "return 1;", parameters: {}, timeout: 5 })).toMatchObject({ code: -32601 });
});
