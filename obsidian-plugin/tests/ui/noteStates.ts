/** Every state in which a person can see a question in the note that it is about. */

import { alone, apart, GARDEN, LONG, showAs, writeNotes, type Mode } from "./notes";
import { connected, openNote, typeNote } from "./plugin";
import { edit, hostile } from "./questions";
import type { Stage, State } from "./states";

const bar = ".vault-bridge-note-bar";
const ready = `${bar} .is-allow_once[aria-disabled="false"]`;

async function ask({ page, bridge }: Stage, path: string, question: object, mode: Mode = "source"): Promise<void> {
	writeNotes(bridge);
	await connected(page);
	await page.evaluate(async () => window.host.app.vault.refresh());
	await openNote(page, path);
	await showAs(page, mode);
	bridge.ask(question);
	await page.waitForSelector(bar);
}

const asked = (name: string, path: string, question: () => object, mode: Mode, then: (stage: Stage) => Promise<unknown>): State => ({
	name,
	show: async (stage) => {
		await ask(stage, path, question(), mode);
		await then(stage);
		// What else says that a question waits is another state.
		await stage.page.evaluate(() => { for (const el of document.querySelectorAll(".notice")) el.remove(); });
	},
});

export const noteStates: readonly State[] = [
	asked("note-source", GARDEN, alone, "source", async ({ page }) => page.waitForSelector(ready)),
	asked("note-live", GARDEN, alone, "live", async ({ page }) => page.waitForSelector(ready)),
	asked("note-parts", "Long.md", apart, "source", async ({ page }) => {
		await page.waitForSelector(ready);
		await page.click('[aria-label="Deny change 1"]');
		await page.waitForSelector(`${ready}:text-is("Allow 1 of 2")`);
	}),
	asked("note-unsaved", GARDEN, alone, "source", async ({ page }) => {
		await page.waitForSelector(ready);
		await typeNote(page, "Something else.");
		await page.waitForSelector(`${bar} [role="status"]:not(:empty)`);
	}),
	asked("note-reading", GARDEN, alone, "preview", async ({ page }) => {
		await page.click('.vault-bridge-answers-rest button:text-is("Later")');
	}),
	asked("note-hostile", "Other.md", () => ({ ...hostile(), preview: { files: [{ ...edit, path: "Other.md", added: 1, removed: 1, diff: "@@ -1 +1 @@\n-Something else.\n+<img src=x>\u202eevil\u200b \n" }], backup: null, warnings: ["<b>\u202ewarned"], request: null } }), "source", async ({ page }) => page.waitForSelector(ready)),
	asked("note-done", "Long.md", apart, "source", async ({ page }) => {
		await page.waitForSelector(ready);
		await page.click(ready);
		await page.evaluate(async (text) => {
			const { vault } = window.host.app;
			const file = vault.getFileByPath("Long.md");
			if (file) await vault.process(file, () => text);
		}, LONG.replace("first old", "first new").replace("second old", "second new"));
		await page.waitForSelector(`${bar}.is-done`);
	}),
];
