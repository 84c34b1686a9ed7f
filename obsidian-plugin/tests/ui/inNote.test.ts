/** A question in the note that it is about: seen at its place, answered as in its window, and never in the way. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityFindings } from "./accessibility";
import { bridge, eachTestHasAWindow, page } from "./eachTest";
import { recorded } from "./files";
import { alone, apart, GARDEN, LONG, OLD, showAs, writeNotes } from "./notes";
import { letTimeGoOn, noteText, openNote, openSettings, selectInNote, stopTime, typeNote } from "./plugin";
import { edit, hostile, question } from "./questions";

eachTestHasAWindow({ prepare: () => { writeNotes(bridge); } });

const bar = ".vault-bridge-note-bar";
const modal = ".vault-bridge-consent";
const allow = `${bar} .is-allow_once`;
const texts = async (selector: string, where: Page = page): Promise<string[]> => where.$$eval(selector, (all) => all.map((el) => el.textContent));
const status = async (): Promise<string | null> => page.textContent(`${bar} [role="status"]`);
const responses = (): Record<string, unknown>[] => bridge.asked.filter((one) => one.method === "consent.respond").map((one) => one.params);
const ready = async (): Promise<void> => { await page.waitForSelector(`${allow}[aria-disabled="false"]`); };

/** Click what may not count. */
const press = async (selector: string): Promise<void> => { await page.$eval(selector, (el) => { (el as HTMLElement).click(); }); };

/** Open a note, and ask about it. */
async function asked(path: string, ...questions: object[]): Promise<void> {
	await openNote(page, path);
	for (const one of questions) bridge.ask(one);
	await page.waitForSelector(bar);
}

/** Make the change on the disk, as the bridge does through the app. */
async function changed(path: string, text: string): Promise<void> {
	await page.evaluate(async ([name, content]) => {
		const { vault } = window.host.app;
		const file = vault.getFileByPath(name);
		if (file) await vault.process(file, () => content);
	}, [path, text] as const);
}

describe("a question about an open note", () => {
	it("is at its place: what goes, what comes, the words, and who asks", async () => {
		await asked(GARDEN, alone());
		await expect.poll(async () => texts(".vault-bridge-note-gone")).toEqual(["status: planned", expect.stringContaining("The tomatoes go into"), "- [ ] Watering can"]);
		expect(await texts(".vault-bridge-note-gone-word")).toEqual(["planned", "go", "Old plan", " "]);
		expect(await texts(".vault-bridge-note-lines .is-added .vault-bridge-line")).toEqual(["status: planted", expect.stringContaining("The tomatoes went into"), "- [x] Watering can", "- [ ] Fertiliser for tomatoes··"]);
		expect(await page.textContent(bar)).toContain("Claude Code: Edit Projects/Balcony garden.md: 3 lines changed");
		expect(await page.textContent(bar)).toContain("2 notes link here");
		expect(await texts(`${bar} button`)).toEqual(["Open the question", "Deny until the bridge stops", "Allow once"]);
		expect(await noteText(page)).toBe(OLD);
	});

	it("takes neither the focus nor the caret, opens no window by itself, and its window is one click away", async () => {
		await openNote(page, GARDEN);
		await selectInNote(page, 5, 9);
		bridge.ask(alone());
		await page.waitForSelector(bar);
		expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
		const view = await page.evaluate(() => { const { editorEl } = window.host.app.workspace.getMostRecentLeaf()?.view as unknown as { editorEl: { selectionStart: number; selectionEnd: number } }; return [editorEl.selectionStart, editorEl.selectionEnd]; });
		expect(view).toEqual([5, 9]);
		expect(await page.$$(modal)).toHaveLength(0);
		await page.waitForSelector('.notice:has-text("Claude Code: Edit Projects/Balcony garden.md")');
		await page.click('button:text-is("Open the question")');
		await page.waitForSelector(modal);
	});

	it.each(["allow_once", "deny_once"])("is answered with the very bytes that the window sends: %s", async (decision) => {
		await asked(GARDEN, alone());
		await ready();
		await page.click(`${bar} .is-${decision}`);
		await page.waitForSelector(bar, { state: "detached" });
		bridge.ask(alone());
		await page.click('button:text-is("Open the question")');
		await page.waitForSelector(`.vault-bridge-answers .is-allow_once[aria-disabled="false"]`);
		await page.click(`.vault-bridge-answers .is-${decision}`);
		await expect.poll(() => responses().length).toBe(2);
		const [first, second] = responses();
		expect(JSON.stringify(first)).toBe(JSON.stringify(second));
		expect(first).toMatchObject({ requestId: "c-note", decision, planDigest: "sha256:0123" });
	});

	it("is chosen from by hunk, here and in its window, which are always in step", async () => {
		await asked("Long.md", apart());
		await ready();
		await page.click('[aria-label="Deny change 1"]');
		await page.waitForSelector(`${allow}:text-is("Allow 1 of 2")`);
		expect(await texts(".vault-bridge-note-gone")).toEqual([]);
		await expect.poll(async () => page.locator(`${bar} input`).evaluateAll((all) => all.map((el) => (el as HTMLInputElement).checked))).toEqual([false, true]);
		await page.click('button:text-is("Open the question")');
		await page.waitForSelector('.vault-bridge-answers button:text-is("Allow 1 of 2")');
		await page.click(`${modal} .vault-bridge-hunk-header input >> nth=1`);
		await page.waitForSelector('.vault-bridge-answers button:text-is("Allow 0 of 2")');
		await page.click(`${modal} .vault-bridge-hunk-header input >> nth=0`);
		await page.waitForSelector('.vault-bridge-answers button:text-is("Allow 1 of 2")');
		await page.click('.vault-bridge-answers-rest button:text-is("Later")');
		await page.waitForSelector(modal, { state: "detached" });
		expect(await texts(".vault-bridge-note-gone")).toEqual(["first old"]);
		await ready();
		await page.click(allow);
		expect(await bridge.until("consent.respond")).toEqual({ requestId: "c-apart", decision: "allow_once", planDigest: "sha256:0123", hunks: { "Long.md": [0] } });
	});

	it("is gone when it is answered elsewhere, and when its window answers it", async () => {
		await asked(GARDEN, alone());
		bridge.notify("consent.resolved", { requestId: "c-note", decision: "deny_once", outcome: "deny_once", by: "a terminal" });
		await page.waitForSelector(bar, { state: "detached" });
		expect(await texts(".vault-bridge-note-gone")).toEqual([]);
		bridge.ask(alone({ requestId: "c-again" }));
		await page.click('button:text-is("Open the question")');
		await page.click(".vault-bridge-answers .is-deny_once");
		await page.waitForSelector(bar, { state: "detached" });
	});

	it("is another one when the bridge has made another plan of it", async () => {
		await asked(GARDEN, alone());
		bridge.notify("consent.revised", alone({ planDigest: "sha256:2", preview: { files: [{ ...edit, diff: edit.diff.replace("status: planted", "status: mine") }], backup: null, warnings: [], request: null } }));
		await expect.poll(async () => texts(".vault-bridge-note-lines .is-added .vault-bridge-line")).toContain("status: mine");
		await ready();
		await page.click(allow);
		expect(await bridge.until("consent.respond")).toMatchObject({ planDigest: "sha256:2" });
	});

	it("is not drawn over other text, says so, and is again when that is taken back", async () => {
		await asked(GARDEN, alone());
		await ready();
		await typeNote(page, `${OLD}more`);
		await expect.poll(status).toContain("This note holds other text");
		expect(await texts(".vault-bridge-note-gone, .vault-bridge-note-lines")).toEqual([]);
		expect(await page.getAttribute(allow, "aria-disabled")).toBe("true");
		await press(allow);
		await typeNote(page, OLD);
		await ready();
		expect(await texts(".vault-bridge-note-gone")).toHaveLength(3);
		expect(responses()).toEqual([]);
	});

	it("waits for its moment: a yes that comes with it does not count, and Enter never allows", async () => {
		await stopTime(page);
		await asked(GARDEN, alone());
		await press(allow);
		await letTimeGoOn(page);
		await ready();
		expect(responses()).toEqual([]);
		await page.focus(`${bar} button`);
		await page.keyboard.press("Tab");
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Deny until the bridge stops");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		expect(responses()).toEqual([]);
		await page.keyboard.press("Space");
		expect(await bridge.until("consent.respond")).toMatchObject({ decision: "allow_once" });
	});

	it("is denied by key with the time to take it back", async () => {
		await asked(GARDEN, alone());
		await ready();
		await page.focus(`${bar} button`);
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.waitForSelector(bar, { state: "detached" });
		await page.click('.notice button:text-is("Undo")');
		await page.waitForSelector(modal);
		expect(responses()).toEqual([]);
	});
});

describe("what a note does not show whole", () => {
	const files = (count: number): object[] => [edit, ...Array.from({ length: count - 1 }, (_, index) => ({ ...edit, path: `N${index}.md` }))];

	it.each<[string, object, string]>([
		["one of several files", { files: files(3) }, "This is one of 3 files."],
		["too long a change", { files: [{ ...edit, added: 9_000, truncated: true }] }, "The change is too long to be shown here."],
		["a note that goes", { files: [{ ...edit, change: "delete" }] }, "Open the question to see all of it."],
	])("is denied here or opened, and not allowed: %s", async (_name, preview, words) => {
		await asked(GARDEN, alone({ preview: { backup: null, warnings: [], request: null, ...preview } }));
		await expect.poll(status).toContain(words);
		expect(await page.$$(allow)).toHaveLength(0);
		await page.waitForSelector(modal);
	});

	it("is what Live Preview draws in the place of lines; what changes in the properties is below them", async () => {
		await openNote(page, GARDEN);
		await showAs(page, "live");
		bridge.ask(alone());
		await ready();
		expect(await page.$$(".metadata-container")).toHaveLength(1);
		expect(await texts(".vault-bridge-note-lines >> nth=0")).toEqual([expect.stringContaining("status: planted")]);
		expect(await texts(".vault-bridge-note-lines .is-removed .vault-bridge-line")).toEqual(["status: planned"]);
	});

	it("is not allowed here where a table covers it", async () => {
		writeNotes(bridge, { "Table.md": "Before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter\n" });
		await page.evaluate(async () => window.host.app.vault.refresh());
		await openNote(page, "Table.md");
		await showAs(page, "live");
		bridge.ask(alone({ preview: { files: [{ ...edit, path: "Table.md", added: 1, removed: 1, diff: "@@ -4,2 +4,2 @@\n |---|---|\n-| 1 | 2 |\n+| 1 | 3 |\n" }], backup: null, warnings: [], request: null } }));
		await expect.poll(status).toContain("drawn as something else, such as a table");
		expect(await page.getAttribute(allow, "aria-disabled")).toBe("true");
		await showAs(page, "source");
		await ready();
	});

	it("is a bar with the way to the window where the note is open for reading", async () => {
		await openNote(page, GARDEN);
		await showAs(page, "preview");
		bridge.ask(alone());
		await page.waitForSelector(modal);
		await page.click('.vault-bridge-answers-rest button:text-is("Later")');
		expect(await page.locator(`${bar} button`).filter({ visible: true }).allTextContents()).toEqual(["Open the question"]);
		await page.click(`${bar}:visible button`);
		await page.waitForSelector(modal);
		await page.click('.vault-bridge-answers-rest button:text-is("Later")');
		await showAs(page, "source");
		await ready();
		await expect.poll(async () => page.$$(bar)).toHaveLength(1);
	});

	it("is text, whatever a client or a note says", async () => {
		const { preview } = hostile() as { preview: { files: object[] } };
		await openNote(page, "Other.md");
		bridge.ask({ ...hostile(), preview: { ...preview, request: null, files: [{ path: "Other.md", change: "modify", newPath: null, added: 1, removed: 1, truncated: false, diff: "@@ -1 +1 @@\n-Something else.\n+<img src=x onerror='window.hacked = true'>\u202eevil\u200b\n" }] } });
		await expect.poll(async () => texts(".vault-bridge-note-lines .vault-bridge-line")).toEqual(["<img src=x onerror='window.hacked = true'>U+202EevilU+200B"]);
		expect(await page.$$(`${bar} img, ${bar} script, .cm-content img`)).toHaveLength(0);
		expect(await page.evaluate(() => (window as { hacked?: boolean }).hacked)).toBeUndefined();
		expect((await page.textContent(bar))?.length).toBeLessThan(2_000);
	});
});

describe("notes, panes and windows", () => {
	it("is in both panes of one note, in a window of its own too, and answered once", async () => {
		await openNote(page, GARDEN);
		const opened = page.waitForEvent("popup");
		await page.evaluate(async (path) => {
			const { workspace } = window.host.app;
			await workspace.openIn(workspace.openPopoutLeaf(), path);
		}, GARDEN);
		const other = await opened;
		bridge.ask(alone());
		await page.waitForSelector(bar);
		await other.waitForSelector(`${allow}[aria-disabled="false"]`);
		expect(await texts(".vault-bridge-note-gone", other)).toHaveLength(3);
		await other.click(allow);
		await Promise.all([page, other].map(async (one) => one.waitForSelector(bar, { state: "detached" })));
		expect(responses()).toHaveLength(1);
		await other.close();
	});

	it("keeps no other question from its window", async () => {
		await asked(GARDEN, alone(), alone({ requestId: "c-else", summary: "Edit Other.md", preview: { files: [{ ...edit, path: "Other.md" }], backup: null, warnings: [], request: null } }));
		await page.waitForSelector(`${modal}:has-text("Edit Other.md")`);
		await page.click(".vault-bridge-answers .is-deny_once");
		expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-else" });
	});

	it("stays a question when the note is closed, and is there again when it is opened", async () => {
		await asked(GARDEN, alone());
		await page.evaluate(() => { window.host.app.workspace.getMostRecentLeaf()?.detach(); });
		await page.waitForSelector(bar, { state: "detached" });
		await openNote(page, GARDEN);
		await ready();
		expect(responses()).toEqual([]);
	});

	it("goes from a note that has another name now", async () => {
		await asked(GARDEN, alone());
		await page.evaluate(async (path) => {
			const { vault, fileManager } = window.host.app;
			const file = vault.getFileByPath(path);
			if (file) await fileManager.renameFile(file, "Elsewhere.md");
		}, GARDEN);
		await page.waitForSelector(bar, { state: "detached" });
		expect(await texts(".vault-bridge-note-gone")).toEqual([]);
	});

	it("says that the bridge is gone, answers nothing then, and can be answered when it is back", async () => {
		await asked(GARDEN, alone());
		await ready();
		bridge.stop();
		await expect.poll(status).toBe("The connection to the bridge is lost.");
		for (const answer of ["allow_once", "deny_once"]) await press(`${bar} .is-${answer}`);
		expect(responses()).toEqual([]);
		await bridge.start();
		await ready();
		await page.click(allow);
		expect(await bridge.until("consent.respond")).toMatchObject({ planDigest: "sha256:0123" });
	});

	it("leaves nothing behind when the plugin is disabled", async () => {
		await asked(GARDEN, alone());
		await page.evaluate(() => { window.host.plugin.unload(); });
		expect(await page.$$(`${bar}, .vault-bridge-note-gone, .vault-bridge-note-lines`)).toHaveLength(0);
		expect(await noteText(page)).toBe(OLD);
	});

	it("is in the window alone where the person wants it so", async () => {
		await openSettings(page);
		await page.click('.setting-item:has-text("Show questions in open notes") .checkbox-container');
		await page.evaluate(() => { window.host.app.setting.close(); });
		await openNote(page, GARDEN);
		bridge.ask(alone());
		await page.waitForSelector(modal);
		expect(await page.$$(`${bar}, .vault-bridge-note-gone`)).toHaveLength(0);
	});
});

describe("a change that was allowed", () => {
	const NEW = LONG.replace("second old", "second new");

	async function allowed(): Promise<void> {
		await asked("Long.md", apart());
		await ready();
		await page.click('[aria-label="Deny change 1"]');
		await page.waitForSelector(`${allow}[aria-disabled="false"]:text-is("Allow 1 of 2")`);
		await page.click(allow);
		await bridge.until("consent.respond");
		await changed("Long.md", NEW);
		await page.waitForSelector(`${bar}.is-done`);
	}

	it("is marked in the gutter until the next edit, which takes the gutter along", async () => {
		await allowed();
		await page.evaluate(() => { const { cm } = (window.host.app.workspace.getMostRecentLeaf()?.view as unknown as { editorEl: { cm: { dispatch: (spec: object) => void; state: { doc: { length: number } } } } }).editorEl; cm.dispatch({ selection: { anchor: cm.state.doc.length }, scrollIntoView: true }); });
		await page.waitForSelector(".vault-bridge-note-mark");
		const [mark, line] = await Promise.all([".vault-bridge-note-mark", '.cm-line:text-is("second new")'].map(async (one) => page.locator(one).boundingBox()));
		expect(Math.abs((mark?.y ?? 0) - (line?.y ?? 99))).toBeLessThan(2);
		expect(mark?.width).toBeGreaterThanOrEqual(24);
		await typeNote(page, `${NEW}x`);
		await page.waitForSelector(`${bar}.is-done`, { state: "detached" });
		expect(await page.$$(".vault-bridge-note-gutter")).toHaveLength(0);
	});

	it.each(["bar", "gutter"])("is taken back from the %s by the ordinary undo", async (place) => {
		const [entry] = recorded("history") as object[];
		bridge.answers.set("history.list", () => [{ ...entry, executionId: "other", files: ["Else.md"], canUndo: true }, { ...entry, executionId: "run-7", files: ["Long.md"], canUndo: true }]);
		bridge.answers.set("tools.preview", () => recorded("preview-undo"));
		await allowed();
		if (place === "bar") await page.click(`${bar} button:text-is("Undo")`);
		else {
			await page.evaluate(() => { const { cm } = (window.host.app.workspace.getMostRecentLeaf()?.view as unknown as { editorEl: { cm: { dispatch: (spec: object) => void; state: { doc: { length: number } } } } }).editorEl; cm.dispatch({ selection: { anchor: cm.state.doc.length }, scrollIntoView: true }); });
			await page.click(".vault-bridge-note-undo");
		}
		expect(await bridge.until("tools.preview")).toMatchObject({ arguments: { executionId: "run-7" } });
		await page.waitForSelector(".modal .vault-bridge-diff");
	});

	it("marks nothing where the note has become something else", async () => {
		await asked("Long.md", apart());
		await ready();
		await page.click(allow);
		await bridge.until("consent.respond");
		await changed("Long.md", `${LONG} and more`);
		await expect.poll(async () => noteText(page)).toBe(`${LONG} and more`);
		expect(await page.$$(`${bar}, .vault-bridge-note-mark`)).toHaveLength(0);
	});
});

describe("everybody can use it", () => {
	it("by pointer, at 420 wide, and read aloud", async () => {
		await page.setViewportSize({ width: 420, height: 700 });
		await asked("Long.md", apart());
		await ready();
		const small = await page.$$eval(`${bar} :is(button, label), .vault-bridge-note-hunk button`, (all) => all.filter((el) => { const { width, height } = el.getBoundingClientRect(); return width < 24 || height < 24; }).map((el) => el.textContent));
		expect(small).toEqual([]);
		expect(await accessibilityFindings(page)).toEqual([]);
		const tree = await page.locator(bar).ariaSnapshot();
		for (const part of ['region "Question about this note"', 'checkbox "Change 1"', 'button "Deny until the bridge stops"', 'button "Allow once"', 'button "Open the question"']) expect(tree).toContain(part);
	});

	it("written from right to left", async () => {
		writeNotes(bridge, { "Hebrew.md": "שלום\n" });
		await page.evaluate(async () => window.host.app.vault.refresh());
		await openNote(page, "Hebrew.md");
		bridge.ask(alone({ preview: { files: [{ ...edit, path: "Hebrew.md", added: 1, removed: 1, diff: "@@ -1 +1 @@\n-שלום\n+שלום לך\n" }], backup: null, warnings: [], request: null } }));
		await ready();
		const [row, line] = await Promise.all([page.locator(".vault-bridge-note-lines .vault-bridge-line").boundingBox(), page.evaluate(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector(".vault-bridge-note-lines .vault-bridge-line") as Node); const box = range.getBoundingClientRect(); return { left: box.left, right: box.right }; })]);
		expect((row?.x ?? 0) + (row?.width ?? 0) - line.right).toBeLessThan(line.left - (row?.x ?? 0));
	});

	it("while 300 questions wait, with the first one in the note", async () => {
		await openNote(page, GARDEN);
		for (let index = 0; index < 300; index++) bridge.ask(question({ requestId: `c-${index}`, sessionId: `s-${index}` }));
		await page.waitForSelector(`${bar}:has-text("and 299 more about this note")`);
		await ready();
		await page.click(allow);
		expect(await bridge.until("consent.respond")).toMatchObject({ requestId: "c-0" });
	});
});
