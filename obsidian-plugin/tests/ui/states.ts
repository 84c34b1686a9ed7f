/** Every state that a person can see the plugin in. A new one joins by one line at the end of this file. */

import type { Page } from "playwright-core";
import { chatStates } from "./chatStates";
import { consentStates } from "./consentStates";
import { RpcFault, type FakeBridge } from "./fakeBridge";
import { recorded } from "./files";
import { noteStates } from "./noteStates";
import { connected, openSettings, runCommand } from "./plugin";
import { activity } from "./activity";
import { agents, connecting } from "./agents";
import { chart, listed as listedTools, weather, words } from "./ownTools";
import { noticed } from "./outside";
import { claude, grants, ollama, webReaders } from "./programs";
import { create, drafted, night, staged } from "./questions";
import { found, listed, notes, papers } from "./servers";

/** Where a state is drawn: the window of the app, and the bridge behind it. */
export interface Stage {
	page: Page;
	bridge: FakeBridge;
}

export interface State {
	name: string;
	show: (stage: Stage) => Promise<void>;
}

const settings = (name: string, ...pages: string[]): State => ({ name, show: async ({ page }) => openSettings(page, ...pages) });

const settingsPages: State[] = [
	settings("settings"),
	settings("settings-tools", "Tools and questions"),
	settings("settings-network", "Network"),
	{
		name: "settings-services",
		show: async ({ page, bridge }) => {
			const values = recorded("settings") as object;
			bridge.answers.set("settings.get", () => ({ ...values, webSearchProviders: ["searxng", "brave"] }));
			bridge.answers.set("search.services", () => recorded("search-services"));
			bridge.answers.set("keys.status", () => (recorded("keys-status") as { provider: string }[]).map((key) => (key.provider === "brave" ? { ...key, isSet: true, keptIn: "keyring" } : key)));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await openSettings(page, "External services");
			await page.waitForSelector("text=in the system's keyring");
		},
	},
	{
		name: "settings-sites",
		show: async ({ page, bridge }) => {
			const site = { client: null, sentence: "Every program may fetch the site docs.obsidian.md", lastUsed: "2026-03-14T12:00:00.000Z" };
			bridge.answers.set("web.sites", () => [{ ...site, site: "https://docs.obsidian.md/", allowedBy: "s-1" }, { ...site, site: "*.wikipedia.org", allowedBy: null, sentence: "*.wikipedia.org is in the list of allowed domains", lastUsed: null }]);
			bridge.answers.set("cache.stats", () => ({ entries: 3, size: 24_536_678, hits: 1, misses: 2 }));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await openSettings(page, "Network");
			await page.waitForSelector('button:text-is("Take back")');
		},
	},
	{
		name: "settings-sandbox",
		show: async ({ page, bridge }) => {
			bridge.answers.set("sandbox.status", () => ({ confines: true, sentence: "Programs run in a sandbox (landlock)", lacks: ["A program sees the names and arguments of the programs that you run"] }));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await openSettings(page, "Network");
			await page.locator(".setting-item-name", { hasText: "Allow terminal" }).scrollIntoViewIfNeeded();
		},
	},
	settings("settings-limits", "Limits"),
	settings("settings-privacy", "Privacy and log"),
	{
		name: "settings-searching",
		show: async ({ page, bridge }) => {
			const semantic = { state: "paused", reason: "battery", model: "wordllama-l2-supercat-256 and all-MiniLM-L6-v2", done: 180, total: 412, passages: 1990, size: 4_198_400 };
			const vault = { notes: 412, files: 431, indexed: 412, indexing: false, lastSweep: null, byNameOnly: 0, namedOnly: [], inPlace: true };
			bridge.answers.set("vault.status", () => ({ ...vault, semantic }));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await openSettings(page, "Searching, reading and backups");
			await page.locator('button:text-is("Rebuild")').scrollIntoViewIfNeeded();
		},
	},
	settings("settings-grants", "Remembered answers"),
	{
		name: "settings-answers",
		show: async ({ page, bridge }) => {
			bridge.answers.set("consent.grants", () => grants);
			await openSettings(page, "Remembered answers");
			await page.waitForSelector('.setting-item:has-text("the folder Diary/")');
		},
	},
	{
		name: "settings-confirm",
		show: async ({ page }) => {
			await openSettings(page, "Tools and questions");
			await page.click('.setting-item:has-text("Developer mode") .checkbox-container');
			await page.waitForSelector(".modal:not(.mod-settings) .modal-button-container");
		},
	},
	{
		name: "settings-programs",
		show: async ({ page, bridge }) => {
			bridge.clients = [claude, ollama];
			bridge.answers.set("consent.grants", () => grants);
			await openSettings(page, "Connected programs");
			await page.waitForSelector(".vault-bridge-program");
		},
	},
	{
		name: "looking",
		show: async ({ page, bridge }) => {
			bridge.lookers = ["Claude Code"];
			bridge.notify("grants.changed", { bounded: [] });
			await page.click('.vault-bridge-looking:has-text("Claude Code")');
			await page.waitForSelector('.menu-item:has-text("End this now")');
		},
	},
	{
		name: "showing",
		show: async ({ page, bridge }) => {
			bridge.lookers = ["Claude Code"];
			bridge.notify("grants.changed", { bounded: [] });
			await page.waitForSelector(".vault-bridge-looking");
			bridge.notify("screen.show", { client: "Claude Code", path: "Projects/Balcony garden.md", part: "Next", line: null, unasked: false });
			await page.waitForSelector('.notice button:text-is("Open")');
		},
	},
	{
		name: "settings-programs-web",
		show: async ({ page, bridge }) => {
			bridge.clients = [claude];
			bridge.answers.set("web.readers", () => webReaders);
			await openSettings(page, "Connected programs");
			await page.waitForSelector(".vault-bridge-program");
		},
	},
	{
		name: "settings-servers",
		show: async ({ page, bridge }) => {
			bridge.answers.set("servers.list", () => listed([papers, notes], { allowed: false }));
			await openSettings(page, "Other servers");
			await page.click('.vault-bridge-server summary:has-text("2 tools")');
			await page.waitForSelector(".vault-bridge-server details[open]");
		},
	},
	{
		name: "settings-servers-add",
		show: async ({ page, bridge }) => {
			bridge.answers.set("servers.list", () => listed([]));
			await openSettings(page, "Other servers");
			await page.click('button:text-is("Add")');
			await page.waitForSelector(".modal:not(.mod-settings) textarea");
		},
	},
	{
		name: "settings-servers-found",
		show: async ({ page, bridge }) => {
			bridge.answers.set("servers.list", () => listed([papers]));
			bridge.answers.set("servers.found", () => found);
			await openSettings(page, "Other servers");
			await page.click('button:text-is("Take over from other programs")');
			await page.waitForSelector(".vault-bridge-server-found");
		},
	},
	{
		name: "settings-servers-trust",
		show: async ({ page, bridge }) => {
			const untrusted = { ...papers, trusted: false };
			bridge.answers.set("servers.list", () => listed([untrusted]));
			bridge.answers.set("servers.test", () => untrusted);
			await openSettings(page, "Other servers");
			await page.click('button:text-is("Trust")');
			await page.waitForSelector(".modal:not(.mod-settings) .vault-bridge-server-tool");
		},
	},
	{
		name: "settings-own-tools",
		show: async ({ page, bridge }) => {
			bridge.answers.set("custom.list", () => listedTools([words, weather, chart]));
			await openSettings(page, "Your own tools");
			await page.waitForSelector(".vault-bridge-own-tool");
		},
	},
	{
		name: "own-tools",
		show: async ({ page, bridge }) => {
			bridge.answers.set("custom.list", () => listedTools([words, weather], { allowed: false, fault: "tools.json, tool 'x': 'code' is missing" }));
			await connected(page);
			await runCommand(page, "own-tools");
			await page.waitForSelector(".vault-bridge-own-tool");
		},
	},
	{
		name: "own-tools-none",
		show: async ({ page, bridge }) => {
			bridge.answers.set("custom.list", () => listedTools([]));
			await page.setViewportSize({ width: 420, height: 800 });
			await connected(page);
			await runCommand(page, "own-tools");
			await page.waitForSelector(".modal .vault-bridge-empty");
		},
	},
	{
		name: "own-tools-edit",
		show: async ({ page, bridge }) => {
			bridge.answers.set("custom.list", () => listedTools([words]));
			bridge.answers.set("custom.update", () => { throw new RpcFault(-32000, "The tool: The parameters are no JSON Schema that can be used: 'strin' is not a type"); });
			await page.setViewportSize({ width: 1100, height: 1400 });
			await connected(page);
			await runCommand(page, "own-tools");
			await page.click('button:text-is("Edit…")');
			await page.click('.modal button:text-is("Save")');
			await page.waitForSelector(".modal .is-error:not(:empty)");
		},
	},
	{
		name: "own-tools-test",
		show: async ({ page, bridge }) => {
			bridge.answers.set("custom.list", () => listedTools([weather]));
			bridge.answers.set("custom.test", () => ({ success: true, result: { sunny: true, degrees: [21, 24] }, error: null, executionTime: 812.4, output: "asked the weather" }));
			await connected(page);
			await runCommand(page, "own-tools");
			await page.click('button:text-is("Test…")');
			await page.fill('[aria-label="days"]', "3");
			await page.click('.modal button:text-is("Run")');
			await page.waitForSelector(".vault-bridge-result .vault-bridge-badge");
		},
	},
	{
		name: "settings-agents",
		show: async ({ page, bridge }) => {
			bridge.agents = agents;
			await openSettings(page, "Connect an agent");
			await page.waitForSelector(".vault-bridge-agent");
		},
	},
	{
		name: "settings-agents-connect",
		show: async ({ page, bridge }) => {
			bridge.agents = agents;
			bridge.answers.set("agents.preview", () => connecting);
			await openSettings(page, "Connect an agent");
			await page.click('.vault-bridge-agent:has-text("Codex") button');
			await page.waitForSelector(".modal:not(.mod-settings) .vault-bridge-file");
		},
	},
	{
		name: "settings-programs-none",
		show: async ({ page }) => {
			await openSettings(page, "Connected programs");
			await page.waitForSelector(".vault-bridge-empty");
		},
	},
	{
		name: "settings-programs-token",
		show: async ({ page, bridge }) => {
			bridge.answers.set("clients.add", () => ({ client: claude, token: "vbc_0a1b2c3d4e5f_3q0Yk1mS8rT5vXzB7nLcPwHdJgFaUeQiOoMmKkZzYy" }));
			await openSettings(page, "Connected programs");
			await page.click('button:text-is("Add")');
			await page.fill(".modal:not(.mod-settings) input", "Claude Code");
			await page.keyboard.press("Enter");
			await page.waitForSelector(".vault-bridge-token");
		},
	},
	{
		name: "settings-programs-revoke",
		show: async ({ page, bridge }) => {
			bridge.clients = [claude, ollama];
			await openSettings(page, "Connected programs");
			await page.click('button:text-is("Revoke") >> nth=0');
			await page.waitForSelector(".modal:not(.mod-settings) .modal-button-container");
		},
	},
];

const views: State[] = [
	{
		name: "undo",
		show: async ({ page, bridge }) => {
			bridge.answers.set("tools.preview", () => recorded("preview-undo"));
			await connected(page);
			await runCommand(page, "undo-change");
			await page.waitForSelector(".modal .vault-bridge-diff");
		},
	},
	{
		name: "log",
		show: async ({ page, bridge }) => {
			const lines = recorded("audit") as { code?: string }[];
			bridge.answers.set("audit.query", ({ code }) => (code === undefined ? lines : lines.filter((one) => one.code === code)));
			await connected(page);
			await runCommand(page, "view-tool-logs");
			await page.waitForSelector(".vault-bridge-unanswered");
		},
	},
	{
		name: "log-open",
		show: async ({ page }) => {
			await connected(page);
			await runCommand(page, "view-tool-logs");
			await page.click('.vault-bridge-log-row:has-text("changed “Welcome.md”") >> nth=-1 >> summary');
			await page.waitForSelector(".vault-bridge-log-detail .vault-bridge-row");
		},
	},
	{
		name: "log-narrow",
		show: async ({ page }) => {
			await page.setViewportSize({ width: 420, height: 800 });
			await connected(page);
			await runCommand(page, "view-tool-logs");
			await page.waitForSelector(".vault-bridge-log-row");
		},
	},
	{
		name: "activity",
		show: async ({ page, bridge }) => {
			bridge.answers.set("audit.activity", ({ days }) => activity(days as number));
			await connected(page);
			await runCommand(page, "agents-activity");
			await page.waitForSelector(".vault-bridge-activity svg");
		},
	},
	{
		name: "history",
		show: async ({ page }) => {
			await connected(page);
			await runCommand(page, "show-changes");
			await page.click(".vault-bridge-change >> nth=-1 >> summary");
			await page.waitForSelector(".vault-bridge-change .vault-bridge-row");
		},
	},
	{
		name: "history-undo-all",
		show: async ({ page }) => {
			await connected(page);
			await runCommand(page, "undo-last-hour");
			await page.waitForSelector(".vault-bridge-undo-all");
		},
	},
	{
		name: "drafts",
		show: async ({ page, bridge }) => {
			bridge.drafts = [drafted(), drafted({ draftId: "draft-4e5f", client: "a program without a name of its own", clientId: "shared", steps: [], files: [] })];
			bridge.answers.set("drafts.preview", () => ({ files: staged, warnings: ["'Long.md' was changed by somebody else meanwhile; that stays"], conflicts: [] }));
			await connected(page);
			await runCommand(page, "review-drafts");
			await page.click('summary:has-text("Steps") >> nth=0');
			await page.click('summary:has-text("Files") >> nth=0');
			await page.waitForSelector(".vault-bridge-draft .vault-bridge-row");
		},
	},
	{
		name: "drafts-conflict",
		show: async ({ page, bridge }) => {
			await page.setViewportSize({ width: 420, height: 800 });
			bridge.drafts = [drafted()];
			bridge.answers.set("drafts.preview", () => ({ files: [], warnings: [], conflicts: [{ placeId: "a", path: "Home.md", why: "has been edited in the same place meanwhile", line: 3, vault: "theirs\n", draft: "ours\n", offers: ["vault", "draft", "both"], taken: null }, { placeId: "b", path: "Garden.md", why: "is not there any more", line: null, vault: "", draft: "ours\n", offers: ["vault", "draft"], taken: null }] }));
			await connected(page);
			await runCommand(page, "review-drafts");
			await page.waitForSelector(".vault-bridge-draft-files .is-warning");
		},
	},
	{
		name: "drafts-none",
		show: async ({ page }) => {
			await connected(page);
			await runCommand(page, "review-drafts");
			await page.waitForSelector(".vault-bridge-empty");
		},
	},
	{
		name: "drafts-discard",
		show: async ({ page, bridge }) => {
			bridge.drafts = [drafted()];
			bridge.answers.set("drafts.preview", () => ({ files: staged }));
			await connected(page);
			await page.click(".vault-bridge-drafting");
			await page.click('.vault-bridge-draft button:text-is("Discard…")');
			await page.waitForSelector(".modal .modal-button-container");
		},
	},
	{
		name: "inbox",
		show: async ({ page, bridge }) => {
			bridge.inbox = night();
			bridge.notify("drafts.changed", {});
			await page.click('.vault-bridge-status:has-text("5 waiting")');
			await page.waitForSelector(".vault-bridge-inbox .setting-item");
		},
	},
	{
		name: "inbox-narrow",
		show: async ({ page, bridge }) => {
			await page.setViewportSize({ width: 420, height: 800 });
			bridge.inbox = night();
			bridge.notify("drafts.changed", {});
			await page.waitForSelector('.vault-bridge-status:has-text("5 waiting")');
			await runCommand(page, "open-inbox");
			await page.waitForSelector(".vault-bridge-inbox .setting-item");
		},
	},
	{
		name: "index",
		show: async ({ page, bridge }) => {
			const about = { kind: "link", target: "Projects/Balcony garden.md", obsidian: 2, bridge: 1 };
			const differences = [about, { ...about, kind: "unresolved", target: "Seeds" }, { ...about, kind: "tag", target: "#garden/tomatoes" }, { ...about, kind: "tag_order", target: "" }].map((one) => ({ path: "Daily/2025-03-15.md", ...one }));
			bridge.answers.set("index.compare", () => ({ compared: 3120, links: 18221, tags: 5012, differences: [...differences, { path: "Only in Obsidian.md", kind: "note", target: "", obsidian: 1, bridge: 0 }], more: 0, uncompared: [{ path: "Welcome.md", reason: "unsaved" }] }));
			await connected(page);
			await runCommand(page, "check-index");
			await page.click(".vault-bridge-details summary");
		},
	},
	{
		name: "start",
		show: async ({ page }) => {
			await connected(page);
			await runCommand(page, "getting-started");
			await page.click(".vault-bridge-start-own > summary");
			await page.waitForSelector(".vault-bridge-preset");
		},
	},
	{
		name: "start-agents",
		show: async ({ page, bridge }) => {
			bridge.agents = agents;
			await connected(page);
			await runCommand(page, "getting-started");
			await page.waitForSelector(".vault-bridge-start .vault-bridge-agent");
		},
	},
	{
		name: "start-question",
		show: async ({ page, bridge }) => {
			bridge.agents = agents;
			await connected(page);
			await runCommand(page, "getting-started");
			bridge.ask(create());
			await page.waitForSelector(".vault-bridge-consent");
			await page.keyboard.press("Escape");
			await page.waitForSelector('.vault-bridge-start button:text-is("Show the question")');
		},
	},
	{
		name: "start-none",
		show: async ({ page, bridge }) => {
			await connected(page);
			bridge.stop();
			await runCommand(page, "getting-started");
			await page.waitForSelector(".vault-bridge-steps");
		},
	},
	{
		name: "menu",
		show: async ({ page }) => {
			await connected(page);
			await page.click(".vault-bridge-status");
			await page.waitForSelector(".menu");
		},
	},
	{
		name: "notice",
		show: async ({ page, bridge }) => {
			await connected(page);
			bridge.notify("limits.hit", { tool: "grep", retryAfter: 12, client: "Claude Code", message: "Tool rate limit reached. Please wait 12 seconds." });
			await page.waitForSelector(".notice");
		},
	},
	{
		name: "notice-outside",
		show: async ({ page, bridge }) => {
			await connected(page);
			bridge.notify("versions.noticed", noticed());
			await page.waitForSelector(".notice");
		},
	},
];

export const states: readonly State[] = [...consentStates, ...noteStates, ...settingsPages, ...views, ...chatStates];
