/** The page of connected programs in a real browser. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { openSettings, showSettings } from "./plugin";
import { claude, grants, ollama, webReaders } from "./programs";

const TOKEN = "vbc_0a1b2c_s3cret";

eachTestHasAWindow({
	prepare: () => {
		bridge.clients = [claude, ollama];
		bridge.answers.set("consent.grants", () => grants);
	},
});

const go = async (): Promise<void> => {
	await openSettings(page, "Connected programs");
	await page.waitForSelector('.setting-item:has-text("Add a program")');
};
const program = (name: string) => page.locator(".vault-bridge-program", { hasText: name });
const tools = 'select[aria-label^="Tools of"]';
const dialog = ".modal:not(.mod-settings)";

describe("connected programs", () => {
	it("are listed with what they call themselves, when they were here, what they may do, and their own answers", async () => {
		await go();
		const text = await program("Claude Code").textContent();
		for (const part of ["Calls itself “claude-code 2.1” (not verified).", "Added ", "Connected now.", "Call tools.", "Claude Code may read every note in the folder Projects/", "Claude Code may use Grep without asking"]) expect(text).toContain(part);
		expect(text).not.toContain("may not use Find");
		await expect.poll(async () => program("Kitchen tablet").textContent()).toContain("Last seen ");
		await expect.poll(async () => program("Kitchen tablet").textContent()).toContain("Call tools, answer the questions of other programs and administer the bridge: its settings, its log and these programs.");
		await expect.poll(async () => program("Kitchen tablet").locator("button").allTextContents()).toEqual(["Rename", "Revoke"]);
	});

	it("have answers that can be taken back", async () => {
		bridge.answers.set("consent.revoke", () => ({ revoked: true }));
		await go();
		await program("Claude Code").locator('button:text-is("Take back")').first().click();
		expect(await bridge.until("consent.revoke")).toEqual({ grantId: "c-1" });
	});

	it("have a set of tools of their own, which can be changed", async () => {
		bridge.answers.set("clients.update", ({ preset }) => {
			bridge.clients = [{ ...claude, preset }, ollama];
			return bridge.clients[0];
		});
		await go();
		await expect.poll(async () => program("Claude Code").locator(tools).inputValue()).toBe("agent");
		await expect.poll(async () => program("Kitchen tablet").locator(`${tools} option`).allTextContents()).toEqual(["As set for all", "Minimal", "Agent", "Vault", "Everything"]);
		await program("Claude Code").locator(tools).selectOption("minimal");
		expect(await bridge.until("clients.update")).toEqual({ clientId: "0a1b2c", preset: "minimal" });
		await page.waitForFunction(() => document.querySelector<HTMLSelectElement>(".vault-bridge-program select")?.value === "minimal");
	});

	it("may be where single reads are confirmed, after a question about that", async () => {
		bridge.answers.set("clients.update", () => { throw new RpcFault(-32602, "Invalid params", { hint: "The user does not let Claude Code ask its own user about single calls of it that only read notes" }); });
		await go();
		const toggle = program("Claude Code").locator(".setting-item", { hasText: "Confirm reading there" }).locator(".checkbox-container");
		await expect.poll(async () => toggle.getAttribute("class")).not.toContain("is-enabled");
		await toggle.click();
		expect(await bridge.until("clients.update")).toEqual({ clientId: "0a1b2c", elicitation: true });
		await page.waitForSelector('.notice:has-text("The user does not let Claude Code ask its own user")');
		await expect.poll(async () => toggle.getAttribute("class")).not.toContain("is-enabled");
	});

	it("may see what the person looks at for as long as is chosen, after a question about that", async () => {
		bridge.answers.set("clients.update", ({ looking }) => {
			bridge.clients = [{ ...claude, looking: looking === "session" ? "stop" : null }, ollama];
			return bridge.clients[0];
		});
		await go();
		const choice = program("Claude Code").locator('select[aria-label="See what you look at: Claude Code"]');
		await expect.poll(async () => choice.inputValue()).toBe("no");
		await choice.selectOption("session");
		expect(await bridge.until("clients.update")).toEqual({ clientId: "0a1b2c", looking: "session" });
		await expect.poll(async () => choice.inputValue()).toBe("session");
		await expect.poll(async () => program("Claude Code").locator('select[aria-label="Open notes without a click: Claude Code"]').inputValue()).toBe("no");
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
		await expect.poll(async () => page.inputValue(".vault-bridge-token input")).toBe(TOKEN);
		await expect.poll(async () => page.textContent(dialog)).toContain("it cannot be shown again");
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.click('.vault-bridge-token button:text-is("Copy")');
		await page.waitForSelector('.vault-bridge-token button:text-is("Copied")');
		expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe(TOKEN);
		// What is drawn again behind the window does not take the token away.
		bridge.notify("tools.changed", {});
		bridge.notify("clients.changed", { message: "Notebook was added. It may call tools." });
		await page.waitForSelector(".notice");
		await expect.poll(async () => page.inputValue(".vault-bridge-token input")).toBe(TOKEN);
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
		await expect.poll(async () => page.inputValue(`${dialog} input`)).toBe("claude code");
	});

	it("are renamed", async () => {
		bridge.answers.set("clients.rename", ({ name }) => {
			bridge.clients = [{ ...claude, name }, ollama];
			return bridge.clients[0];
		});
		await go();
		await program("Claude Code").locator('button:text-is("Rename")').click();
		await expect.poll(async () => page.inputValue(`${dialog} input`)).toBe("Claude Code");
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
		await expect.poll(async () => page.textContent(dialog)).toContain("Its token is refused from now on");
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
		await expect.poll(async () => program("Claude Code").textContent()).toContain("For more, a question appears that you then answer.");
		await program("Claude Code").locator('button:text-is("Let it answer questions")').click();
		expect(await bridge.until("clients.allow")).toEqual({ clientId: "0a1b2c", capability: "answer" });
		await page.waitForSelector('.notice:has-text("The user does not let Claude Code")');
		await expect.poll(async () => program("Claude Code").locator("button:disabled").count()).toBe(0);
	});

	it("that change while a button is pressed leave the press as it is", async () => {
		await go();
		const lists = (): number => bridge.asked.filter((one) => one.method === "clients.list").length;
		await program("Claude Code").locator('button:text-is("Revoke")').hover();
		const before = lists();
		await page.mouse.down();
		bridge.notify("clients.changed", { message: "The program “Shell” was added." });
		await expect.poll(lists).toBeGreaterThan(before);
		await page.waitForSelector('.notice:has-text("was added")');
		await page.mouse.up();
		await expect.poll(async () => page.textContent(dialog)).toContain("Its token is refused from now on");
	});

	it("that change elsewhere are announced and drawn again", async () => {
		await go();
		bridge.clients = [ollama];
		bridge.notify("clients.changed", { message: "Claude Code was revoked. Its token is not valid any more." });
		await page.waitForSelector('.notice:has-text("Claude Code was revoked.")');
		await page.waitForSelector('.vault-bridge-program:has-text("Claude Code")', { state: "detached" });
	});

	it("say that they have read from the web, since when, which sites, and what follows", async () => {
		bridge.answers.set("web.readers", () => webReaders);
		await go();
		const text = await program("Claude Code").textContent();
		for (const part of ["Has read from the web", "20", "2026: https://en.wikipedia.org/, https://docs.obsidian.md/.", "you are asked about more, whatever you allowed before"]) expect(text).toContain(part);
		await expect.poll(async () => program("Kitchen tablet").textContent()).not.toContain("Has read from the web");
		await expect.poll(async () => program("Programs without a name of their own").locator("button").allTextContents()).toEqual(["Trust it again"]);
	});

	it("are trusted again after a question that says what that does", async () => {
		let readers: object[] = webReaders;
		bridge.answers.set("web.readers", () => readers);
		bridge.answers.set("web.clear", ({ clientId }) => {
			readers = webReaders.filter((one) => one.clientId !== clientId);
			return { cleared: true };
		});
		await go();
		const trust = program("Programs without a name of their own").locator('button:text-is("Trust it again")');
		await trust.click();
		await expect.poll(async () => page.textContent(dialog)).toContain("Trust programs without a name of their own again?");
		await page.click(`${dialog} button:text-is("Cancel")`);
		expect(bridge.asked.filter((one) => one.method === "web.clear")).toEqual([]);
		await trust.click();
		await page.click(`${dialog} button:text-is("Trust it again")`);
		expect(await bridge.until("web.clear")).toEqual({ clientId: "shared" });
		await program("Programs without a name of their own").waitFor({ state: "detached" });
		await expect.poll(async () => program("Claude Code").textContent()).toContain("Has read from the web");
	});

	it("that have read from the web and are in the list no more are shown all the same, as text", async () => {
		bridge.answers.set("web.readers", () => [{ ...webReaders[0], clientId: "gone", client: "<img src=x onerror='window.hacked = true'>", sites: ["<script>window.hacked = true</script>\u202e"] }]);
		await go();
		await page.waitForSelector('.vault-bridge-program:has-text("<script>")');
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.$$(".vault-bridge-program img, .vault-bridge-program script")).toHaveLength(0);
		await expect.poll(async () => program("<script>").textContent()).toContain("U+202E");
	});

	it("have names that are drawn as text", async () => {
		bridge.clients = [{ ...claude, name: "<img src=x onerror='window.hacked = true'>\u202e", callsItself: "<script>window.hacked = true</script>" }];
		await go();
		await page.waitForSelector(".vault-bridge-program");
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.$$(".vault-bridge-program img, .vault-bridge-program script")).toHaveLength(0);
		await expect.poll(async () => page.textContent(".vault-bridge-program")).toContain("U+202E");
	});

	it("are none with a bridge that cannot tell them apart, which is said", async () => {
		bridge.answers.delete("clients.list");
		await showSettings(page);
		await page.click('.mod-page:has-text("Connected programs")');
		await page.waitForSelector("text=cannot tell programs apart");
	});
});

describe("tools that come and go", () => {
	it("are read again, and the form is drawn with them", async () => {
		await showSettings(page);
		await page.click('.mod-page:has-text("Tools and questions")');
		await page.click('.mod-page:has-text("Each tool")');
		const schema = bridge.answers.get("settings.schema")?.({}) as { tools: object[] };
		const added = { name: "weather", title: "Weather", description: "Tells the weather.", risk: "low", consentClass: "always", group: "Network", enabled: true, mode: "always_ask", modes: ["never_allow", "always_ask"], rate: 60, defaultRate: 60 };
		bridge.answers.set("settings.schema", () => ({ ...schema, tools: [...schema.tools, added] }));
		bridge.notify("tools.changed", {});
		await page.waitForSelector('.setting-item-name:text-is("Weather")');
	});
});
