/** From "enabled" to "first question answered", and the bridge's process: real programs, started by the page. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser } from "./browser";
import { claudeCode } from "./claudeCode";
import { file } from "./files";
import { Machine, runs } from "./hostMachine";
import { McpProgram } from "./mcpProgram";
import { command, ownCode } from "./realBridge";

const VERSION = (JSON.parse(readFileSync(file("manifest.json"), "utf8")) as { version: string }).version;
const SAYS_VERSION = `if [ "$1" = --version ]; then echo "vault-bridge ${VERSION} (Vault Bridge for Obsidian)"; exit 0; fi`;
/** A program that is what it should be, and then does what the test wants. */
const program = (rest: string): string => `#!/bin/sh\n${SAYS_VERSION}\necho started >> "$HOME/starts"\n${rest}\n`;
/** The real command, as an installer puts it: a file that runs it. */
const real = `#!/bin/sh\nPYTHONPATH="${ownCode["PYTHONPATH"] ?? ""}" exec "${command ?? ""}" "$@"\n`;

let browser: Browser;
let machine: Machine;
let vault: string;
let page: Page;

beforeAll(async () => {
	browser = await Browser.start();
	await browser.allowClipboard();
});
afterAll(async () => { await browser.close(); });
beforeEach(() => {
	machine = new Machine();
	vault = mkdtempSync(join(tmpdir(), "My 'Notes' $HOME "));
	writeFileSync(join(vault, "Ideas.md"), "# Ideas\n");
});
afterEach(async () => {
	await page.close();
	machine.end();
	rmSync(vault, { recursive: true, force: true, maxRetries: 5 });
});

const open = async (welcomed = true): Promise<void> => { page = await browser.open({ vault, machine, welcomed }); };
/** The real bridge lets in pages of Obsidian's own origin; the page of the test has another. */
const openReal = async (welcomed = true): Promise<void> => {
	machine.install(welcomed ? ".local/bin/vault-bridge" : "elsewhere", real);
	mkdirSync(join(vault, ".vault-bridge"), { mode: 0o700 });
	writeFileSync(join(vault, ".vault-bridge/settings.json"), JSON.stringify({ allowedOrigins: [browser.origin] }));
	await open(welcomed);
};
const button = (text: string) => page.locator(`.vault-bridge-start button:text-is("${text}")`);
const headline = async (text: string): Promise<void> => { await page.waitForSelector(`.vault-bridge-start-head:has-text("${text}")`); };
const possible = async (id: string): Promise<boolean> => page.evaluate((name) => window.host.app.commands.get(`${window.host.plugin.manifest.id}:${name}`)?.checkCallback?.(true) ?? false, id);
const run = async (id: string): Promise<void> => page.evaluate((name) => {
	const found = window.host.app.commands.get(`${window.host.plugin.manifest.id}:${name}`);
	if (found?.checkCallback) found.checkCallback(false);
	else found?.callback?.();
}, id);
const starts = (): number => (existsSync(join(machine.home, "starts")) ? readFileSync(join(machine.home, "starts"), "utf8").split("\n").length - 1 : 0);
const stateFolder = (): string => join(machine.home, process.platform === "darwin" ? "Library/Application Support/vault-bridge" : ".local/state/vault-bridge");
const beacon = (): string => join(vault, ".vault-bridge/bridge.json");
const pid = (): number => (JSON.parse(readFileSync(beacon(), "utf8")) as { pid: number }).pid;
const connected = async (): Promise<void> => { await page.waitForSelector(".vault-bridge-status.is-connected"); };
const remembered = async (): Promise<Record<string, unknown>> => page.evaluate(() => JSON.parse(window.localStorage.getItem("vault-bridge") ?? "{}") as Record<string, unknown>);
const confirmStart = async (): Promise<void> => { await page.click('.modal button:text-is("Start")'); };
const inSettings = async (): Promise<void> => { await page.evaluate(() => { const { setting } = window.host.app; setting.open(); setting.openTabById(window.host.plugin.manifest.id); }); };
const row = (name: string) => page.locator(".setting-item", { has: page.locator(`.setting-item-name:text-is("${name}")`) });

describe.skipIf(command === null || process.platform === "win32")("with the real bridge (skipped where it is not installed)", () => {
	it("a stranger gets from enabled to the first question answered, with one pasted command", async () => {
		await openReal(false);
		await headline("not installed, or not where Obsidian looks");
		await page.locator('[aria-label="Copy the command that installs the bridge"]').first().click();
		await page.waitForSelector('button:text-is("Copied")');
		expect(await page.evaluate(async () => navigator.clipboard.readText())).toMatch(/ tool install --python 3\.13 \.$/);
		await button("Look again").click();
		await page.waitForSelector('.notice:has-text("not installed")');
		machine.install(".local/bin/vault-bridge", real); // the pasted command
		await headline("installed but not running"); // found without a click
		await button("Start the bridge").click();
		await page.waitForSelector(`.modal:has-text("${machine.home}/.local/bin/vault-bridge")`);
		await confirmStart();
		await headline("Vault Bridge runs");
		await page.waitForSelector('.vault-bridge-agents-rest:has-text("Claude Code")');
		await button("Ask a demo question").click();
		await page.waitForSelector('.vault-bridge-consent:has-text("Vault Bridge demo.md")');
		expect(existsSync(join(vault, "Vault Bridge demo.md"))).toBe(false);
		await page.locator('.vault-bridge-consent button:has-text("Allow once")').click();
		await headline("Vault Bridge is ready");
		await page.waitForSelector('.vault-bridge-note:has-text("You allowed it")');
		expect(readFileSync(join(vault, "Vault Bridge demo.md"), "utf8")).toContain("# Vault Bridge demo");
		await button("Undo…").click();
		await page.click('.modal button:text-is("Undo")');
		await expect.poll(() => existsSync(join(vault, "Vault Bridge demo.md"))).toBe(false);
		await expect.poll(async () => remembered()).toMatchObject({ program: `${machine.home}/.local/bin/vault-bridge`, confirmed: true, answered: true, startBridge: false });
	});

	describe("a program of this machine is connected there, reads what it may without a question, and its first change is asked about", () => {
		beforeEach(async () => {
			machine.install(".local/bin/vault-bridge", real);
			mkdirSync(join(vault, ".vault-bridge"), { mode: 0o700 });
			writeFileSync(join(vault, ".vault-bridge/settings.json"), JSON.stringify({ allowedOrigins: [browser.origin] }));
			mkdirSync(join(machine.home, ".claude"));
			writeFileSync(join(machine.home, ".claude.json"), '{"theme": "dark"}\n');
			await open();
			await run("start-bridge");
			await confirmStart();
			await run("getting-started");
			await page.click('.vault-bridge-start [aria-label="Connect Claude Code"]');
			await page.click('.modal label:has-text("All notes")');
			expect(await page.textContent(".modal .vault-bridge-file")).toContain("mcpServers");
			await page.click('.modal button:text-is("Connect")');
			await page.waitForSelector('.vault-bridge-start .vault-bridge-agent:has-text("Connected as “Claude Code”")');
			await expect.poll(async () => page.textContent(".vault-bridge-steps")).toContain("Start Claude Code again");
			await page.waitForSelector('.vault-bridge-start [aria-label="Copy what to type"]');
		});

		/** The first question is about the first change: nothing was asked about what was read. */
		const allow = async (): Promise<void> => {
			await page.waitForSelector('.vault-bridge-consent:has-text("Claude Code"):has-text("Hello.md")');
			expect(existsSync(join(vault, "Hello.md"))).toBe(false);
			await page.locator('.vault-bridge-consent button:has-text("Allow once")').click();
		};
		const written = async (): Promise<void> => {
			expect(readFileSync(join(vault, "Hello.md"), "utf8")).toBe("Two ideas.\n");
			await headline("Vault Bridge is ready");
		};

		it("when it starts the command of its configuration", async () => {
			const configured = JSON.parse(readFileSync(join(machine.home, ".claude.json"), "utf8")) as { mcpServers: { "vault-bridge": { command: string; args: string[] } } };
			const { command: program, args } = configured.mcpServers["vault-bridge"];
			const agent = new McpProgram(program, args, { ...ownCode, HOME: machine.home, PATH: process.env["PATH"] ?? "" });
			try {
				await agent.begin();
				expect(await agent.call("read", { path: "Ideas.md" })).toContain("# Ideas");
				const writing = agent.call("create_note", { path: "Hello.md", content: "Two ideas.\n" });
				await allow();
				await writing;
				await written();
			} finally {
				agent.end();
			}
		});

		it("when it is Claude Code itself", async ({ skip }) => {
			const working = claudeCode(machine.home, vault, [
				{ tool: "read", arguments: { path: "Ideas.md" } },
				{ tool: "create_note", arguments: { path: "Hello.md", content: "Two ideas.\n" } },
				"There are two ideas, and Hello.md says so.",
			]);
			const first = await Promise.race([working, allow()]);
			const ended = await working;
			skip(ended === null || ended.why !== "", ended?.why);
			expect(first).toBeUndefined();
			expect(ended).toMatchObject({ code: 0 });
			expect(ended?.said).toContain("There are two ideas, and Hello.md says so.");
			expect(ended?.shown.join("\n")).toContain("# Ideas");
			await written();
		}, 600_000); // where it is fetched first
	});

	it("a no to the demo question writes nothing, and it can be asked again", async () => {
		await openReal();
		await run("start-bridge");
		await confirmStart();
		await connected();
		for (let turn = 0; turn < 2; turn++) {
			await run("ask-demo-question");
			await page.waitForSelector(".vault-bridge-consent");
			expect(await possible("ask-demo-question")).toBe(false);
			await page.locator('.vault-bridge-consent button:text-is("Deny until the bridge stops")').click();
			await page.waitForSelector(".vault-bridge-consent", { state: "detached" });
			await expect.poll(async () => possible("ask-demo-question")).toBe(true);
		}
		await run("getting-started");
		await page.waitForSelector('.vault-bridge-note:has-text("Nothing was written")');
		expect(existsSync(join(vault, "Vault Bridge demo.md"))).toBe(false);
	});

	it("starts, restarts and stops by commands, each only where it is possible, and is not red after a stop", async () => {
		await openReal();
		await page.waitForSelector('.vault-bridge-status:has-text("Bridge off")');
		expect([await possible("start-bridge"), await possible("stop-bridge"), await possible("restart-bridge")]).toEqual([true, false, false]);
		await run("start-bridge");
		await confirmStart();
		await connected();
		expect([await possible("start-bridge"), await possible("stop-bridge"), await possible("restart-bridge")]).toEqual([false, true, true]);
		const first = pid();
		await run("restart-bridge");
		await expect.poll(() => runs(first)).toBe(false);
		await connected();
		await expect.poll(() => existsSync(beacon()) && pid() !== first).toBe(true);
		await connected();
		const second = pid();
		const tones = await page.evaluate(() => {
			const seen: string[] = [];
			const el = document.querySelector(".vault-bridge-status");
			if (el) new MutationObserver(() => { seen.push(el.className); }).observe(el, { attributes: true });
			return (window as unknown as { seen: string[] }).seen = seen;
		});
		expect(tones).toEqual([]);
		await run("stop-bridge");
		await expect.poll(() => runs(second)).toBe(false);
		await page.waitForSelector('.vault-bridge-status.is-off:has-text("Bridge off")');
		const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
		expect(seen.some((name) => name.includes("is-trouble"))).toBe(false);
		expect(existsSync(beacon())).toBe(false);
		expect(machine.running).toBe(0);
	});

	it.each([
		["Obsidian quits", async () => browser.quit(page)],
		["the window is gone without a word", async () => page.close({ runBeforeUnload: false })],
		["the plugin is disabled", async () => page.evaluate(() => { window.host.plugin.unload(); })],
	])("ends when %s", async (_, leave) => {
		await openReal();
		await run("start-bridge");
		await confirmStart();
		await connected();
		const id = pid();
		await leave();
		await expect.poll(() => runs(id)).toBe(false);
		await expect.poll(() => existsSync(beacon())).toBe(false);
	});

	it("is started again after it was killed", async () => {
		await openReal();
		await run("start-bridge");
		await confirmStart();
		await connected();
		const first = pid();
		process.kill(first, "SIGKILL");
		await page.waitForSelector('.vault-bridge-status:has-text("restarts")');
		await connected();
		expect(pid()).not.toBe(first);
	});

	it("notes where it is, and is found by that note when it is nowhere else", async () => {
		await openReal();
		await run("start-bridge");
		await confirmStart();
		await connected();
		const note = join(stateFolder(), "program/last/program.json");
		await expect.poll(() => existsSync(note)).toBe(true);
		const { program: noted } = JSON.parse(readFileSync(note, "utf8")) as { program: string };
		await browser.quit(page);
		rmSync(join(machine.home, ".local/bin"), { recursive: true });
		await open();
		await run("getting-started");
		await page.waitForSelector(`.vault-bridge-steps:has-text("Found: ${noted}")`);
	});

	it("starts with Obsidian when the person has said so here, and else not", async () => {
		await openReal();
		await inSettings();
		await row("Start the bridge with Obsidian").locator(".checkbox-container").click();
		await page.click('.modal button:text-is("Start with Obsidian")');
		await connected();
		await browser.quit(page);
		await expect.poll(() => existsSync(beacon())).toBe(false);
		page = await browser.open({ vault, machine, keep: true });
		await connected();
	});
});

describe.skipIf(process.platform === "win32")("the program", () => {
	it("is not started before the person has confirmed it, and a no starts nothing", async () => {
		machine.install(".local/bin/vault-bridge", '#!/bin/sh\necho "$1" >> "$HOME/starts"\n');
		await open();
		await run("start-bridge");
		await page.click('.modal button:text-is("Cancel")');
		expect([starts(), machine.running]).toEqual([0, 0]);
	});

	it("is started by nothing that a synced vault can say", async () => {
		machine.install(".local/bin/vault-bridge", program("exec sleep 60"));
		mkdirSync(join(vault, ".vault-bridge"));
		const wanted = JSON.stringify({ startBridge: true, confirmed: true, program: join(machine.home, ".local/bin/vault-bridge"), command: "vault-bridge" });
		for (const name of ["settings.json", "bridge.json", "program.json"]) writeFileSync(join(vault, ".vault-bridge", name), wanted);
		page = await browser.open({ vault, machine, clock: true });
		await page.clock.runFor(2_500); // longer than the grace after which it would be started
		expect(starts()).toBe(0);
	});

	it("that is not Vault Bridge is found out before it is started", async () => {
		machine.install(".local/bin/vault-bridge", '#!/bin/sh\necho "$1" >> "$HOME/starts"\necho "vault-bridge 1.0.4 <b>bold</b>"\n');
		await open();
		await run("getting-started");
		await button("Start the bridge").click();
		await confirmStart();
		await headline("not installed, or not where Obsidian looks");
		await page.waitForSelector('.vault-bridge-note:has-text(".local/bin/vault-bridge is not Vault Bridge")');
		await expect.poll(async () => page.textContent(".vault-bridge-said")).toBe("vault-bridge 1.0.4 <b>bold</b>");
		expect(readFileSync(join(machine.home, "starts"), "utf8")).toBe("--version\n");
		await expect.poll(async () => remembered()).not.toMatchObject({ confirmed: true });
		machine.install(".local/bin/vault-bridge", program("exec sleep 60")); // the right one, in its place
		await button("Look again").click();
		await headline("installed but not running");
	});

	it("that is not Vault Bridge does not hide the one that is", async () => {
		machine.install("first/vault-bridge", "#!/bin/sh\necho another\n");
		const place = machine.install(".local/bin/vault-bridge", program("exec sleep 60"));
		const both = new Machine(undefined, { PATH: join(machine.home, "first"), HOME: machine.home });
		page = await browser.open({ vault, machine: both });
		await run("getting-started");
		await page.waitForSelector('.vault-bridge-steps:has-text("first/vault-bridge")');
		await button("Test the program").click();
		await page.waitForSelector(`.vault-bridge-steps:has-text("Found: ${place}")`);
		both.end();
	});

	it("is found where the bridge itself noted it, as in a checkout anywhere", async () => {
		const place = machine.install("deep/in a/checkout/.venv/bin/vault-bridge", program("exec sleep 60"));
		const note = join(stateFolder(), "program/last");
		mkdirSync(note, { recursive: true });
		writeFileSync(join(note, "program.json"), JSON.stringify({ program: place, version: VERSION }), { mode: 0o600 });
		await open();
		await run("getting-started");
		await page.waitForSelector(`.vault-bridge-steps:has-text("Found: ${place}")`);
	});

	it("is chosen in the system's dialog, tested, and remembered here and not in the vault", async () => {
		const place = machine.install("odd place/vault-bridge", program("exec sleep 60"));
		await open();
		await run("getting-started");
		await headline("not installed");
		const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button("Choose the program…").click()]);
		await browser.choose(page, chooser, place);
		await page.waitForSelector(`.notice:has-text("This is Vault Bridge ${VERSION}")`);
		await headline("installed but not running");
		await expect.poll(async () => remembered()).toMatchObject({ program: place, confirmed: false });
		expect(existsSync(join(vault, ".vault-bridge"))).toBe(false);
		expect(starts()).toBe(0);
	});

	it("that was chosen and is gone is missed by its name, and nothing else is started instead", async () => {
		const place = machine.install("odd place/vault-bridge", program("exec sleep 60"));
		machine.install(".local/bin/vault-bridge", program("exec sleep 60"));
		await open();
		await inSettings();
		await row("Program").locator("input").fill(place);
		await row("Program").locator("input").blur();
		await expect.poll(async () => (await remembered())["program"]).toBe(place);
		await page.keyboard.press("Escape");
		rmSync(place);
		await run("getting-started");
		await page.waitForSelector(`.vault-bridge-note:has-text("There is no program ${place} any more")`);
		await run("start-bridge");
		await page.waitForSelector('.notice:has-text("any more")');
		expect([starts(), machine.running]).toEqual([0, 0]);
	});

	it("is typed in the settings: with ~, or as a folder; and what is wrong with it is said there", async () => {
		const place = machine.install("src/bridge/.venv/bin/vault-bridge", program("exec sleep 60"));
		await open();
		await inSettings();
		const input = row("Program").locator("input");
		const problem = row("Program").locator(".vault-bridge-problem.is-error");
		for (const [typed, words] of [["vault-bridge", "whole path"], ["~/none", "no such file"], ["~/src", "no “vault-bridge” in this folder"]] as const) {
			await input.fill(typed);
			await input.blur();
			await problem.filter({ hasText: words }).waitFor();
		}
		await input.fill("~/src/bridge");
		await input.blur();
		await expect.poll(async () => input.inputValue()).toBe(place);
		await row("Program").locator('button:text-is("Test")').click();
		await page.waitForSelector(`.vault-bridge-problem.is-good:has-text("Vault Bridge ${VERSION}")`);
	});
});

describe.skipIf(process.platform === "win32")("what goes wrong is said in its own words", () => {
	it.each([
		["its Python is gone", "#!/nowhere/python\n", "the Python that it needs is gone"],
		["it is too old", '#!/bin/sh\necho "vault-bridge 0.0.1 (Vault Bridge for Obsidian)"\n', "older than this plugin"],
		["it ends at once", program("echo 'The disk is <b>full</b>.' >&2; exit 1"), "The bridge stopped with exit code 1"],
		["another one serves the vault", program("echo 'This vault is already served by process 7' >&2; exit 1"), "Another bridge serves this vault already"],
		["its port is taken", program("echo 'Port 80 cannot be used: in use' >&2; exit 1"), "taken by another program"],
		["its folder is another user's", program("echo '/x belongs to another user' >&2; exit 1"), "belongs to another user of this computer"],
	])("%s", async (_, script, words) => {
		machine.install(".local/bin/vault-bridge", script);
		await open();
		await run("getting-started");
		await button("Start the bridge").click();
		await confirmStart();
		await page.waitForSelector(`.vault-bridge-start .vault-bridge-note.is-warning:has-text("${words}")`);
		await expect.poll(async () => page.$$(".vault-bridge-note b")).toHaveLength(0);
	});

	it("a crash is followed by another start, and the menu offers to stop it", async () => {
		machine.install(".local/bin/vault-bridge", program("exit 3"));
		page = await browser.open({ vault, machine, clock: true });
		await run("start-bridge");
		await confirmStart();
		await expect.poll(starts).toBeGreaterThan(1);
		await page.click(".side-dock-ribbon-action");
		await page.click('.menu-item:has-text("Stop the bridge")');
		await page.waitForSelector('.vault-bridge-status:has-text("Bridge off")');
		const before = starts();
		await page.clock.runFor(60_000); // longer than the longest wait for another start
		expect(starts()).toBe(before);
	});

	const note = (more: object): void => {
		mkdirSync(join(vault, ".vault-bridge"), { recursive: true });
		writeFileSync(beacon(), JSON.stringify({ url: "ws://127.0.0.1:9/ws", pid: 1, version: VERSION, runDir: join(machine.home, "run"), ...more }));
	};
	const host = (content: object, mode = 0o600): void => {
		mkdirSync(join(machine.home, "run"), { recursive: true });
		writeFileSync(join(machine.home, "run/host.json"), JSON.stringify({ url: "ws://127.0.0.1:9/ws", pid: 1, token: "t0k", vault, ...content }), { mode });
	};

	it.each<[string, string, () => void]>([
		["was synced from another computer", "synced from another computer", () => { note({ runDir: "/home/nobody/run/0123" }); }],
		["a crash has left behind", "ended without tidying up", () => { mkdirSync(join(machine.home, "run")); note({}); }],
		["others can read the token of", "can be read by other users", () => { note({}); host({}, 0o644); }],
		["names a folder in the vault", "names a folder within itself", () => { note({ runDir: join(vault, ".vault-bridge") }); writeFileSync(join(vault, ".vault-bridge/host.json"), JSON.stringify({ url: "ws://127.0.0.1:9/ws", pid: 1, token: "t0k" }), { mode: 0o600 }); }],
		["is another vault's", "serves another folder", () => { note({}); host({ vault: tmpdir() }); }],
		["leads to another computer", "is damaged", () => { note({ url: "ws://192.0.2.1:9/ws" }); }],
		["nobody listens behind", "does not answer", () => { note({}); host({}); }],
	])("a note of a bridge that %s", async (_, words, prepare) => {
		prepare();
		machine.install(".local/bin/vault-bridge", program("exec sleep 60"));
		await open();
		await run("getting-started");
		await page.waitForSelector(`.vault-bridge-start .vault-bridge-note:has-text("${words}")`);
		await page.waitForSelector('.vault-bridge-start button:text-is("Start the bridge"):not([disabled])');
	});
});

it("on Windows, a token outside the user's own folder is not used", async () => {
	await open();
	await page.close();
	const windows = new Machine("windows");
	const elsewhere = mkdtempSync(join(tmpdir(), "vault-bridge-elsewhere-"));
	mkdirSync(join(vault, ".vault-bridge"), { recursive: true });
	writeFileSync(beacon(), JSON.stringify({ url: "ws://127.0.0.1:9/ws", pid: 1, version: VERSION, runDir: elsewhere }));
	writeFileSync(join(elsewhere, "host.json"), JSON.stringify({ url: "ws://127.0.0.1:9/ws", pid: 1, token: "t0k", vault }), { mode: 0o600 });
	page = await browser.open({ vault, machine: windows });
	await run("getting-started");
	await page.waitForSelector('.vault-bridge-note:has-text("outside your own folder")');
	windows.end();
	rmSync(elsewhere, { recursive: true });
});

it("the view stays as it is while nothing changes, with the focus in it", async () => {
	page = await browser.open({ vault, machine, clock: true });
	await run("getting-started");
	await headline("not installed");
	await button("Look again").focus();
	await page.clock.runFor(6_000); // some looks at the vault, and none of them news
	await expect.poll(async () => page.evaluate(() => document.activeElement?.textContent)).toBe("Look again");
});

it("commands to paste take the vault's name as it is", async () => {
	await open();
	await run("getting-started");
	const text = await page.locator(".vault-bridge-start ol > li").last().locator(".vault-bridge-copy code").textContent();
	expect(text).toBe(`vault-bridge serve --vault '${vault.replace(/'/g, "'\\''")}'`);
});
