/** The settings tab in a real browser: every control says what the bridge says. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge, RpcFault } from "./fakeBridge";

let browser: Browser;
let bridge: FakeBridge;
let page: Page;

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
beforeEach(async () => {
	bridge = new FakeBridge();
	await bridge.start();
	const values = bridge.answers.get("settings.get")?.({}) as Record<string, unknown>;
	bridge.answers.set("settings.get", () => values);
	bridge.answers.set("settings.update", ({ patch }) => {
		Object.assign(values, patch);
		return { settings: values, warnings: [] };
	});
	page = await browser.open({ vault: bridge.vault });
});
afterEach(async () => {
	await page.close();
	bridge.end();
});

const go = async (name: string): Promise<void> => {
	await page.waitForSelector(".vault-bridge-status.is-connected");
	await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
	await page.click(`.mod-page:has-text("${name}")`);
};
const row = (name: string) => page.locator(".setting-item", { has: page.locator(`.setting-item-name:text-is("${name}")`) });
const patch = async (): Promise<unknown> => (await bridge.until("settings.update"))["patch"];

describe("a control", () => {
	it("shows the value that holds, and changes it at once", async () => {
		await go("Network security");
		expect(await row("HTTPS only").locator(".checkbox-container").getAttribute("class")).toContain("is-enabled");
		await row("HTTPS only").locator(".checkbox-container").click();
		expect(await patch()).toEqual({ httpsOnly: false });
	});

	it("measures bytes in what people read", async () => {
		await go("Network security");
		expect(await row("Largest response").locator("input").inputValue()).toBe("10");
		await row("Largest response").locator("input").fill("2.5");
		await row("Largest response").locator("input").blur();
		expect(await patch()).toEqual({ maxResponseSize: 2_621_440 });
	});

	it("offers forever where the bridge does", async () => {
		await go("Privacy and audit");
		await row("Keep the log for").locator("select").selectOption({ label: "Forever" });
		expect(await patch()).toEqual({ auditLogRetentionDays: null });
	});

	it("adds to a list and takes away from it", async () => {
		await go("Network security");
		await row("Allowed domains").locator("input").fill("example.org");
		await row("Allowed domains").locator('button:text-is("Add")').click();
		await page.waitForSelector('.vault-bridge-strings-item:has-text("example.org")');
		expect(await patch()).toEqual({ allowedDomains: ["localhost", "127.0.0.1", "example.org"] });
		await page.click('.vault-bridge-strings-item:has-text("localhost") .extra-setting-button');
		await page.waitForSelector('.vault-bridge-strings-item:has-text("localhost")', { state: "detached" });
	});

	it("keeps the old value and shows the bridge's words when it refuses", async () => {
		bridge.answers.set("settings.update", () => { throw new RpcFault(-32602, "Invalid params", { hint: "allowedDomains: 'file://x' is not a host name" }); });
		await go("Network security");
		await row("Allowed domains").locator("input").fill("file://x");
		await row("Allowed domains").locator('button:text-is("Add")').click();
		await page.waitForSelector(".vault-bridge-problem.is-error");
		expect(await row("Allowed domains").textContent()).toContain("'file://x' is not a host name");
		expect(await page.$$(".vault-bridge-strings-item")).toHaveLength(2);
	});

	it("shows the bridge's warnings about its own value", async () => {
		bridge.answers.set("settings.update", () => ({ settings: {}, warnings: ["globalRateLimit: 900 calls a minute is high", "other: not here"] }));
		await go("Performance");
		await row("Limit for all tools").locator("input").fill("900");
		await row("Limit for all tools").locator("input").blur();
		await page.waitForSelector(".vault-bridge-problem.is-warning");
		expect(await page.textContent(".vault-bridge-problem")).toBe("globalRateLimit: 900 calls a minute is high");
	});
});

describe("what the bridge calls a risk", () => {
	it("is turned on only after a second question", async () => {
		await go("Network security");
		await row("Allow terminal").locator(".checkbox-container").click();
		await page.click('.modal button:text-is("Cancel")');
		await page.waitForTimeout(100);
		expect(bridge.asked.filter((one) => one.method === "settings.update")).toEqual([]);
		expect(await row("Allow terminal").locator(".checkbox-container").getAttribute("class")).not.toContain("is-enabled");
		await row("Allow terminal").locator(".checkbox-container").click();
		await page.click('.modal button:text-is("Turn on")');
		expect(await patch()).toEqual({ allowTerminal: true });
	});
});

describe("tools", () => {
	it("are enabled by a preset in one step", async () => {
		await go("Tools and consent");
		await row("Preset").locator("select").selectOption("minimal");
		expect(await patch()).toEqual({ enabledTools: ["find", "grep", "read"] });
	});

	it("are disabled one by one", async () => {
		await go("Tools and consent");
		await row("Grep").first().locator(".checkbox-container").click();
		expect((await patch()) as { enabledTools: string[] }).toSatisfy(({ enabledTools }: { enabledTools: string[] }) => !enabledTools.includes("grep") && enabledTools.includes("find"));
	});

	it("are shown when this bridge has them, enabled or not; what else is named stands below in one line", async () => {
		await go("Tools and consent");
		const group = page.locator(".setting-group", { hasText: "Enabled tools" });
		const names = await group.locator(".setting-item:not(.setting-item-heading) .setting-item-name").allTextContents();
		const known = (bridge.answers.get("settings.schema")?.({}) as { tools: { title: string }[] }).tools.map((tool) => tool.title);
		expect(names).toEqual([...known, "Not in this version"]);
		expect(await group.locator(".vault-bridge-absent").textContent()).toContain("search_notes, search_files");
		expect(await group.locator(".vault-bridge-absent .checkbox-container").count()).toBe(0);
	});

	it("that are disabled have their title and description all the same", async () => {
		bridge.answers.set("settings.get", () => ({ enabledTools: ["find"] }));
		bridge.answers.set("tools.list", () => []);
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("Tools and consent");
		const grep = row("Grep").first();
		expect(await grep.textContent()).toContain("Search file contents using regex patterns");
		expect(await grep.locator(".checkbox-container").getAttribute("class")).not.toContain("is-enabled");
		expect(await page.$$(".vault-bridge-absent")).toHaveLength(0);
	});

	it("are offered only the modes that the bridge would honour", async () => {
		await go("Tools and consent");
		const modes = page.locator(".setting-group", { hasText: "When tools ask" });
		const options = async (name: string): Promise<string[]> => modes.locator(".setting-item", { hasText: name }).first().locator("option").allTextContents();
		expect(await options("Read")).toEqual(["Always ask", "Session allow", "Always allow", "Never allow"]);
		expect(await options("Apply Patch")).toEqual(["Always ask", "Never allow"]);
	});
});

describe("a section", () => {
	it("goes back to its defaults after a second question", async () => {
		bridge.answers.set("settings.reset", () => ({ settings: {}, warnings: [] }));
		await go("Performance");
		await page.click('button:text-is("Reset")');
		await page.click('.modal:not(.mod-settings) button:text-is("Reset")');
		expect(await bridge.until("settings.reset")).toEqual({ section: "performance" });
	});

	it("shows keys, cache and log where the bridge has them", async () => {
		bridge.answers.set("keys.status", () => ({ keys: { ollama: { set: true } } }));
		bridge.answers.set("keys.test", () => ({ ok: false, message: "401 from the server" }));
		bridge.answers.set("keys.set", () => ({}));
		await page.evaluate(() => { window.host.plugin.unload(); window.host.plugin.load(); });
		await go("External APIs");
		await row("Key for ollama").locator("input").fill("secret");
		await row("Key for ollama").locator("input").blur();
		expect(await bridge.until("keys.set")).toEqual({ provider: "ollama", key: "secret" });
		await page.click('button:text-is("Test connection")');
		await page.waitForSelector("text=401 from the server");
		expect(await page.content()).not.toContain("secret");
	});
});

describe("approving without asking", () => {
	it("takes a second question, and is listed as it holds", async () => {
		let on = false;
		bridge.answers.set("consent.grants", () => (on ? [{ grantId: "a-1", kind: "auto", client: null, operation: "create", decision: "allow_session" }] : []));
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

describe("without a bridge", () => {
	it("the tab says so and keeps what belongs to this device", async () => {
		await page.waitForSelector(".vault-bridge-status.is-connected");
		bridge.stop();
		await page.waitForSelector(".vault-bridge-status:not(.is-connected)");
		await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
		expect(await page.$$(".mod-page")).toHaveLength(0);
		await row("Program").locator("input").fill("/opt/vault-bridge");
		await row("Program").locator("input").blur();
		expect(await page.evaluate(() => window.localStorage.getItem("vault-bridge"))).toContain("/opt/vault-bridge");
	});
});
