/** The page on which programs are connected, in a real browser. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents, connecting } from "./agents";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { openSettings } from "./plugin";

eachTestHasAWindow({ prepare: () => { bridge.agents = agents; } });

const agent = (name: string) => page.locator(".vault-bridge-agent", { hasText: name });
const dialog = ".modal:not(.mod-settings)";

describe("connecting an agent", () => {
	it("lists the programs of this machine, how they stand and where their configuration is", async () => {
		await openSettings(page, "Connect an agent");
		await page.waitForSelector(".vault-bridge-agent");
		await expect.poll(async () => agent("Claude Code").textContent()).toContain("Connected as “Claude Code”.");
		await expect.poll(async () => agent("Codex").textContent()).toContain("Not connected to this vault.");
		expect(await agent("Codex").getAttribute("title")).toBe("/home/ada/.codex/config.toml");
		await expect.poll(async () => agent("Gemini CLI").textContent()).toContain("line 3, column 5");
		await expect.poll(async () => agent("Gemini CLI").locator("button").count()).toBe(0);
		await expect.poll(async () => page.textContent(".vault-bridge-agents-rest")).toContain("Not found on this machine: Claude Desktop, VS Code.");
	});

	it("shows the exact change, and does that and nothing else", async () => {
		bridge.answers.set("agents.preview", () => connecting);
		bridge.answers.set("agents.connect", () => {
			bridge.agents = agents.map((one) => (one.agent === "codex" ? { ...one, client: "Codex" } : one));
			return { backup: "/home/ada/.codex/config.toml.1.bak", addedClient: true, revokedClient: false, then: "Start Codex again." };
		});
		await openSettings(page, "Connect an agent");
		await agent("Codex").locator("button").click();
		await page.waitForSelector(`${dialog} .vault-bridge-file`);
		expect(await bridge.until("agents.preview")).toEqual({ agent: "codex", remove: false });
		const shown = await page.textContent(dialog);
		for (const part of ["/home/ada/.codex/config.toml", "[mcp_servers.vault-bridge]", "“Codex”", "so it stays."]) expect(shown).toContain(part);
		expect(bridge.asked.map(({ method }) => method)).not.toContain("agents.connect");
		await page.click(`${dialog} button:text-is("Connect")`);
		expect(await bridge.until("agents.connect")).toEqual({ agent: "codex", digest: "sha256:0a1b" });
		await page.waitForSelector('.notice:has-text("Start Codex again.")');
		expect(await bridge.until("consent.allowReading")).toEqual({ client: "Codex", where: [] });
		await page.waitForSelector('.vault-bridge-agent:has-text("Connected as “Codex”.")');
	});

	it.each<[string, string[]]>([
		["All notes", ["/"]],
		["These folders", ["Work/"]],
	])("asks how much the program may read without asking: %s", async (choice, where) => {
		mkdirSync(join(bridge.vault, "Work"));
		mkdirSync(join(bridge.vault, "Private"));
		writeFileSync(join(bridge.vault, "Work/Plan.md"), "# Plan\n");
		bridge.answers.set("agents.preview", () => connecting);
		bridge.answers.set("agents.connect", () => ({ backup: null, addedClient: true, revokedClient: false, then: "Start Codex again." }));
		bridge.answers.set("consent.allowReading", () => ({ grant: null }));
		await page.evaluate(async () => window.host.app.vault.refresh());
		await openSettings(page, "Connect an agent");
		await agent("Codex").locator("button").click();
		expect(await page.locator(`${dialog} input:checked`).getAttribute("value")).toBe("ask");
		await page.click(`${dialog} label:has-text("${choice}")`);
		if (choice === "These folders") await page.click(`${dialog} .vault-bridge-reading-folders label:has-text("Work")`);
		await page.click(`${dialog} button:text-is("Connect")`);
		expect(await bridge.until("consent.allowReading")).toEqual({ client: "Codex", where });
	});

	it("is given up by Cancel, which has the focus", async () => {
		bridge.answers.set("agents.preview", () => connecting);
		await openSettings(page, "Connect an agent");
		await agent("Codex").locator("button").click();
		await page.waitForSelector(`${dialog} .vault-bridge-file`);
		await page.keyboard.press("Enter");
		await page.waitForSelector(dialog, { state: "detached" });
		expect(bridge.asked.map(({ method }) => method)).not.toContain("agents.connect");
	});

	it("is taken back in the same way", async () => {
		bridge.answers.set("agents.preview", () => ({ ...connecting, agent: "claude-code", client: "Claude Code", removes: true, kept: [] }));
		bridge.answers.set("agents.disconnect", () => { throw new RpcFault(-32602, "Invalid params", { hint: "The configuration has changed since it was shown. Look at the change again" }); });
		await openSettings(page, "Connect an agent");
		await agent("Claude Code").locator('button:text-is("Disconnect")').click();
		await page.click(`${dialog} button:text-is("Disconnect")`);
		expect(await bridge.until("agents.disconnect")).toEqual({ agent: "claude-code", digest: "sha256:0a1b" });
		await page.waitForSelector('.notice:has-text("has changed since it was shown")');
	});

	it("shows what a program is called as text", async () => {
		bridge.agents = [{ ...agents[2], title: "<b>Codex</b>\u202e", file: "<img src=x>" }];
		await openSettings(page, "Connect an agent");
		await expect.poll(async () => agent("<b>Codex</b>").textContent()).toContain("Not connected");
		expect(await agent("<b>Codex</b>").getAttribute("title")).toBe("<img src=x>");
		await expect.poll(async () => page.locator(".vault-bridge-agent img").count()).toBe(0);
	});

	it("says so when the bridge is too old", async () => {
		bridge.answers.delete("agents.list");
		await openSettings(page, "Connect an agent");
		await page.waitForSelector('.vault-bridge-empty:has-text("older version")');
	});
});
