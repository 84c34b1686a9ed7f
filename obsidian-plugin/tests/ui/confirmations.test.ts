/** The windows that ask before something that opens a door or cannot be taken back: no key says yes by accident. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { recorded } from "./files";
import { Machine } from "./hostMachine";
import { openSettings, runCommand } from "./plugin";
import { claude, webReaders } from "./programs";
import { listed, notes } from "./servers";

let machine: Machine;

beforeEach(() => {
	machine = new Machine();
	machine.install(".local/bin/vault-bridge", "#!/bin/sh\nexit 1\n");
});
afterEach(() => { machine.end(); });
eachTestHasAWindow({
	prepare: () => {
		bridge.clients = [claude];
		bridge.answers.set("web.readers", () => webReaders);
		bridge.answers.set("servers.list", () => listed([notes]));
		bridge.answers.set("servers.test", () => ({ ...notes, state: "ready" }));
		bridge.answers.set("audit.stats", () => recorded("audit-stats"));
		bridge.answers.set("tools.preview", () => recorded("preview-undo"));
	},
	options: () => ({ machine }),
});

const toggle = async (name: string): Promise<void> => { await page.click(`.setting-item:has(.setting-item-name:text-is("${name}")) .checkbox-container`); };

/** How each is opened, and what it would send if somebody said yes. */
const confirmations: [name: string, ask: () => Promise<void>, sends: string][] = [
	["a risky setting", async () => { await openSettings(page, "Tools and questions"); await toggle("Developer mode"); }, "settings.update"],
	["going back to the defaults", async () => { await openSettings(page, "Limits"); await page.click('button:text-is("Reset")'); }, "settings.reset"],
	["approving without asking", async () => { await openSettings(page, "Remembered answers"); await toggle("Approve new files without asking"); }, "consent.autoApprove"],
	["revoking a program", async () => { await openSettings(page, "Connected programs"); await page.click('button:text-is("Revoke")'); }, "clients.revoke"],
	["trusting a program again that has read from the web", async () => { await openSettings(page, "Connected programs"); await page.click('button:text-is("Trust it again")'); }, "web.clear"],
	["removing a server", async () => { await openSettings(page, "Other servers"); await page.click('button:text-is("Remove")'); }, "servers.remove"],
	["trusting a server", async () => { await openSettings(page, "Other servers"); await page.click('button:text-is("Trust")'); }, "servers.trust"],
	["clearing the log", async () => { await openSettings(page, "Privacy and log"); await page.click('button:text-is("Clear log")'); }, "audit.clear"],
	["starting a program with Obsidian", async () => { await openSettings(page); await toggle("Start the bridge with Obsidian"); }, ""],
	["undoing a change", async () => { await runCommand(page, "undo-change"); }, "tools.call"],
];

describe.each(confirmations)("%s", (_name, ask, sends) => {
	it("has the focus on Cancel once it is open, and Enter does nothing", async () => {
		await ask();
		await page.waitForSelector(".modal:not(.mod-settings) .modal-button-container");
		await page.waitForFunction(() => document.activeElement?.textContent === "Cancel");
		await page.keyboard.press("Enter");
		await page.waitForSelector(".modal:not(.mod-settings)", { state: "detached" });
		expect(bridge.asked.map((one) => one.method)).not.toContain(sends);
	});

	it("is left by Escape, which does nothing either", async () => {
		await ask();
		await page.waitForSelector(".modal:not(.mod-settings) .modal-button-container");
		await page.keyboard.press("Escape");
		await page.waitForSelector(".modal:not(.mod-settings)", { state: "detached" });
		expect(bridge.asked.map((one) => one.method)).not.toContain(sends);
	});
});
