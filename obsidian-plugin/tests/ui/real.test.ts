/** The bundle in a real browser against the real bridge: what a person does is what happens to the files. */

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { command, RealBridge, type Result } from "./realBridge";
import { noteText, questionShown, runCommand, showSettings, typeNote } from "./plugin";

let browser: Browser;
let bridge: RealBridge;
let pages: Page[] = [];

beforeAll(async () => { browser = await Browser.start(); });
afterAll(async () => { await browser.close(); });
afterEach(async () => {
	for (const page of pages) await page.close();
	pages = [];
	await bridge.end();
});

const modal = ".vault-bridge-consent";
const button = (name: string): string => `.vault-bridge-answers button:text-is("${name}")`;
const heading = { path: "Welcome.md", patches: [{ startLine: 5, endLine: 5, newContent: "# Welcome, and come in" }] };

const withLine = (text: string, number: number, line: string): string => text.split("\n").map((old, index) => (index === number - 1 ? line : old)).join("\n");

async function serve(settings: Record<string, unknown> = {}): Promise<void> {
	bridge = new RealBridge({ allowedOrigins: [browser.origin], ...settings });
	await bridge.start();
}
async function open(): Promise<Page> {
	const page = await browser.open({ vault: bridge.vault });
	pages.push(page);
	await page.waitForSelector(".vault-bridge-status.is-connected");
	return page;
}
/** An answer for longer: behind its button, by what it says. */
async function remember(page: Page, label: string): Promise<void> {
	await page.click(button("Remember…"));
	const option = `.vault-bridge-option button:has(:text-is("${label}"))[aria-disabled="false"]`;
	await page.waitForSelector(option);
	await page.click(option);
}
async function armed(page: Page): Promise<void> {
	await page.waitForSelector(`${button("Allow once")}[aria-disabled="false"]`);
}

describe.skipIf(command === null)("with the real bridge (skipped where it is not installed: set VAULT_BRIDGE_COMMAND)", () => {
	it("takes back all that one program did, and leaves what was edited since", async () => {
		await serve();
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const before = bridge.read("Welcome.md");
		for (const [path, first] of [["Welcome.md", 5], ["Welcome.md", 6], ["Garden/Seeds.md", 1]] as const) {
			const answer = call("apply_patch", { path, patches: [{ startLine: first, endLine: first, newContent: "changed" }] });
			await page.waitForSelector(modal);
			await armed(page);
			await page.click(button("Allow once"));
			expect(await answer).toMatchObject({ success: true });
			await page.waitForSelector(modal, { state: "detached" });
		}
		bridge.write("Garden/Seeds.md", "by hand");
		await runCommand(page, "undo-last-hour");
		const list = page.locator(".modal.vault-bridge-undo-all");
		await list.waitFor();
		await expect.poll(async () => list.textContent()).toContain("'Garden/Seeds.md' was edited since");
		await list.locator('button:text-is("Undo 2 changes")').click();
		await page.waitForSelector('.notice:has-text("Undid 2 changes in 1 file.")');
		expect([bridge.read("Welcome.md"), bridge.read("Garden/Seeds.md")]).toEqual([before, "by hand"]);
	});

	it("knows what is typed from what a plugin and another program write: 1,000 saves are a handful of entries", async () => {
		await serve();
		const page = await open();
		const who = async (): Promise<string[]> => page.locator(".vault-bridge-change-client").allTextContents();
		await page.evaluate(async () => {
			const { workspace, vault } = window.host.app;
			await workspace.openLinkText("Welcome.md");
			const view = workspace.getMostRecentLeaf()?.view as unknown as { editorEl: { value: string }; save: () => Promise<void> };
			for (let number = 0; number < 1_000; number++) {
				view.editorEl.value += `${number} `;
				await view.save();
			}
			await vault.adapter.write("Garden/Seeds.md", "by a plugin");
		});
		bridge.write("Made elsewhere.md", "by another program");
		await runCommand(page, "show-changes");
		await expect.poll(async () => {
			await page.selectOption('[aria-label="Time"]', { label: "Last hour" });
			await page.selectOption('[aria-label="Time"]', { label: "Any time" });
			return page.locator(".vault-bridge-log-sentence").allTextContents();
		}).toEqual(expect.arrayContaining(["Made elsewhere.md made", "Garden/Seeds.md changed", "Welcome.md changed"]));
		expect(new Set(await who())).toEqual(new Set(["Another program", "Obsidian", "You typed in Obsidian"]));
		// Faster than anybody types, a save can be seen half written on a busy machine.
		expect((await who()).length).toBeLessThanOrEqual(12);
		await page.selectOption('[aria-label="Program"]', { label: "You typed in Obsidian" });
		await expect.poll(async () => [...new Set(await page.locator(".vault-bridge-change").allTextContents())].every((text) => text.includes("Welcome.md"))).toBe(true);
	});

	it("writes exactly the hunks that the person keeps, and tells the agent which it left out", async () => {
		await serve();
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const before = bridge.read("Welcome.md");
		const last = before.trimEnd().split("\n").length;
		const answer = call("apply_patch", { path: "Welcome.md", patches: [...heading.patches, { startLine: last, endLine: last, newContent: "Done." }] });
		await page.waitForSelector(modal);
		await page.uncheck(".vault-bridge-hunk-header input >> nth=0");
		await page.waitForSelector(`${button("Allow 1 of 2")}[aria-disabled="false"]`);
		await page.click(button("Allow 1 of 2"));
		const result = await answer;
		expect(result).toMatchObject({ success: true, data: { leftOut: [{ path: "Welcome.md", change: "modify", hunks: [0], of: 2 }] } });
		expect(bridge.read("Welcome.md")).toBe(withLine(before, last, "Done."));
	});

	it("shows what an agent drafts, asks once, and writes it without what is left out, all files of a unit together", async () => {
		await serve({ enabledTools: ["*"] });
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const before = bridge.read("Welcome.md");
		const reading = call("read", { path: "Welcome.md" });
		await page.waitForSelector(modal);
		await remember(page, "Allow for session: reading this vault");
		expect(await reading).toMatchObject({ success: true });
		expect(await call("draft", { action: "begin" })).toMatchObject({ success: true });
		expect(await call("move_file", { source: "Projects/Book club.md", destination: "Archive/Books.md" })).toMatchObject({ success: true });
		expect(await call("create_note", { path: "New.md", content: "new" })).toMatchObject({ success: true });
		await page.click(".vault-bridge-drafting:has-text('is drafting: ')");
		await page.waitForSelector('.vault-bridge-draft .vault-bridge-file:has-text("Archive/Books.md")');
		await expect.poll(async () => page.locator(modal).count()).toBe(0);

		const answer = call("draft", { action: "submit" });
		await questionShown(page);
		await page.uncheck('.vault-bridge-together:has-text("Archive/Books.md") .vault-bridge-together-head input');
		await page.waitForSelector(`${button("Allow 1 of 2")}[aria-disabled="false"]`);
		await page.click(button("Allow 1 of 2"));
		expect(await answer).toMatchObject({ success: true });
		expect([bridge.read("New.md"), bridge.read("Welcome.md")]).toEqual(["new", before]);
		expect(bridge.read("Projects/Book club.md")).toContain("[[The Left Hand of Darkness]]");
		await page.waitForSelector(".vault-bridge-drafting", { state: "hidden" });
		await page.waitForSelector(".vault-bridge-empty:has-text('No agent is drafting.')");
	});

	describe("a note that is open in an editor", () => {
		const edited = async (): Promise<Page> => {
			await serve();
			const page = await open();
			await page.evaluate(async () => {
				const { vault, workspace } = window.host.app;
				const process = vault.process.bind(vault);
				vault.process = async (file, change) => {
					document.body.dataset["processed"] = `${document.body.dataset["processed"] ?? ""}${file.path};`;
					return process(file, change);
				};
				await workspace.openLinkText("Welcome.md");
			});
			return page;
		};
		const processed = async (page: Page): Promise<string | null> => page.getAttribute("body", "data-processed");

		it("is written through Obsidian", async () => {
			const page = await edited();
			const call = await bridge.agent("Claude Code");
			const before = bridge.read("Welcome.md");
			const answer = call("apply_patch", heading);
			await page.click('.vault-bridge-note-bar .is-allow_once[aria-disabled="false"]');
			expect(await answer).toMatchObject({ success: true });
			expect(await processed(page)).toBe("Welcome.md;");
			await page.waitForSelector(".vault-bridge-note-bar.is-done");
			expect(bridge.read("Welcome.md")).toBe(withLine(before, 5, "# Welcome, and come in"));
		});

		it("is left alone while it holds text that is not saved, and so is that text", async () => {
			const page = await edited();
			const call = await bridge.agent("Claude Code");
			const before = bridge.read("Welcome.md");
			await typeNote(page, "my own words");
			const answer = call("apply_patch", heading);
			// They are writing, so the question waits behind a notice.
			await page.click('.notice button:text-is("Show")');
			await page.waitForSelector(modal);
			await expect.poll(async () => page.textContent(".vault-bridge-body .vault-bridge-note.is-warning")).toContain("Welcome.md");
			await armed(page);
			await page.click(button("Allow once"));
			expect(await answer).toMatchObject({ success: false, data: { code: "stale" } });
			expect(await processed(page)).toBeNull();
			expect(bridge.read("Welcome.md")).toBe(before);
			await expect.poll(async () => noteText(page)).toBe("my own words");
		});
	});

	it("closes a question that nobody answered in time", async () => {
		await serve({ consentTimeout: 10 });
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const answer = call("apply_patch", heading);
		await page.waitForSelector(modal);
		expect(await answer).toMatchObject({ success: false, data: { code: "timed_out" } });
		await page.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => page.textContent(".notice")).toContain("Nobody answered in time");
	});

	it("takes the first answer of two windows, and tells the other", async () => {
		await serve();
		const [one, two] = [await open(), await open()];
		const call = await bridge.agent("Claude Code");
		const answer = call("apply_patch", heading);
		await Promise.all([one.waitForSelector(modal), two.waitForSelector(modal)]);
		await armed(one);
		await one.click(button("Deny until the bridge stops"));
		expect(await answer).toMatchObject({ data: { code: "denied_by_user" } });
		await two.waitForSelector(modal, { state: "detached" });
		await expect.poll(async () => two.textContent(".notice")).toContain("It was denied in Obsidian.");
	});

	it("draws hostile text of an agent as text", async () => {
		await serve();
		const page = await open();
		const call = await bridge.agent("<img src=x onerror=alert(1)>");
		const hostile = "<script>window.hacked = true</script> \u202eevil \u200b";
		const answer: Promise<Result> = call("apply_patch", { path: "Welcome.md", patches: [{ startLine: 6, endLine: 6, newContent: hostile }] }, { reason: hostile });
		await page.waitForSelector(modal);
		expect(await page.evaluate(() => "hacked" in window)).toBe(false);
		await expect.poll(async () => page.$$(`${modal} script, ${modal} img`)).toHaveLength(0);
		await expect.poll(async () => page.textContent(modal)).toContain("U+202E");
		const warnings = await page.$$eval(".vault-bridge-body .vault-bridge-note.is-warning", (all) => all.map((el) => el.textContent));
		expect(warnings).toEqual([expect.stringContaining("runs as a program"), expect.stringContaining("characters that cannot be seen")]);
		await page.click(button("Deny until the bridge stops"));
		expect(await answer).toMatchObject({ success: false });
	});

	it("writes the person's own text in the place of what was proposed, and tells the agent", async () => {
		await serve();
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const before = bridge.read("Welcome.md");
		const answer = call("apply_patch", heading);
		await page.waitForSelector(modal);
		await page.click('button:text-is("Edit")');
		const proposed = await page.inputValue(".vault-bridge-editor-text");
		await page.fill(".vault-bridge-editor-text", proposed.replace("come in", "sit down"));
		await page.click("text=Use this text");
		await page.waitForSelector("text=You have changed this text.");
		await expect.poll(async () => page.textContent(".vault-bridge-diff")).toContain("# Welcome, and sit down");
		await armed(page);
		await page.click(button("Allow once"));
		const result = await answer;
		expect(result).toMatchObject({ success: true });
		expect(JSON.stringify(result)).toContain("sit down");
		expect(bridge.read("Welcome.md")).toBe(withLine(before, 5, "# Welcome, and sit down"));
	});

	it("says why a text cannot be used, and goes on with what was proposed", async () => {
		await serve();
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const answer = call("apply_patch", heading);
		await page.waitForSelector(modal);
		await page.click('button:text-is("Edit")');
		await page.click("text=Use this text");
		await page.waitForSelector(".vault-bridge-editor :text('The text is as it was')");
		await page.click('.vault-bridge-editor button:text-is("Cancel")');
		await armed(page);
		await page.click(button("Allow once"));
		expect(await answer).toMatchObject({ success: true });
		expect(bridge.read("Welcome.md")).toContain("# Welcome, and come in");
	});

	it("answers several questions of a client from one list", async () => {
		await serve({ enabledTools: ["create_note"] });
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const calls = ["One", "Two", "Three"].map(async (name) => call("create_note", { path: `${name}.md`, content: name }));
		await page.waitForSelector(".vault-bridge-status.is-asking:has-text('3 questions')");
		await page.click("text=Answer 3 together");
		await page.uncheck('.vault-bridge-group-row:has-text("Two.md") > input');
		await page.waitForSelector('.vault-bridge-answers button:text-is("Allow 2 once")[aria-disabled="false"]');
		await page.click('.vault-bridge-answers button:text-is("Allow 2 once")');
		await expect.poll(async () => page.$$eval(".vault-bridge-group-row", (all) => all.length)).toBe(1);
		await page.check(".vault-bridge-group-row > input");
		await page.click('.vault-bridge-answers button:text-is("Deny 1 until the bridge stops")');
		expect((await Promise.all(calls)).map((one) => one.success)).toEqual([true, false, true]);
		expect([bridge.read("One.md"), bridge.read("Three.md")]).toEqual(["One", "Three"]);
		await page.waitForSelector(modal, { state: "detached" });
	});

	it("counts what is added under a permission, and undoes all of it", async () => {
		await serve({ enabledTools: ["create_note"] });
		const page = await open();
		const call = await bridge.agent("Claude Code");
		const first = call("create_note", { path: "Projects/One.md", content: "One" });
		await page.waitForSelector(modal);
		await remember(page, "Allow for a while: adding in the folder Projects/");
		expect(await first).toMatchObject({ success: true });
		expect(await call("create_note", { path: "Projects/Two.md", content: "Two" })).toMatchObject({ success: true });
		await page.waitForSelector('.vault-bridge-counter:has-text("2 of 50")');
		await page.click(".vault-bridge-counter");
		await page.click("text=Undo everything added");
		await page.click('.modal button:text-is("Undo 2 changes")');
		await page.waitForSelector(".vault-bridge-counter", { state: "hidden" });
		await page.waitForSelector(".notice:has-text('Undid 2 changes')");
		for (const name of ["One", "Two"]) expect(() => bridge.read(`Projects/${name}.md`)).toThrow("ENOENT");
	});

	it("changes settings at once, and shows what the bridge says of a value that it refuses", async () => {
		await serve();
		const page = await open();
		await showSettings(page);
		await page.click('.mod-page:has-text("Searching, reading and backups")');
		await page.click('.mod-page:has-text("More settings")');
		const row = page.locator(".setting-item", { hasText: "Results of find" });
		await row.locator("input").fill("77");
		await row.locator("input").blur();
		await expect.poll(() => (JSON.parse(bridge.read(".vault-bridge/settings.json")) as { findMaxResults?: number }).findMaxResults).toBe(77);
		await row.locator("input").fill("0");
		await row.locator("input").blur();
		await page.waitForSelector(".vault-bridge-problem.is-error");
		await expect.poll(async () => row.textContent()).toContain("greater than or equal to 1");
	});

	it("compares Obsidian's index with its own, and tells the one thing that differs", async () => {
		bridge = new RealBridge({ allowedOrigins: [browser.origin] });
		bridge.write("Right.md", '---\ntags: [one]\nup: "[[Welcome]]"\n---\n#two #two [[welcome]] ![[Wrong#x]] [[No such note#y]]\n');
		bridge.write("Wrong.md", "[[Right]] #three\n");
		await bridge.start();
		const page = await open();
		const notes = await page.evaluate(() => {
			const { metadataCache, vault } = window.host.app;
			metadataCache.know("Right.md", { "Welcome.md": 2, "Wrong.md": 1 }, { "No such note": 1 }, { frontmatter: { tags: ["one"] }, tags: [{ tag: "#two" }, { tag: "#two" }] });
			metadataCache.know("Wrong.md", { "Right.md": 2 }, {}, { tags: [{ tag: "#three" }] });
			const command = window.host.app.commands.get(`${window.host.plugin.manifest.id}:check-index`);
			command?.callback?.();
			return vault.getMarkdownFiles().length;
		});
		await page.waitForSelector(".vault-bridge-index-row");
		await expect.poll(async () => page.textContent('.modal [role="status"]')).toBe("2 notes compared, with 5 links and 4 tags. 1 difference in 1 note.");
		await expect.poll(async () => page.locator(".vault-bridge-index .vault-bridge-index-row").allTextContents()).toEqual(["Wrong.mdlinks to Right.mdObsidian 2, bridge 1"]);
		await expect.poll(async () => page.textContent(".vault-bridge-details summary")).toBe(`${notes - 2} not compared; check again later`);
	});

	it("shows the log as it grows, and the remembered answers", async () => {
		await serve();
		const page = await open();
		await runCommand(page, "view-tool-logs");
		await page.waitForSelector('.vault-bridge-log-row:has-text("The bridge started")');
		await page.waitForSelector(".vault-bridge-chain:has-text('none changed or removed')");
		const call = await bridge.agent("Claude Code");
		const answer = call("find", { pattern: "**/*.md" });
		await page.waitForSelector(modal);
		const sentence = (await page.textContent('.vault-bridge-option:has(:text-is("Allow for session: Find")) .vault-bridge-option-sentence')) ?? "";
		await remember(page, "Allow for session: Find");
		expect(await answer).toMatchObject({ success: true });
		await page.waitForSelector(`.notice:has-text("${sentence}"):has(button:text-is("Take back"))`);
		await page.waitForSelector('.vault-bridge-log-row:has-text("“Claude Code” (not verified) looked for files named “**/*.md”"):has-text("you allowed it, for the session")');
		await showSettings(page);
		await page.click('.mod-page:has-text("Remembered answers")');
		await page.waitForSelector(`.setting-item:has-text("${sentence}")`);
		await page.click('.setting-item button:text-is("Take back")');
		await page.waitForSelector("text=Nothing is remembered.");
	});

	describe("a program that the person adds", () => {
		const programs = async (page: Page): Promise<void> => {
			await showSettings(page);
			await page.click('.mod-page:has-text("Connected programs")');
			await page.waitForSelector('.setting-item:has-text("Add a program")');
		};
		const add = async (page: Page, name: string): Promise<string> => {
			await page.click('button:text-is("Add")');
			await page.fill(".modal:not(.mod-settings) input", name);
			await page.keyboard.press("Enter");
			const token = await page.inputValue(".vault-bridge-token input");
			await page.click('button:text-is("Done")');
			await page.waitForSelector(`.vault-bridge-program:has-text("${name}")`);
			return token;
		};

		it("is known by its name, has its own answers, and is refused once it is revoked", async () => {
			await serve();
			const page = await open();
			await programs(page);
			const token = await add(page, "Claude on the desk");
			const call = await bridge.agent("claude-code", token);
			const other = await bridge.agent("Claude on the desk");
			const answer = call("read", { path: "Welcome.md" });
			await questionShown(page);
			await expect.poll(async () => page.textContent(".vault-bridge-who strong")).toBe("Claude on the desk");
			await expect.poll(async () => page.textContent(".vault-bridge-claim")).toContain("claude-code");
			await remember(page, "Always allow: reading this vault");
			expect(await answer).toMatchObject({ success: true });
			await page.waitForSelector(modal, { state: "detached" });

			// Whoever only says that it is this program is asked about all the same, and shown as what it is.
			const imposter = other("read", { path: "Welcome.md" });
			await questionShown(page);
			await expect.poll(async () => page.textContent(".vault-bridge-who strong")).toBe("A program without a name of its own");
			await page.click(button("Remember…"));
			await page.click('.vault-bridge-option.is-deny_session button >> nth=-1');
			expect(await imposter).toMatchObject({ success: false });
			expect(await call("read", { path: "Welcome.md" })).toMatchObject({ success: true });

			await programs(page);
			const own = page.locator(".vault-bridge-program");
			await own.locator("text=Claude on the desk may read every note of this vault").waitFor();
			await expect.poll(async () => own.textContent()).toContain("Connected now.");
			await expect.poll(async () => own.textContent()).not.toContain("may not");
			await page.$$eval(".notice", (all) => { for (const one of all) one.remove(); });
			await own.locator('button:text-is("Revoke")').click();
			await page.click('.modal:not(.mod-settings) button:text-is("Revoke")');
			await page.waitForSelector('.notice:has-text("Claude on the desk was revoked.")');
			await own.waitFor({ state: "detached" });
			await expect(bridge.agent("claude-code", token)).rejects.toThrow("401");
		});

		it("may do more only after a yes to a question", async () => {
			await serve();
			const page = await open();
			await programs(page);
			await add(page, "Screen");
			await page.click('button:text-is("Let it answer questions")');
			await questionShown(page);
			await expect.poll(async () => page.textContent(".vault-bridge-summary")).toBe("Let Screen answer the questions of other programs");
			await expect.poll(async () => page.textContent(".vault-bridge-who")).toBe("Screen is to be allowed more:");
			await expect.poll(async () => page.isVisible(button("Remember…"))).toBe(false);
			await page.click(button("Deny"));
			await page.waitForSelector('.notice:has-text("does not let Screen")');
			await page.click('button:text-is("Let it answer questions")');
			await questionShown(page);
			await armed(page);
			await page.click(button("Allow once"));
			await page.waitForSelector('.vault-bridge-program:has-text("Call tools and answer the questions of other programs.")');
		});
	});
});
