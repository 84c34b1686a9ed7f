/** The user's templates: listed in a pane, asked for in a form, run as one change, in a real browser. */

import { describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { RpcFault } from "./fakeBridge";
import { runCommand } from "./plugin";

eachTestHasAWindow();

const card = ".vault-bridge-draft";
const MEETING = {
	shipped: true,
	template: {
		name: "meeting-note",
		title: "Meeting note",
		description: "Make a note for a meeting.",
		parameters: [
			{ name: "title", type: "text", title: "Title", description: "", optional: false, default: null, choices: [] },
			{ name: "day", type: "date", title: "Day", description: "", optional: false, default: "2025-03-15", choices: [] },
			{ name: "people", type: "list", title: "People", description: "Names of their notes", optional: false, default: [], choices: [] },
			{ name: "most", type: "number", title: "Most", description: "", optional: true, default: null, choices: [] },
			{ name: "open", type: "boolean", title: "Open it", description: "", optional: false, default: false, choices: [] },
			{ name: "kind", type: "text", title: "Kind", description: "", optional: false, default: null, choices: ["short", "long"] },
		],
		calls: [],
	},
};
const show = async (...templates: object[]): Promise<void> => {
	bridge.answers.set("templates.list", () => templates);
	await runCommand(page, "run-template");
	await page.waitForSelector(card);
};
const form = async (): Promise<void> => {
	await show(MEETING);
	await page.click(`${card} button:text-is("Run…")`);
	await page.waitForSelector(".modal .setting-item");
};

describe("the list", () => {
	it("says what each is for and where it comes from", async () => {
		await show(MEETING, { shipped: false, template: { ...MEETING.template, name: "mine", title: "Mine" } });
		await expect.poll(async () => page.locator(".vault-bridge-draft-about").allTextContents()).toEqual([
			"Meeting noteMake a note for a meeting.meeting-note · came with the bridge",
			"MineMake a note for a meeting.mine · yours",
		]);
	});

	it("draws words from outside as text", async () => {
		const hostile = "<img src=x onerror='window.hacked = true'> \u202eevil";
		await show({ shipped: false, template: { ...MEETING.template, title: hostile, description: hostile } });
		await expect.poll(async () => page.locator(`${card} img`).count()).toBe(0);
		await expect.poll(async () => page.textContent(".vault-bridge-draft-client")).toContain("<img src=x");
	});
});

describe("the form", () => {
	it("asks for each thing in its way, and sends what was said", async () => {
		bridge.answers.set("templates.run", () => ({ success: true, data: null, text: "All calls were made; 2 files changed as one. (templates-1)\nmore", metadata: {} }));
		await form();
		await expect.poll(async () => page.inputValue('input[aria-label="Day"]')).toBe("2025-03-15");
		await page.fill('input[aria-label="Title"]', "Kick-off");
		await page.fill('textarea[aria-label="People"]', "Ada\nBen");
		await page.fill('input[aria-label="Most"]', "3");
		await page.click('.checkbox-container:has([aria-label="Open it"])');
		await page.selectOption('select[aria-label="Kind"]', "long");
		await page.click('.modal button:text-is("Run")');
		expect(await bridge.until("templates.run")).toEqual({ name: "meeting-note", values: { title: "Kick-off", day: "2025-03-15", people: ["Ada", "Ben"], most: 3, open: true, kind: "long" } });
		await page.waitForSelector('.notice:has-text("Meeting note: All calls were made; 2 files changed as one.")');
		await expect.poll(async () => page.isVisible(".modal")).toBe(false);
	});

	it("says beside each thing what is missing, and asks nothing of the bridge", async () => {
		await form();
		await page.fill('input[aria-label="Most"]', "three");
		await page.keyboard.press("ControlOrMeta+Enter");
		await page.waitForSelector('.setting-item:has-text("Title") [role="alert"]:has-text("This is needed.")');
		await page.waitForSelector('.setting-item:has-text("Most") [role="alert"]:has-text("This must be a number.")');
		expect(bridge.asked.filter((one) => one.method === "templates.run")).toEqual([]);
		await page.click('.modal button:text-is("Cancel")');
		await expect.poll(async () => page.isVisible(".modal")).toBe(false);
	});

	it.each([
		["a refusal", (): unknown => ({ success: false, data: {}, text: "Error: The user denied this call", error: "The user denied this call", errorType: "permission_denied", metadata: {} }), "The user denied this call"],
		["a fault", (): unknown => { throw new RpcFault(-32000, "The bridge is stopping"); }, "The bridge is stopping"],
	])("says %s in its words", async (_name, answer, said) => {
		bridge.answers.set("templates.run", answer);
		await form();
		await page.fill('input[aria-label="Title"]', "Kick-off");
		await page.click('.modal button:text-is("Run")');
		await page.waitForSelector(`.notice:has-text("${said}")`);
	});
});
