/** What the bridge is told of Obsidian's own writes: exactly what was written, by whom, and nothing more. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "./browser";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { typeNote } from "./plugin";

interface Told { path: string; digest?: string; source?: string; typed?: boolean }

eachTestHasAWindow({
	prepare: () => {
		mkdirSync(join(bridge.vault, "Notes"));
		writeFileSync(join(bridge.vault, "Notes/a.md"), "one\n");
		writeFileSync(join(bridge.vault, "b.md"), "two\n");
	},
});

const told = (): Told[] => bridge.asked.filter((one) => one.method === "versions.wrote").flatMap((one) => one.params["writes"] as Told[]);
const onDisk = (path: string): string => readFileSync(join(bridge.vault, path), "utf8");

/** Open a note, and type into it. */
async function type(path: string, text: string): Promise<void> {
	await page.evaluate(async (note) => window.host.app.workspace.openLinkText(note), path);
	await typeNote(page, text);
}

/** Save as Obsidian does after a pause, or when the note is closed. */
async function save(clear = false): Promise<void> {
	await page.evaluate(async (closing) => {
		const view = window.host.app.workspace.getMostRecentLeaf()?.view as unknown as { save: (clear: boolean) => Promise<void> };
		await view.save(closing);
	}, clear);
}

describe("what Obsidian writes", () => {
	it.each([["after a pause", false], ["when the note is closed", true]])("is typed where an editor saves it %s", async (_when, clear) => {
		await type("Notes/a.md", "typed: é\n");
		await save(clear);
		expect(onDisk("Notes/a.md")).toBe("typed: é\n");
		await expect.poll(told).toEqual([{ path: "Notes/a.md", digest: sha256("typed: é\n"), typed: true }]);
	});

	it("is not typed where a plugin writes other text, even into an open note", async () => {
		await type("Notes/a.md", "typed\n");
		await page.evaluate(async () => {
			const { vault } = window.host.app;
			const file = vault.getFileByPath("Notes/a.md");
			if (file) await vault.process(file, (text) => `${text}by a plugin\n`);
			await vault.adapter.write("b.md", "by a plugin\n");
			await vault.adapter.append("b.md", "and more\n");
			await vault.adapter.writeBinary("c.bin", new Uint8Array([0, 255]).buffer);
		});
		await expect.poll(told).toHaveLength(4);
		const byPath = [...told()].sort((one, other) => (one.path < other.path ? -1 : 1));
		expect(byPath.map((one) => one.path)).toEqual(["Notes/a.md", "b.md", "b.md", "c.bin"]);
		expect(byPath.map((one) => one.typed === true)).toEqual([false, false, false, false]);
		const binary = createHash("sha256").update(new Uint8Array([0, 255])).digest("hex");
		expect(byPath.map((one) => one.digest).sort()).toEqual([sha256("one\nby a plugin\n"), sha256("by a plugin\n"), sha256("by a plugin\nand more\n"), binary].sort());
	});

	it("is told when it is moved or deleted, and not of what begins with a dot", async () => {
		await page.evaluate(async () => {
			const { adapter } = window.host.app.vault;
			await adapter.write(".hidden", "x");
			await adapter.rename("Notes", "Elsewhere");
			await adapter.remove("b.md");
		});
		await expect.poll(told).toEqual([{ path: "Elsewhere", source: "Notes" }, { path: "b.md" }]);
	});

	it("is written as ever where the bridge is away, knows nothing of this, or the write fails", async () => {
		bridge.answers.set("versions.wrote", () => { throw new RpcFault(-32601, "Method not found"); });
		const write = async (text: string): Promise<string> => page.evaluate(async (data) => {
			const { adapter } = window.host.app.vault;
			await adapter.write("b.md", data);
			return adapter.process("b.md", () => { throw new Error("the plugin's own"); }).then(() => "done", (error: unknown) => String(error));
		}, text);
		expect(await write("1")).toBe("Error: the plugin's own");
		await expect.poll(told).toHaveLength(1);
		await expect.poll(async () => { await write("2"); return onDisk("b.md"); }).toBe("2");
		bridge.stop();
		await page.waitForSelector(".vault-bridge-status.is-trouble");
		await write("3");
		expect(onDisk("b.md")).toBe("3");
		expect(told().length).toBeLessThanOrEqual(2);
	});

	it("goes together where much is written at once", async () => {
		let release: (value: unknown) => void = () => undefined;
		bridge.answers.set("versions.wrote", async () => new Promise((resolve) => { release = resolve; }));
		await page.evaluate(async () => {
			const { adapter } = window.host.app.vault;
			for (let number = 0; number < 40; number++) await adapter.write(`n${number}.md`, String(number));
		});
		await expect.poll(told).toHaveLength(1);
		bridge.answers.set("versions.wrote", () => ({ heard: 0 }));
		release({ heard: 1 });
		await expect.poll(told).toHaveLength(40);
		await expect.poll(() => bridge.asked.filter((one) => one.method === "versions.wrote")).toHaveLength(2);
	});

	it("is nobody's to hear any more when the plugin is unloaded, also where another plugin has wrapped it since", async () => {
		const found = await page.evaluate(async () => {
			const { app, plugin } = window.host;
			const { adapter } = app.vault;
			const ours = adapter.write.bind(adapter);
			adapter.write = async (...args): Promise<void> => ours(...args);
			plugin.unload();
			await adapter.write("b.md", "after");
			return Object.keys(adapter).filter((name) => name !== "disk" && name !== "basePath");
		});
		expect(found).toEqual(["write"]);
		expect(onDisk("b.md")).toBe("after");
		expect(told()).toEqual([]);
	});
});
