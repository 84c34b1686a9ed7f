/** The page of connected programs in a real browser. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { FakeBridge, RpcFault } from "./fakeBridge";
import { claude, grants, ollama } from "./programs";

const TOKEN = "vbc_0a1b2c_s3cret";

let browser: Browser;
let bridge: FakeBridge;
let page: Page;

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
beforeEach(async () => {
	bridge = new FakeBridge();
	bridge.clients = [claude, ollama];
	bridge.answers.set("consent.grants", () => grants);
	await bridge.start();
	page = await browser.open({ vault: bridge.vault });
	await page.waitForSelector(".vault-bridge-status.is-connected");
});
afterEach(async () => {
	await page.close();
	bridge.end();
});

const go = async (): Promise<void> => {
	await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
	await page.click('.mod-page:has-text("Connected programs")');
	await page.waitForSelector('.setting-item:has-text("Add a program")');
};
const program = (name: string) => page.locator(".vault-bridge-program", { hasText: name });
const dialog = ".modal:not(.mod-settings)";

describe("connected programs", () => {
	it("are listed with what they call themselves, when they were here, what they may do, and their own answers", async () => {
		await go();
		const text = await program("Claude Code").textContent();
		for (const part of ["Calls itself “claude-code 2.1” (not verified).", "Added ", "Connected now.", "Call tools.", "Allowed: read on the folder Projects/", "Allowed: grep"]) expect(text).toContain(part);
		expect(text).not.toContain("Denied: find");
		expect(await program("Kitchen tablet").textContent()).toContain("Last seen ");
		expect(await program("Kitchen tablet").textContent()).toContain("Call tools, answer the questions of other programs and administer the bridge: its settings, its log and these programs.");
		expect(await program("Kitchen tablet").locator("button").allTextContents()).toEqual(["Rename", "Revoke"]);
	});

	it("have answers that can be taken back", async () => {
		bridge.answers.set("consent.revoke", () => ({ revoked: true }));
		await go();
		await program("Claude Code").locator('button:text-is("Take back")').first().click();
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "c-1" });
	});

	it("are added with a name, and the token is shown this once", async () => {
		bridge.answers.set("clients.add", ({ name }) => {
			const client = { ...claude, clientId: "9f", name };
			bridge.clients = [...bridge.clients, client];
			return { client, token: TOKEN };
		});
		await go();
		await page.click('button:text-is("Add")');
		await page.fill(`${dialog} input`, "  Notebook ");
		await page.click(`${dialog} button:text-is("Add")`);
		await page.waitForSelector(".vault-bridge-token");
		expect(await bridge.until("clients.add")).toEqual({ name: "Notebook" });
		expect(await page.inputValue(".vault-bridge-token input")).toBe(TOKEN);
		expect(await page.textContent(dialog)).toContain("it cannot be shown again");
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.click('.vault-bridge-token button:text-is("Copy")');
		await page.waitForSelector('.vault-bridge-token button:text-is("Copied")');
		expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe(TOKEN);
		// What is drawn again behind the window does not take the token away.
		bridge.notify("tools.changed", {});
		bridge.notify("clients.changed", { message: "Notebook was added. It may call tools." });
		await page.waitForSelector(".notice");
		expect(await page.inputValue(".vault-bridge-token input")).toBe(TOKEN);
		await page.click('button:text-is("Done")');
		await page.waitForSelector('.vault-bridge-program:has-text("Notebook")');
		expect(await page.evaluate((token) => [document.documentElement.outerHTML.includes(token), [...document.querySelectorAll("input")].some((one) => one.value === token)], TOKEN)).toEqual([false, false]);
	});

	it("keep the window open when the bridge refuses the name, with its words", async () => {
		bridge.answers.set("clients.add", () => { throw new RpcFault(-32602, "Invalid params", { hint: "There is a client called 'Claude Code' already; choose another name" }); });
		await go();
		await page.click('button:text-is("Add")');
		await page.fill(`${dialog} input`, "claude code");
		await page.keyboard.press("Enter");
		await page.waitForSelector(`${dialog} .vault-bridge-problem:has-text("already; choose another name")`);
		expect(await page.inputValue(`${dialog} input`)).toBe("claude code");
	});

	it("are renamed", async () => {
		bridge.answers.set("clients.rename", ({ name }) => {
			bridge.clients = [{ ...claude, name }, ollama];
			return bridge.clients[0];
		});
		await go();
		await program("Claude Code").locator('button:text-is("Rename")').click();
		expect(await page.inputValue(`${dialog} input`)).toBe("Claude Code");
		await page.fill(`${dialog} input`, "Claude on the desk");
		await page.click(`${dialog} button:text-is("Rename")`);
		expect(await bridge.until("clients.rename")).toEqual({ clientId: "0a1b2c", name: "Claude on the desk" });
		await page.waitForSelector('.vault-bridge-program:has-text("Claude on the desk")');
	});

	it("are revoked after a question that says what that does", async () => {
		bridge.answers.set("clients.revoke", () => {
			bridge.clients = [ollama];
			return claude;
		});
		await go();
		await program("Claude Code").locator('button:text-is("Revoke")').click();
		expect(await page.textContent(dialog)).toContain("Its token is refused from now on");
		await page.click(`${dialog} button:text-is("Cancel")`);
		expect(bridge.asked.filter((one) => one.method === "clients.revoke")).toEqual([]);
		await program("Claude Code").locator('button:text-is("Revoke")').click();
		await page.click(`${dialog} button:text-is("Revoke")`);
		expect(await bridge.until("clients.revoke")).toEqual({ clientId: "0a1b2c" });
		await page.waitForSelector('.vault-bridge-program:has-text("Claude Code")', { state: "detached" });
	});

	it("are allowed more by the answer to a question, and a no is said", async () => {
		bridge.answers.set("clients.allow", () => { throw new RpcFault(-32001, "The user does not let Claude Code answer the questions of other programs"); });
		await go();
		expect(await program("Claude Code").textContent()).toContain("For more, a question appears that you then answer.");
		await program("Claude Code").locator('button:text-is("Let it answer questions")').click();
		expect(await bridge.until("clients.allow")).toEqual({ clientId: "0a1b2c", capability: "answer" });
		await page.waitForSelector('.notice:has-text("The user does not let Claude Code")');
		expect(await program("Claude Code").locator("button:disabled").count()).toBe(0);
	});

	it("that change elsewhere are announced and drawn again", async () => {
		await go();
		bridge.clients = [ollama];
		bridge.notify("clients.changed", { message: "Claude Code was revoked. Its token is not valid any more." });
		await page.waitForSelector('.notice:has-text("Claude Code was revoked.")');
		await page.waitForSelector('.vault-bridge-program:has-text("Claude Code")', { state: "detached" });
	});

	it("have names that are drawn as text", async () => {
		bridge.clients = [{ ...claude, name: "<img src=x onerror='window.hacked = true'>\u202e", callsItself: "<script>window.hacked = true</script>" }];
		await go();
		await page.waitForSelector(".vault-bridge-program");
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		expect(await page.$$(".vault-bridge-program img, .vault-bridge-program script")).toHaveLength(0);
		expect(await page.textContent(".vault-bridge-program")).toContain("U+202E");
	});

	it("are none with a bridge that cannot tell them apart, which is said", async () => {
		bridge.answers.delete("clients.list");
		await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
		await page.click('.mod-page:has-text("Connected programs")');
		await page.waitForSelector("text=cannot tell programs apart");
	});
});

describe("tools that come and go", () => {
	it("are read again, and the form is drawn with them", async () => {
		await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById("vault-bridge"); });
		await page.click('.mod-page:has-text("Tools and consent")');
		const schema = bridge.answers.get("settings.schema")?.({}) as { tools: object[] };
		const added = { name: "weather", title: "Weather", description: "Tells the weather.", risk: "low", consentClass: "always" };
		bridge.answers.set("settings.schema", () => ({ ...schema, tools: [...schema.tools, added] }));
		bridge.notify("tools.changed", {});
		await page.waitForSelector('.setting-item-name:text-is("Weather")');
	});
});
