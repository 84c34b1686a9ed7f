/** The settings tab in a real browser: every control says what the bridge says. */

import { beforeEach, describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { recorded } from "./files";
import { activity } from "./activity";
import { connected, openSettings, showSettings } from "./plugin";
import { grants } from "./programs";

eachTestHasAWindow({
	prepare: () => {
		const values = bridge.answers.get("settings.get")?.({}) as Record<string, unknown>;
		bridge.answers.set("settings.get", () => values);
		bridge.answers.set("settings.update", ({ patch }) => {
			for (const [key, value] of Object.entries(patch as object)) {
				const held = values[key];
				const isTable = typeof held === "object" && held !== null && !Array.isArray(held);
				values[key] = isTable ? Object.fromEntries(Object.entries({ ...held, ...(value as object) }).filter(([, one]) => one !== null)) : value;
			}
			return { settings: values, warnings: [] };
		});
	},
});

const go = async (...names: string[]): Promise<void> => openSettings(page, ...names);
const RARE = "More settings";
const row = (name: string) => page.locator(".setting-item", { has: page.locator(`.setting-item-name:text-is("${name}")`) });
const patch = async (): Promise<unknown> => (await bridge.until("settings.update"))["patch"];

describe("in a narrow window", () => {
	it.each([["Network"], ["Tools and questions"], ["Connected programs"], ["Remembered answers"]])("every control of “%s” is in view, and every text has room", async (name) => {
		bridge.answers.set("consent.grants", () => grants);
		await page.setViewportSize({ width: 420, height: 700 });
		await go(name);
		await page.waitForSelector(".vault-bridge-settings .setting-item-name");
		const misplaced = await page.locator(".vault-bridge-settings").evaluate((tab) => {
			const { left, right } = tab.getBoundingClientRect();
			const controls = [...tab.querySelectorAll("button, input, select, .checkbox-container")].filter((one) => one.checkVisibility());
			const outside = controls.filter((one) => one.getBoundingClientRect().left < left || one.getBoundingClientRect().right > right);
			const squeezed = [...tab.querySelectorAll(".setting-item-info")].filter((one) => one.checkVisibility() && one.textContent !== "" && one.getBoundingClientRect().width < 80);
			return [...outside, ...squeezed].map((one) => one.outerHTML.slice(0, 120));
		});
		expect(misplaced).toEqual([]);
	});
});

describe("a control", () => {
	it("shows the value that holds, and changes it at once", async () => {
		await go("Privacy and log");
		await expect.poll(async () => row("Keep a log").locator(".checkbox-container").getAttribute("class")).toContain("is-enabled");
		await row("Keep a log").locator(".checkbox-container").click();
		expect(await patch()).toEqual({ enableAuditLog: false });
	});

	it("measures bytes in what people read", async () => {
		await go("Searching, reading and backups", RARE);
		await expect.poll(async () => row("Largest part of a file").locator("input").inputValue()).toBe("1");
		await expect.poll(async () => row("Largest part of a file").locator(".vault-bridge-unit").textContent()).toBe("MB");
		await row("Largest part of a file").locator("input").fill("2.5");
		await row("Largest part of a file").locator("input").blur();
		expect(await patch()).toEqual({ readMaxBytes: 2_621_440 });
	});

	it("says how far search by meaning is, and begins anew", async () => {
		const semantic = { state: "embedding", reason: "", model: "small", done: 20, total: 400, passages: 90, size: 5_242_880 };
		const vault = { notes: 400, files: 400, indexed: 400, indexing: false, lastSweep: null, byNameOnly: 0, namedOnly: [], inPlace: true };
		bridge.answers.set("vault.status", () => ({ ...vault, semantic }));
		bridge.answers.set("semantic.rebuild", () => semantic);
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Searching, reading and backups");
		const name = "Notes prepared for search by meaning";
		await expect.poll(async () => row(name).locator(".setting-item-description").textContent()).toBe("20 of 400 notes are prepared. Model: small, 5.0 MB.");
		await row(name).locator('button:text-is("Rebuild")').click();
		expect(await bridge.until("semantic.rebuild")).toEqual({});
	});

	it("asks before notes are sent to another computer, and not twice", async () => {
		const endpoint = "http://192.0.2.7:11434";
		const there = { state: "not_allowed", reason: "", model: "", done: 0, total: 0, passages: 0, size: 0, endpoint, sentence: "All notes are sent there." };
		const vault = { notes: 400, files: 400, indexed: 400, indexing: false, lastSweep: null, byNameOnly: 0, namedOnly: [], inPlace: true };
		bridge.answers.set("vault.status", () => ({ ...vault, semantic: there }));
		bridge.answers.set("semantic.allow", () => ({ ...there, state: "waiting", endpoint: null, sentence: null }));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Searching, reading and backups");
		const name = "Notes prepared for search by meaning";
		await expect.poll(async () => row(name).locator(".setting-item-description").textContent()).toContain(endpoint);
		await row(name).locator('button:text-is("Allow")').click();
		const question = page.locator(".modal", { hasText: "Send notes to another computer?" });
		await expect.poll(async () => question.textContent()).toContain("All notes are sent there.");
		await question.locator('button:text-is("Allow")').click();
		expect(await bridge.until("semantic.allow")).toEqual({ endpoint });
	});

	it("has the bridge's unit beside every number that has one", async () => {
		await go("Tools and questions");
		await expect.poll(async () => row("Time to answer").locator(".vault-bridge-unit").textContent()).toBe("seconds");
		await expect.poll(async () => row("Forget unused permissions after").locator(".vault-bridge-unit").textContent()).toBe("days");
		await expect.poll(async () => row("Forget unused permissions after").locator("input").getAttribute("placeholder")).toBe("Never");
	});

	it("offers forever where the bridge does", async () => {
		await go("Privacy and log");
		await expect.poll(async () => row("Keep the log for").locator("option").allTextContents()).toEqual(["Forever", "7 days", "30 days", "90 days"]);
		await row("Keep the log for").locator("select").selectOption({ label: "Forever" });
		expect(await patch()).toEqual({ auditLogRetentionDays: null });
	});

	it("adds to a list and takes away from it", async () => {
		await go("Searching, reading and backups");
		for (const value of ["Templates/**", "*.tmp"]) {
			await row("Ignored files").locator("input").fill(value);
			await row("Ignored files").locator('button:text-is("Add")').click();
			await page.waitForSelector(`.vault-bridge-strings-item:has-text("${value}")`);
		}
		await expect.poll(() => bridge.asked.filter((one) => one.method === "settings.update").at(-1)?.params).toEqual({ patch: { ignorePatterns: ["Templates/**", "*.tmp"] } });
		await page.click('.vault-bridge-strings-item:has-text("Templates") .extra-setting-button');
		await page.waitForSelector('.vault-bridge-strings-item:has-text("Templates")', { state: "detached" });
	});

	it("keeps the old value and shows the bridge's words when it refuses", async () => {
		bridge.answers.set("settings.update", () => { throw new RpcFault(-32602, "Invalid params", { hint: "allowedOrigins: 'file' is not an origin" }); });
		await go("Network", RARE);
		await row("Allowed web pages").locator("input").fill("file");
		await row("Allowed web pages").locator('button:text-is("Add")').click();
		await page.waitForSelector(".vault-bridge-problem.is-error");
		await expect.poll(async () => row("Allowed web pages").textContent()).toContain("'file' is not an origin");
		await expect.poll(async () => row("Allowed web pages").locator(".vault-bridge-strings-item").count()).toBe(0);
	});

	it("leaves what is typed while an earlier value is still being saved", async () => {
		const values = bridge.answers.get("settings.get")?.({}) as Record<string, unknown>;
		const held: (() => void)[] = [];
		bridge.answers.set("settings.update", ({ patch: change }) =>
			new Promise((resolve) => held.push(() => { resolve({ settings: Object.assign(values, change), warnings: ["findMaxResults: noted"] }); })));
		await go("Searching, reading and backups", RARE);
		const input = row("Results of find").locator("input");
		await input.fill("77");
		await input.blur();
		await bridge.until("settings.update");
		await input.fill("5");
		await expect.poll(() => held.length).toBe(1);
		held.pop()?.();
		await page.waitForSelector(".vault-bridge-problem.is-warning");
		await expect.poll(async () => input.inputValue()).toBe("5");
		await input.blur();
		await expect.poll(() => held.length).toBe(1);
		await expect.poll(() => bridge.asked.filter((one) => one.method === "settings.update").map((one) => one.params)).toEqual([{ patch: { findMaxResults: 77 } }, { patch: { findMaxResults: 5 } }]);
	});

	it("shows the bridge's warnings about its own value", async () => {
		bridge.answers.set("settings.update", () => ({ settings: {}, warnings: ["globalRateLimit: 900 calls a minute is high", "other: not here"] }));
		await go("Limits");
		await row("Limit for all tools").locator("input").fill("900");
		await row("Limit for all tools").locator("input").blur();
		await page.waitForSelector(".vault-bridge-problem.is-warning");
		await expect.poll(async () => page.textContent(".vault-bridge-problem")).toBe("globalRateLimit: 900 calls a minute is high");
	});
});

describe("what the bridge calls a risk", () => {
	it("is turned on only after a second question", async () => {
		await go("Tools and questions");
		await row("Developer mode").locator(".checkbox-container").click();
		await page.click('.modal button:text-is("Cancel")');
		await page.waitForTimeout(100);
		expect(bridge.asked.filter((one) => one.method === "settings.update")).toEqual([]);
		await expect.poll(async () => row("Developer mode").locator(".checkbox-container").getAttribute("class")).not.toContain("is-enabled");
		await row("Developer mode").locator(".checkbox-container").click();
		await page.click('.modal button:text-is("Turn on")');
		expect(await patch()).toEqual({ developerMode: true });
	});
});

describe("tools", () => {
	const described = (): { title: string; group: string }[] => (bridge.answers.get("settings.schema")?.({}) as { tools: { title: string; group: string }[] }).tools;
	const choices = async (name: string): Promise<string[]> => row(name).locator("option").allTextContents();

	it("are enabled by a preset in one step", async () => {
		await go("Tools and questions");
		await row("Preset").locator("select").selectOption("minimal");
		expect(await patch()).toEqual({ enabledTools: ["find", "grep", "read"] });
		await page.click('.mod-page:has-text("Each tool")');
		await expect.poll(async () => row("Edit file").locator("select").inputValue()).toBe("off");
	});

	it("have one row each on a page with a filter, which knows their groups too", async () => {
		await go("Tools and questions", "Each tool");
		const titles = page.locator(".setting-items .setting-item:not(.is-hidden) .setting-item-name");
		expect((await titles.allTextContents()).sort()).toEqual(described().map((tool) => tool.title).sort());
		await expect.poll(async () => page.locator(".vault-bridge-absent").count()).toBe(0);
		await page.fill('input[type="search"]', "grep");
		await expect.poll(async () => titles.allTextContents()).toContain("Grep");
		expect((await titles.allTextContents()).length).toBeLessThan(5);
		const group = described().find((tool) => tool.title === "Grep")?.group ?? "";
		await page.fill('input[type="search"]', group.toUpperCase());
		await expect.poll(async () => (await titles.allTextContents()).length).toBeGreaterThanOrEqual(described().filter((tool) => tool.group === group).length);
	});

	it("have one choice, of which each does something else for that tool", async () => {
		await go("Tools and questions", "Each tool");
		await expect.poll(async () => choices("Read")).toEqual(["Off", "Never", "Ask every time", "Ask once a session", "Always allow"]);
		await expect.poll(async () => choices("Edit file")).toEqual(["Off", "Never", "Ask every time", "Ask once a session"]);
		await expect.poll(async () => choices("Apply patch")).toEqual(["Off", "Never", "Ask every time"]);
		await expect.poll(async () => row("Read").locator("select").inputValue()).toBe("session_allow");
	});

	it("are turned off, and on again with a mode, in one change", async () => {
		await go("Tools and questions", "Each tool");
		await row("Grep").locator("select").selectOption({ label: "Off" });
		await expect.poll(() => bridge.asked.filter((one) => one.method === "settings.update").length).toBe(1);
		expect(((await patch()) as { enabledTools: string[] }).enabledTools).not.toContain("grep");
		await row("Grep").locator("select").selectOption({ label: "Always allow" });
		await expect.poll(() => bridge.asked.filter((one) => one.method === "settings.update").at(-1)?.params).toMatchObject({
			patch: { enabledTools: expect.arrayContaining(["grep"]) as string[], consentMode: { grep: "always_allow" } },
		});
	});

	it("go back to what holds when the bridge refuses", async () => {
		bridge.answers.set("settings.update", () => { throw new RpcFault(-32602, "Invalid params", { hint: "consentMode: no" }); });
		await go("Tools and questions", "Each tool");
		await row("Grep").locator("select").selectOption({ label: "Never" });
		await page.waitForSelector(".vault-bridge-problem.is-error");
		await expect.poll(async () => row("Grep").locator("select").inputValue()).toBe("session_allow");
	});

	it("that this bridge does not have stand below in one line, with nothing to choose", async () => {
		bridge.answers.set("settings.get", () => ({ enabledTools: ["find", "weather_report"] }));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Tools and questions", "Each tool");
		await expect.poll(async () => page.locator(".vault-bridge-absent").textContent()).toContain("weather_report");
		await expect.poll(async () => page.locator(".vault-bridge-absent select").count()).toBe(0);
		await expect.poll(async () => row("Grep").locator("select").inputValue()).toBe("off");
	});

	it("can be given a limit of their own, and have their default back", async () => {
		await go("Limits");
		await row("Limit another tool").locator("select").selectOption("grep");
		await expect.poll(async () => patch()).toEqual({ rateLimits: { grep: 60 } });
		await row("Grep").locator("input").waitFor();
		await row("Grep").locator(".extra-setting-button").click();
		await expect.poll(() => bridge.asked.filter((one) => one.method === "settings.update").at(-1)?.params).toEqual({ patch: { rateLimits: { grep: null } } });
	});
});

describe("a section", () => {
	it("goes back to its defaults after a second question", async () => {
		bridge.answers.set("settings.reset", () => ({ settings: {}, warnings: [] }));
		await go("Limits");
		await page.click('button:text-is("Reset")');
		await page.click('.modal:not(.mod-settings) button:text-is("Reset")');
		expect(await bridge.until("settings.reset")).toEqual({ section: "performance" });
	});

	describe("with services that search the web", () => {
		beforeEach(async () => {
			bridge.answers.set("search.services", () => recorded("search-services"));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await go("External services");
		});

		it("has what each means in a line, and none is chosen", async () => {
			await expect.poll(async () => page.locator(".setting-item .checkbox-container.is-enabled").count()).toBe(0);
			await expect.poll(async () => row("Brave Search").textContent()).toContain("Your queries go to Brave");
			await expect.poll(async () => row("Google").textContent()).toContain("ends on 1 January 2027");
			await expect.poll(async () => row("DuckDuckGo").locator("a").getAttribute("href")).toBe("https://duckduckgo.com/terms");
		});

		it("asks them in the order in which they are chosen, which can be changed", async () => {
			for (const name of ["DuckDuckGo", "Ollama"]) {
				await row(name).locator(".checkbox-container").click();
				await row(name).locator(".checkbox-container.is-enabled").waitFor();
			}
			await page.waitForSelector("text=Asked second.");
			await row("Ollama").locator(".extra-setting-button").click();
			await row("DuckDuckGo").locator(".vault-bridge-problem:has-text('Asked second.')").waitFor();
			const patches = bridge.asked.filter(({ method }) => method === "settings.update").map(({ params }) => params["patch"]);
			expect(patches).toEqual([
				{ webSearchProviders: ["duckduckgo"] },
				{ webSearchProviders: ["duckduckgo", "ollama"] },
				{ webSearchProviders: ["ollama", "duckduckgo"] },
			]);
			await row("Ollama").locator(".checkbox-container").click();
			await page.waitForSelector("text=Asked first.");
		});

		it("says how a test ended", async () => {
			bridge.answers.set("keys.test", ({ provider }) => ({ provider, outcome: "refused", message: "Brave does not accept the key" }));
			await row("Brave Search").locator('button:text-is("Test")').click();
			await row("Brave Search").locator(".vault-bridge-problem.is-error:has-text('Refused. Brave does not accept the key')").waitFor();
			bridge.answers.set("keys.test", ({ provider }) => ({ provider, outcome: "connected", message: "Brave Search answers." }));
			await row("Brave Search").locator('button:text-is("Test")').click();
			await row("Brave Search").locator(".vault-bridge-problem.is-good:has-text('Connected. Brave Search answers.')").waitFor();
		});
	});

	it("lists the sites that are allowed, and takes them back", async () => {
		const site = { client: null, sentence: "x", lastUsed: null };
		let sites = [{ ...site, site: "https://tea.example/", allowedBy: "s-1" }, { ...site, site: "docs.example", allowedBy: null }];
		bridge.answers.set("web.sites", () => sites);
		bridge.answers.set("consent.revoke", () => {
			sites = sites.slice(1);
			return { revoked: true };
		});
		const values = bridge.answers.get("settings.get")?.({}) as Record<string, unknown>;
		values["allowedDomains"] = ["localhost", "docs.example"];
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Network");
		await row("docs.example").locator('button:text-is("Take back")').click();
		expect(await patch()).toEqual({ allowedDomains: ["localhost"] });
		await row("https://tea.example/").locator('button:text-is("Take back")').click();
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "s-1" });
		await row("https://tea.example/").waitFor({ state: "detached" });
	});

	it.each([
		["what holds programs", { confines: true, sentence: "Programs run in a sandbox (landlock)", lacks: ["A program sees the names of other programs"] }],
		["that nothing does", { confines: false, sentence: "No sandbox works here: what a program can reach is not limited", lacks: ["A program can read and change everything that you can, and use the network"] }],
	])("says %s, above what lets them be started", async (_name, sandbox) => {
		bridge.answers.set("sandbox.status", () => sandbox);
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Network");
		await expect.poll(async () => row("Sandbox").textContent()).toContain(sandbox.sentence);
		await expect.poll(async () => row("Sandbox").locator(".is-warning").allTextContents()).toEqual(sandbox.lacks);
		const names = await page.locator(".setting-item-name").allTextContents();
		expect(names.slice(names.indexOf("Sandbox"), names.indexOf("Sandbox") + 4)).toEqual(["Sandbox", "Allow terminal", "Allow custom tools", "Allow other servers"]);
	});

	it("says nothing of a sandbox where the bridge says nothing", async () => {
		await go("Network");
		await row("Allow terminal").waitFor();
		await expect.poll(async () => row("Sandbox").count()).toBe(0);
	});

	describe("with keys", () => {
		const key = { provider: "ollama", title: "Ollama", server: "http://localhost:11434", isSet: false, keptIn: null, fault: null };
		const held = { ...key, isSet: true, keptIn: "keyring" };
		let now: object = key;

		beforeEach(async () => {
			now = key;
			bridge.answers.set("keys.status", ({ open }) => [open === true ? now : { ...now, keptIn: null, fault: null }]);
			bridge.answers.set("keys.set", () => (now = held));
			bridge.answers.set("keys.clear", () => (now = key));
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		});

		it("takes one that nobody sees, and says where it stands", async () => {
			await go("External services");
			await expect.poll(async () => row("Key for Ollama").textContent()).toContain("No key is set.");
			await expect.poll(async () => row("Key for Ollama").locator("button").isDisabled()).toBe(true);
			await expect.poll(async () => row("Key for Ollama").locator("input").getAttribute("type")).toBe("password");
			await row("Key for Ollama").locator("input").fill(" s3cret-of-mine ");
			await row("Key for Ollama").locator("input").blur();
			expect(await bridge.until("keys.set")).toEqual({ provider: "ollama", key: "s3cret-of-mine" });
			await page.waitForSelector("text=A key is set. Its master key is in the system's keyring.");
			await expect.poll(async () => row("Key for Ollama").locator("input").inputValue()).toBe("");
			expect(await page.content()).not.toContain("s3cret-of-mine");
		});

		it("clears one after a second question", async () => {
			now = held;
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			await go("External services");
			await row("Key for Ollama").locator('button:text-is("Clear key")').click();
			await page.click('.modal:not(.mod-settings) button:text-is("Clear key")');
			expect(await bridge.until("keys.clear")).toEqual({ provider: "ollama" });
			await page.waitForSelector("text=No key is set.");
		});

		it("says why one does not open, and why one is refused", async () => {
			now = { ...held, keptIn: null, fault: "The system's keyring is locked" };
			await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
			bridge.answers.set("keys.set", () => { throw new RpcFault(-32602, "Invalid params", { hint: "An API key has 8 to 4,096 characters" }); });
			await go("External services");
			await page.waitForSelector(".vault-bridge-problem.is-error:has-text('keyring is locked')");
			await row("Key for Ollama").locator("input").fill("short");
			await row("Key for Ollama").locator("input").blur();
			await page.waitForSelector(".vault-bridge-problem.is-error:has-text('An API key has 8')");
		});

		it("asks for nothing to be unlocked before the page is opened", async () => {
			await showSettings(page);
			await page.waitForSelector(".mod-page");
			expect(bridge.asked.filter(({ method, params }) => method === "keys.status" && params["open"] === true)).toEqual([]);
		});
	});
});

describe("approving without asking", () => {
	it("takes a second question, and is listed as it holds", async () => {
		let on = false;
		bridge.answers.set("consent.grants", () => (on ? [{ grantId: "a-1", kind: "auto", who: "all", what: "operation", until: "stop", client: null, operation: "create", decision: "allow_session", sentence: "Every program may create files." }] : []));
		bridge.answers.set("consent.autoApprove", ({ enabled }) => {
			on = enabled === true;
			return { enabled };
		});
		await go("Remembered answers");
		const toggle = row("Approve new files without asking").locator(".checkbox-container");
		await toggle.click();
		await page.click('.modal button:text-is("Approve")');
		expect(await bridge.until("consent.autoApprove")).toEqual({ operation: "create", enabled: true });
		await page.waitForSelector(".checkbox-container.is-enabled");
	});
});

describe("what the tab shows", () => {
	it("is not asked for again, however often the settings are searched and opened", async () => {
		await page.clock.install();
		await showSettings(page);
		await page.waitForSelector(".mod-page");
		await page.clock.runFor(60_000); // longer than anything that was once taken for fresh
		const before = bridge.asked.length;
		for (let turn = 0; turn < 20; turn++) await showSettings(page);
		await page.waitForTimeout(200);
		expect(bridge.asked.length).toBe(before);
	});

	it("follows what is changed elsewhere", async () => {
		await go("Privacy and log");
		await row("Keep a log").locator(".checkbox-container.is-enabled").waitFor();
		const values = bridge.answers.get("settings.get")?.({}) as Record<string, unknown>;
		bridge.answers.set("settings.get", () => ({ ...values, enableAuditLog: false }));
		bridge.notify("audit.appended", { timestamp: new Date().toISOString(), kind: "settings" });
		await row("Keep a log").locator(".checkbox-container:not(.is-enabled)").waitFor();
	});
});

describe("without a bridge", () => {
	it("the tab says so and keeps what belongs to this device", async () => {
		await connected(page);
		bridge.stop();
		await page.waitForSelector(".vault-bridge-status:not(.is-connected)");
		await showSettings(page);
		await expect.poll(async () => page.$$(".mod-page")).toHaveLength(0);
		await row("Program").waitFor();
		await row("Start and stop").locator('button:text-is("Start")').waitFor();
	});
});

describe("the pages", () => {
	const SHORT = 12;
	const rows = async (): Promise<number> => page.locator(".setting-item:not(.setting-item-heading)").count();
	const words = async (): Promise<string[]> => page.$$eval(".setting-item-description", (all) => all.map((el) => el.textContent).filter((text) => text.split(/\s+/).length >= 20));

	it.each(["Tools and questions", "Chat", "External services", "Network", "Limits", "Privacy and log", "Searching, reading and backups"])("%s has at most twelve rows, and no row's text has twenty words", async (name) => {
		await go(name);
		expect(await rows()).toBeLessThanOrEqual(SHORT);
		expect(await words()).toEqual([]);
	});

	it("lose nothing: every setting is on a page of its section or behind one step from there", async () => {
		const { properties } = bridge.answers.get("settings.schema")?.({}) as { properties: Record<string, { title: string; section: string; readOnly?: boolean; rare?: boolean }> };
		await go("Find a setting");
		const found = await page.locator(".setting-item-name").allTextContents();
		const drawn = Object.entries(properties).filter(([key, { readOnly }]) => readOnly !== true && !["enabledTools", "consentMode", "rateLimits", "webSearchProviders", "encryptedKeys"].includes(key));
		expect(drawn.map(([, { title }]) => title).filter((title) => !found.includes(title))).toEqual([]);
		expect(await words()).toEqual([]);
	});

	it.each([["offline", "Block external requests"], ["SHELL", "Allow terminal"], ["disk space", "Keep backups for"], ["embeddings", "Search by meaning"]])("find a setting by what people call it: %s", async (query, title) => {
		await go("Find a setting");
		await page.fill('input[type="search"]', query);
		const shown = page.locator(".setting-items .setting-item:not(.is-hidden) .setting-item-name");
		await expect.poll(async () => shown.allTextContents()).toContain(title);
		expect(await shown.count()).toBeLessThan(8);
	});
});

describe("at a glance", () => {
	const said = async (name: string): Promise<string | null> => row(name).locator(".setting-item-description").textContent();

	it("says who may do what, how much was asked, and what reaches beyond the vault", async () => {
		const values = bridge.answers.get("settings.get")?.({}) as object;
		bridge.answers.set("settings.get", () => ({ ...values, allowTerminal: true, developerMode: true }));
		bridge.answers.set("consent.grants", () => grants.slice(0, 1));
		bridge.answers.set("audit.activity", ({ days }) => activity((days as number | undefined) ?? 7));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go();
		expect(await said("Without asking")).toContain("Every program may read without asking.");
		expect(await said("Asked this week")).toMatch(/^[\d,]+ questions in seven days\.$/);
		expect(await said("Beyond this vault")).toBe("Switched on: Allow terminal.");
	});

	it("ends everything with one button, after a second question, and says what it ended", async () => {
		bridge.answers.set("consent.endAll", () => ({ ended: grants.slice(0, 1), text: "1 answer ended. Every program asks from now on." }));
		await go();
		await row("Stop everything").locator("button").click();
		await page.click('.modal:not(.mod-settings) button:text-is("Cancel")');
		expect(bridge.asked.map(({ method }) => method)).not.toContain("consent.endAll");
		await row("Stop everything").locator("button").click();
		await page.click('.modal:not(.mod-settings) button:text-is("Stop everything")');
		await page.waitForSelector(`.notice:has-text("1 answer ended."):has-text("${(grants[0] as { sentence: string }).sentence.slice(0, 20)}")`);
	});
});
