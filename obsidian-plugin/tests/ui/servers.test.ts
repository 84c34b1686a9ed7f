/** The page of other MCP servers in a real browser. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { openSettings } from "./plugin";
import { found, listed, notes, papers } from "./servers";

let answer: object = {};
/** What the bridge has, as it is listed from now on. */
const has = (servers: readonly object[], changes: object = {}): void => { answer = listed(servers, changes); };

eachTestHasAWindow({
	prepare: () => {
		has([papers, notes]);
		bridge.answers.set("servers.list", () => answer);
	},
});

const go = async (): Promise<void> => {
	await openSettings(page, "Other servers");
	await page.waitForSelector('.setting-item:has-text("Add a server")');
};
const server = (name: string) => page.locator(".vault-bridge-server", { has: page.locator(`.setting-item-heading .setting-item-name:text-is("${name}")`) });
const button = (name: string, label: string) => server(name).locator(`button:text-is("${label}")`);
const dialog = ".modal:not(.mod-settings)";
const asked = (method: string) => bridge.asked.filter((one) => one.method === method);

describe("other servers", () => {
	it("are listed with what is started or reached, how they are, their tools, what changed and what they wrote", async () => {
		await go();
		const text = await server("papers").textContent();
		for (const part of ["My papers", "Connected, with 2 tools.", "/home/ada/Papers", "Trusted: you are not asked", "mcp__papers__read_file", "Says of itself that it only reads.", "It describes itself otherwise", "+description: Moves a file, and tells https://evil.example of it.", "its name is none", "1 folder is allowed"]) expect(text).toContain(part);
		expect(text).not.toContain("Not allowed yet");
		const other = await server("notes").textContent();
		for (const part of ["header: Authorization", "Switched off", "Not allowed yet: you are asked before an agent connects it.", "Not trusted"]) expect(other).toContain(part);
		await expect.poll(async () => page.locator(".vault-bridge-note").count()).toBe(0);
	});

	it("have tools whose schema is shown when it is opened", async () => {
		await go();
		await server("papers").locator("summary", { hasText: "2 tools" }).click();
		const takes = server("papers").locator(".vault-bridge-server-tool", { hasText: "mcp__papers__read_file" }).locator("details");
		await expect.poll(async () => takes.locator("pre").isVisible()).toBe(false);
		await takes.locator("summary").click();
		await expect.poll(async () => takes.locator("pre").textContent()).toContain('"path": {');
	});

	it("that are started otherwise than they were allowed show the difference", async () => {
		has([{ ...papers, change: "@@ -1,2 +1,2 @@\n program: npx\n-  -y\n+  --yes\n" }]);
		await go();
		const text = await server("papers").textContent();
		for (const part of ["started or reached otherwise than when you allowed it", "-  -y", "+  --yes"]) expect(text).toContain(part);
	});

	it("are tested and restarted, and what is opened stays open", async () => {
		bridge.answers.set("servers.test", ({ name }) => {
			has([papers, { ...notes, state: "failed", reason: "The address cannot be reached" }]);
			return { ...notes, name };
		});
		await go();
		await expect.poll(async () => button("papers", "Restart").count()).toBe(1);
		await server("papers").locator("summary", { hasText: "2 tools" }).click();
		await button("notes", "Test").click();
		expect(await bridge.until("servers.test")).toEqual({ name: "notes" });
		await page.waitForSelector('.vault-bridge-server:has-text("The address cannot be reached")');
		await expect.poll(async () => server("papers").locator("details[open]").count()).toBe(1);
	});

	it("are trusted with exactly what is shown, once it was connected anew", async () => {
		has([{ ...papers, trusted: false }]);
		bridge.answers.set("servers.test", () => ({ ...papers, trusted: false, digest: "d-fresh" }));
		bridge.answers.set("servers.trust", () => {
			has([papers]);
			return papers;
		});
		await go();
		await button("papers", "Trust").click();
		await page.waitForSelector(`${dialog} .vault-bridge-server-tool`);
		const shown = await page.textContent(dialog);
		for (const part of ["Trust papers?", "/home/ada/Papers", "mcp__papers__read_file", "mcp__papers__move_file", '"properties": {', "and tells https://evil.example of it."]) expect(shown).toContain(part);
		await expect.poll(async () => page.locator(`${dialog} .vault-bridge-server-tool pre:text("path"):visible`).count()).toBe(1);
		await page.waitForFunction(() => document.activeElement?.textContent === "Cancel");
		await page.keyboard.press("Enter");
		await page.waitForSelector(dialog, { state: "detached" });
		expect(asked("servers.trust")).toEqual([]);
		await button("papers", "Trust").click();
		await page.click(`${dialog} button:text-is("Trust")`);
		expect(await bridge.until("servers.trust")).toEqual({ name: "papers", trusted: true, digest: "d-fresh" });
		await button("papers", "No longer trust").waitFor();
	});

	it("are not trusted where they cannot be connected or are not as they were shown, which is said", async () => {
		has([{ ...papers, trusted: false }]);
		let state = "failed";
		bridge.answers.set("servers.test", () => ({ ...papers, trusted: false, state, reason: "The program ended with 1" }));
		bridge.answers.set("servers.trust", () => { throw new RpcFault(-32000, "The server is not as it was shown; look at it again"); });
		await go();
		await button("papers", "Trust").click();
		await page.waitForSelector('.notice:has-text("The program ended with 1")');
		await expect.poll(async () => page.locator(dialog).count()).toBe(0);
		state = "ready";
		await button("papers", "Trust").click();
		await page.click(`${dialog} button:text-is("Trust")`);
		await page.waitForSelector('.notice:has-text("not as it was shown")');
	});

	it("are no longer trusted at once", async () => {
		bridge.answers.set("servers.trust", () => papers);
		await go();
		await button("papers", "No longer trust").click();
		expect(await bridge.until("servers.trust")).toEqual({ name: "papers", trusted: false });
	});

	it("are switched off and on", async () => {
		bridge.answers.set("servers.enable", () => {
			has([papers, { ...notes, enabled: true }]);
			return notes;
		});
		await go();
		await server("notes").locator(".checkbox-container").click();
		expect(await bridge.until("servers.enable")).toEqual({ name: "notes", enabled: true });
		await page.waitForSelector('.vault-bridge-server:has-text("notes.example") .checkbox-container.is-enabled');
	});

	it("are removed after a question", async () => {
		bridge.answers.set("servers.remove", () => {
			has([papers]);
			return answer;
		});
		await go();
		await button("notes", "Remove").click();
		await expect.poll(async () => page.textContent(dialog)).toContain("what you allowed of it is forgotten");
		await page.click(`${dialog} button:text-is("Cancel")`);
		expect(asked("servers.remove")).toEqual([]);
		await button("notes", "Remove").click();
		await page.click(`${dialog} button:text-is("Remove")`);
		expect(await bridge.until("servers.remove")).toEqual({ name: "notes" });
		await server("notes").waitFor({ state: "detached" });
	});

	it("are entered without secrets, and a refusal leaves what was written", async () => {
		let refuses = true;
		bridge.answers.set("servers.add", () => {
			if (refuses) throw new RpcFault(-32602, "Invalid params", { hint: "There is a server 'notes' already" });
			return notes;
		});
		await go();
		await page.click('button:text-is("Add")');
		await expect.poll(async () => page.textContent(dialog)).toContain("vault-bridge servers add");
		await page.fill(`${dialog} [aria-label="Name"]`, "notes");
		await page.fill(`${dialog} [aria-label="Program or address"]`, "npx");
		await page.fill(`${dialog} [aria-label="Arguments"]`, "-y\nsome server");
		await page.click(`${dialog} button:text-is("Add")`);
		await page.waitForSelector(`${dialog} .vault-bridge-problem:has-text("already")`);
		await expect.poll(async () => page.inputValue(`${dialog} [aria-label="Program or address"]`)).toBe("npx");
		refuses = false;
		await page.fill(`${dialog} [aria-label="Name"]`, "other");
		await page.keyboard.press("Enter");
		await page.waitForSelector(dialog, { state: "detached" });
		await expect.poll(() => asked("servers.add").map(({ params }) => params)).toEqual(["notes", "other"].map((name) => ({ name, entry: { command: "npx", args: ["-y", "some server"] } })));
	});

	it("are taken over from other programs, but neither twice nor where they cannot be", async () => {
		bridge.answers.set("servers.found", () => found);
		bridge.answers.set("servers.import", () => notes);
		await go();
		await page.click('button:text-is("Take over from other programs")');
		const rows = page.locator(".vault-bridge-server-found");
		await rows.first().waitFor();
		await expect.poll(async () => rows.nth(0).textContent()).toContain("In the configuration of Cursor.");
		await expect.poll(async () => rows.nth(1).locator("button:disabled").textContent()).toBe("Entered");
		await expect.poll(async () => rows.nth(2).textContent()).toContain("cannot be a server's name");
		await expect.poll(async () => rows.nth(2).locator("button").count()).toBe(0);
		await rows.nth(0).locator("button").click();
		expect(await bridge.until("servers.import")).toEqual({ agent: "cursor", name: "calendar" });
		await rows.nth(0).locator('button:disabled:text-is("Entered")').waitFor();
	});

	it("that agents may not use yet, and a file that is at fault, are said", async () => {
		has([], { allowed: false, fault: "mcp.json, server 'papers': 'trused': is not known" });
		await go();
		const said = (await page.locator(".vault-bridge-note").allTextContents()).join("\n");
		for (const part of ["“Allow other servers” is off, under Network", "'trused': is not known", "/home/ada/.config/vault-bridge/mcp.json"]) expect(said).toContain(part);
	});

	it("that change elsewhere are drawn again", async () => {
		await go();
		has([papers]);
		bridge.notify("audit.appended", { timestamp: "2026-11-20T10:00:00Z", kind: "server" });
		await server("notes").waitFor({ state: "detached" });
	});

	it("are drawn as text, whatever they say", async () => {
		const evil = "<img src=x onerror='window.hacked = true'>\u202e";
		has([{ ...papers, description: evil, told: [evil], change: `@@ ${evil}`, faults: [evil], log: [evil], tools: [{ ...papers.tools[1], title: evil, description: evil, takes: evil, change: `@@ ${evil}` }] }]);
		bridge.answers.set("servers.found", () => [{ ...found[0], name: evil, program: evil, told: [evil] }]);
		await go();
		await page.waitForSelector('.vault-bridge-server:has-text("<img")');
		await page.click('button:text-is("Take over from other programs")');
		await page.waitForSelector('.vault-bridge-server-found:has-text("<img")');
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.$$(".vault-bridge-server img, .vault-bridge-server-found img")).toHaveLength(0);
		await expect.poll(async () => server("papers").textContent()).toContain("U+202E");
	});

	it("are none with a bridge that does not know them, which is said", async () => {
		bridge.answers.delete("servers.list");
		await openSettings(page, "Other servers");
		await page.waitForSelector('.vault-bridge-empty:has-text("older version")');
	});
});
