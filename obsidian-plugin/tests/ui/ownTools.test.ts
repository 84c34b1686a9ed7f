/** Tools of the user's own in a real browser: the list, the editor, the test. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { chart, listed, saved, weather, words } from "./ownTools";
import { openSettings, runCommand } from "./plugin";

let answer: object = {};
/** What the bridge has, as it is listed from now on. */
const has = (tools: readonly object[], changes: object = {}): void => { answer = listed(tools, changes); };

eachTestHasAWindow({
	prepare: () => {
		has([words, weather, chart]);
		bridge.answers.set("custom.list", () => answer);
	},
});

const top = ".modal-container >> nth=-1";
const open = async (): Promise<void> => {
	await runCommand(page, "own-tools");
	await page.waitForSelector('.modal .setting-item:has-text("Add a tool")');
};
const tool = (name: string) => page.locator(".vault-bridge-own-tool", { has: page.locator(`code:text-is("${name}")`) });
const press = async (name: string, label: string): Promise<void> => tool(name).locator(`button:text-is("${label}")`).click();
const inTop = (selector: string) => page.locator(top).locator(selector);
const field = (label: string) => inTop(`[aria-label="${label}"]`);
const asked = (method: string): object[] => bridge.asked.filter((one) => one.method === method).map(({ params }) => params);
const windows = async (count: number): Promise<void> => { await page.waitForFunction((wanted) => document.querySelectorAll(".modal-container").length === wanted, count); };

describe("the list", () => {
	it("shows each with its badges, its facts, and what was not allowed yet", async () => {
		await open();
		const shown = await tool("count_words").textContent();
		for (const part of ["count_wordsNodeEnabled", "Counts the words of a note.", "Environment: node • Timeout: 30000ms • Created: ", "not what you allowed last", "+return text.split"]) expect(shown).toContain(part);
		await expect.poll(async () => tool("weather").locator(".vault-bridge-badge").allTextContents()).toEqual(["Browser", "Enabled"]);
		await expect.poll(async () => tool("chart").textContent()).toContain("It cannot run here now. No Python was found.");
		await expect.poll(async () => tool("chart").locator(".vault-bridge-badge").allTextContents()).toEqual(["Python", "Disabled"]);
		const colour = async (name: string, badge: number): Promise<string> => tool(name).locator(".vault-bridge-badge").nth(badge).evaluate((el) => getComputedStyle(el).backgroundColor);
		await expect.poll(async () => colour("weather", 0)).toContain("8, 109, 221");
		await expect.poll(async () => colour("count_words", 0)).toContain("120, 82, 238");
		await expect.poll(async () => colour("count_words", 1)).toContain("8, 185, 78");
		await expect.poll(async () => colour("chart", 1)).not.toContain("8, 185, 78");
	});

	it("is a page of the settings too, which is drawn again when a tool changes elsewhere", async () => {
		await openSettings(page, "Your own tools");
		await tool("chart").waitFor();
		has([words]);
		bridge.notify("audit.appended", { timestamp: "2026-11-20T10:00:00Z", kind: "custom" });
		await tool("chart").waitFor({ state: "detached" });
	});

	it("switches a tool on and off, and the switch keeps the focus", async () => {
		bridge.answers.set("custom.update", () => {
			has([words, weather, { ...chart, enabled: true }]);
			return saved(chart);
		});
		await open();
		await field("chart is enabled").focus();
		await page.keyboard.press("Space");
		expect(await bridge.until("custom.update")).toEqual({ name: "chart", enabled: true });
		await tool("chart").locator('.vault-bridge-badge:text-is("Enabled")').waitFor();
		await expect.poll(async () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("chart is enabled");
	});

	it("removes a tool after a question", async () => {
		bridge.answers.set("custom.remove", () => {
			has([words, chart]);
			return answer;
		});
		await open();
		await press("weather", "Remove…");
		await expect.poll(async () => inTop(".modal").textContent()).toContain("with what it has stored");
		await inTop('button:text-is("Cancel")').click();
		expect(asked("custom.remove")).toEqual([]);
		await press("weather", "Remove…");
		await inTop('button:text-is("Remove")').click();
		expect(await bridge.until("custom.remove")).toEqual({ name: "weather" });
		await tool("weather").waitFor({ state: "detached" });
	});

	it("says that agents may not call them yet, and lets them after a question", async () => {
		has([words], { allowed: false });
		bridge.answers.set("settings.update", () => {
			has([words]);
			return { settings: {}, warnings: [] };
		});
		await open();
		await inTop('button:text-is("Allow…")').click();
		await expect.poll(async () => inTop(".modal").textContent()).toContain("Code of tools then runs on this computer");
		await inTop('button:text-is("Turn on")').click();
		expect(await bridge.until("settings.update")).toEqual({ patch: { allowCustomTools: true } });
		await page.waitForSelector('button:text-is("Allow…")', { state: "detached" });
	});

	it.each([
		["that there is none", () => { has([]); }, "There is no tool of your own yet."],
		["what is wrong with the file", () => { has([], { fault: "tools.json, tool 'x': 'code' is missing" }); }, "Until that is corrected, none of the tools can be used: /home/ada/.config/vault-bridge/tools.json"],
		["what the bridge says instead", () => { bridge.answers.set("custom.list", () => { throw new RpcFault(-32000, "The disk failed"); }); }, "The disk failed"],
		["that the bridge is too old", () => { bridge.answers.delete("custom.list"); }, "older version"],
	])("says %s", async (_name, prepare, said) => {
		prepare();
		await runCommand(page, "own-tools");
		await page.waitForSelector(`.modal :text("${said}")`);
	});

	it("says what could not be done", async () => {
		bridge.answers.set("custom.update", () => { throw new RpcFault(-32000, "The file cannot be written"); });
		await open();
		await tool("count_words").locator(".checkbox-container").click();
		await page.waitForSelector('.notice:has-text("The file cannot be written")');
		await tool("count_words").locator(".checkbox-container.is-enabled").waitFor();
	});

	it("draws as text whatever tools say", async () => {
		const evil = "<img src=x onerror='window.hacked = true'>\u202e";
		has([{ ...words, name: evil, description: evil, environment: evil, change: `@@ ${evil}`, parameters: { type: "object", properties: { [evil]: { description: evil, enum: [evil] } } } }], { fault: evil });
		bridge.answers.set("custom.test", () => ({ success: false, error: evil, executionTime: 1, output: evil }));
		await open();
		await page.locator('button:text-is("Test…")').click();
		await inTop('button:text-is("Run")').click();
		await inTop(".vault-bridge-result .is-error").waitFor();
		await page.keyboard.press("Escape");
		await page.locator('button:text-is("Edit…")').click();
		await inTop("textarea").first().waitFor();
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.locator(".modal img").count()).toBe(0);
		await expect.poll(async () => page.textContent(".vault-bridge-own-tool")).toContain("U+202E");
	});
});

describe("the editor", () => {
	const add = async (): Promise<void> => {
		await open();
		await inTop('button:text-is("Add")').click();
		await windows(2);
	};

	it("adds a tool with the keyboard alone, and says what was not checked", async () => {
		bridge.answers.set("custom.add", (params) => {
			has([words, { ...weather, ...params }]);
			return saved({ ...weather, ...params }, "The syntax of the code was not checked: no Node.js was found");
		});
		await add();
		await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Name");
		await page.keyboard.type("add_up");
		await page.keyboard.press("Tab");
		await page.keyboard.type("Adds up.");
		await page.keyboard.press("Tab");
		await page.keyboard.press("B");
		await page.keyboard.press("Tab");
		await page.keyboard.type("if (parameters.a) {");
		await page.keyboard.press("Enter");
		await page.keyboard.press("Tab");
		await page.keyboard.type("return 1; }");
		await page.keyboard.press("Control+Enter");
		expect(await bridge.until("custom.add")).toEqual({ name: "add_up", description: "Adds up.", environment: "browser", code: "if (parameters.a) {\n\treturn 1; }", parameters: { type: "object", properties: {} }, returns: null, timeout: 30_000 });
		await page.waitForSelector('.notice:has-text("was not checked")');
		await windows(1);
	});

	it("leaves the focus where a key has put it, however late the timer that is to give it comes", async () => {
		await page.evaluate(() => {
			const held = new Map<number, () => void>();
			let last = 0;
			const start = window.setTimeout.bind(window);
			const stop = window.clearTimeout.bind(window);
			Object.assign(window, {
				setTimeout: (act: () => void, ms?: number) => {
					if (ms !== undefined) return start(act, ms);
					held.set(--last, act);
					return last;
				},
				clearTimeout: (id: number) => { if (!held.delete(id)) stop(id); },
				letTimersRun: () => { for (const act of held.values()) act(); },
			});
		});
		await add();
		await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Name");
		await page.keyboard.press("Tab");
		await page.evaluate(() => { (window as unknown as { letTimersRun: () => void }).letTimersRun(); });
		expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Description");
	});

	it("can be left with the keyboard: Tab indents until Ctrl+M, and Shift+Tab goes back", async () => {
		await open();
		await press("count_words", "Edit…");
		await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Code");
		const now = async (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
		await page.keyboard.press("Tab");
		await expect.poll(async () => now()).toBe("Code");
		await page.keyboard.press("Shift+Tab");
		await expect.poll(async () => now()).toBe("Environment");
		await field("Code").focus();
		await page.keyboard.press("Control+m");
		await page.keyboard.press("Tab");
		await expect.poll(async () => now()).toBe("Parameters");
	});

	it("changes a tool, but not its name", async () => {
		bridge.answers.set("custom.update", () => saved(weather));
		await open();
		await press("weather", "Edit…");
		await expect.poll(async () => field("Name").isDisabled()).toBe(true);
		await field("Code").fill("return 2;");
		await field("Returns").fill("A number");
		await field("Timeout").fill("1000");
		await inTop('button:text-is("Save")').click();
		const { name, description, environment, parameters } = weather;
		expect(await bridge.until("custom.update")).toEqual({ name, description, environment, parameters, code: "return 2;", returns: "A number", timeout: 1000 });
		await windows(1);
	});

	it("says what each environment is and what it lacks here", async () => {
		await add();
		const row = inTop('.setting-item:has-text("Environment")');
		await expect.poll(async () => row.locator("option").allTextContents()).toEqual(["Node.js (File system, child processes, etc.)", "Browser (Fetch, localStorage, DOM, etc.)", "Python (File system, child processes, etc.)"]);
		await expect.poll(async () => field("Environment").inputValue()).toBe("node");
		await expect.poll(async () => row.textContent()).toContain("held by the sandbox where one works");
		await field("Environment").selectOption("browser");
		await expect.poll(async () => row.textContent()).toContain("there is no page, so no document");
		await field("Environment").selectOption("python");
		await expect.poll(async () => row.textContent()).toContain("No Python was found.");
	});

	it.each([
		["The tool: 'a b' cannot be a tool's name: 1 to 64 letters", "Name"],
		["The tool: The parameters are no JSON Schema that can be used: 'strin' is not a type", "Parameters"],
		["The code cannot be read: SyntaxError: Unexpected token (line 3)", "Code"],
		["The disk is full", "Timeout"],
	])("shows the refusal %j where it belongs, and keeps what was written", async (refusal, label) => {
		bridge.answers.set("custom.add", () => { throw new RpcFault(-32000, refusal); });
		await add();
		await field("Name").fill("a b");
		await inTop('button:text-is("Save")').click();
		const row = inTop(".setting-item.is-invalid");
		await row.waitFor();
		await expect.poll(async () => row.locator(".setting-item-name").textContent()).toBe(label);
		await expect.poll(async () => row.locator('[role="alert"]').textContent()).toBe(refusal.replace("The tool: ", ""));
		await expect.poll(async () => field("Name").inputValue()).toBe("a b");
	});

	it.each([
		["Parameters", "{", "This is no JSON"],
		["Parameters", "[]", "This must be an object"],
		["Timeout", "soon", "This must be a number."],
	])("asks nothing of the bridge while %s says %j", async (label, text, said) => {
		await add();
		await field(label).fill(text);
		await inTop('button:text-is("Save")').click();
		await inTop(`.setting-item:has-text("${label}") [role="alert"]:has-text("${said}")`).waitFor();
		expect(asked("custom.add")).toEqual([]);
	});

	it("does not lose what was written by a key", async () => {
		await add();
		await page.keyboard.press("Escape");
		await windows(1);
		await inTop('button:text-is("Add")').click();
		await field("Code").fill("return 1;");
		await page.keyboard.press("Escape");
		await inTop(':text("Discard what you wrote?")').waitFor();
		await page.waitForFunction(() => document.activeElement?.textContent === "Cancel");
		await page.keyboard.press("Enter");
		await windows(2);
		await expect.poll(async () => field("Code").inputValue()).toBe("return 1;");
		await page.keyboard.press("Escape");
		await inTop('button:text-is("Discard")').click();
		await windows(1);
	});

	it("tests what is written, before it is saved", async () => {
		bridge.answers.set("custom.test", () => ({ success: true, result: 1, executionTime: 3, output: "" }));
		await add();
		await field("Name").fill("one");
		await field("Code").fill("return 1;");
		await inTop('button:text-is("Test…")').click();
		await windows(3);
		await inTop('button:text-is("Run")').click();
		expect(await bridge.until("custom.test")).toMatchObject({ tool: { name: "one", code: "return 1;" }, parameters: {} });
		expect(asked("custom.add")).toEqual([]);
	});
});

describe("a test", () => {
	const test = async (): Promise<void> => {
		await open();
		await press("weather", "Test…");
		await windows(2);
	};

	it("asks for each parameter in its way, and shows the result, what was printed and how long it took", async () => {
		bridge.answers.set("custom.test", () => ({ success: true, result: { sunny: true }, error: null, executionTime: 812.4, output: "asked" }));
		await test();
		await expect.poll(async () => field("city").inputValue()).toBe("Graz");
		await field("days").fill("3");
		await field("unit").selectOption("3");
		await field("detailed").selectOption("No");
		await field("hours").fill("[8, 20]");
		await page.keyboard.press("Control+Enter");
		expect(await bridge.until("custom.test")).toEqual({ name: "weather", parameters: { city: "Graz", days: 3, unit: 3, detailed: false, hours: [8, 20] } });
		const shown = await inTop('.vault-bridge-result:has-text("Done")').textContent();
		for (const part of ["Execution time: 812 ms", '"sunny": true', "It printed", "asked"]) expect(shown).toContain(part);
	});

	it.each([
		["a failure of the code", () => ({ success: false, error: "TypeError: x is not a function", executionTime: 5, output: "" }), "FailedExecution", "TypeError: x is not a function"],
		["a time-out", () => ({ success: false, error: "Tool execution timed out after 5000 ms", executionTime: 5000.2, output: "begun" }), "Execution time: 5000 ms", "timed out after 5000 ms"],
		["a refusal", () => { throw new RpcFault(-32000, "'weather' cannot run: Obsidian is not connected"); }, "Not run", "Obsidian is not connected"],
	])("shows %s", async (_name, answered, badge, said) => {
		bridge.answers.set("custom.test", answered);
		await test();
		await field("days").fill("3");
		await inTop('button:text-is("Run")').click();
		await inTop(`.vault-bridge-result:has-text("${said}")`).waitFor();
		expect((await inTop(".vault-bridge-result").textContent())?.replace(/\s+/gu, "")).toContain(badge.replace(/\s+/gu, ""));
	});

	it("asks nothing of the bridge before all is said that is needed", async () => {
		await test();
		await field("hours").fill("[8,");
		await inTop('button:text-is("Run")').click();
		await inTop('.setting-item:has-text("days") [role="alert"]:has-text("This is needed.")').waitFor();
		await inTop('.setting-item:has-text("hours") [role="alert"]:has-text("This must be JSON.")').waitFor();
		expect(asked("custom.test")).toEqual([]);
	});

	it("runs once at a time", async () => {
		let end = (): void => undefined;
		bridge.answers.set("custom.test", () => new Promise((resolve) => { end = () => { resolve({ success: true, result: 1, executionTime: 3, output: "" }); }; }));
		await test();
		await field("days").fill("3");
		await inTop('button:text-is("Run")').click();
		await bridge.until("custom.test");
		await inTop('button:text-is("Running…")').click();
		await expect.poll(() => asked("custom.test")).toHaveLength(1);
		end();
		await inTop('button:text-is("Run")').waitFor();
	});
});
