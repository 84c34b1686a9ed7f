/** A real Chromium with the stand-in for Obsidian and the plugin's bundle on a page. */

import { createHash } from "node:crypto";
import type { EventEmitter } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import { chromium, type BrowserContext, type FileChooser, type Page } from "playwright-core";
import { PATIENCE } from "../patience";
import { file } from "./files";
import { Machine } from "./hostMachine";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const SIZE = { width: 1100, height: 800 };

/** Methods of a page whose effect outlasts its document. Its size is set for each test, and a clock is the context's. */
const LASTING = ["addInitScript", "emulateMedia", "exposeBinding", "exposeFunction", "route", "routeFromHAR", "routeWebSocket", "setExtraHTTPHeaders"] as const;

/** A window that the next test may have too. */
interface Reusable {
	page: Page;
	/** Whose files it has. */
	vault: string;
	/** Whether nothing was done with it that a new document does not end. */
	isAsNew: () => boolean;
}

export interface PageOptions {
	vault: string;
	/** Whether the getting-started view was shown before. */
	welcomed?: boolean;
	/** Keep what an earlier window left on this device. */
	keep?: boolean;
	size?: { width: number; height: number };
	/** Whether the test may let time pass, from the beginning on. */
	clock?: boolean;
	/** The computer; by default one of this system's with nothing installed. */
	machine?: Machine;
}

export class Browser {
	private readonly bare = new Machine();
	/** A window that a test is done with, empty and as it was when it was new. */
	private spare: Reusable | null = null;
	private readonly reusable = new WeakMap<Page, Reusable>();

	private constructor(
		private readonly context: BrowserContext,
		private readonly server: Server,
		private readonly profile: string,
		/** Where the page comes from: the origin that the bridge must know. */
		readonly origin: string,
	) {}

	static async start(): Promise<Browser> {
		const files: Readonly<Record<string, string>> = { "": html(), empty: "", "app.css": text("tests/host/app.css"), "styles.css": text("styles.css"), "icons.js": text(".ui/icons.js"), "host.js": text(".ui/host.js"), "plugin.js": text(".ui/plugin.js") };
		const server = createServer((request, response) => {
			const name = (request.url ?? "/").slice(1);
			const found = files[name];
			const type = name.endsWith(".css") ? "text/css" : name.endsWith(".js") ? "text/javascript" : "text/html";
			// Kept by the browser, with what it has compiled of it: every test opens a window of its own.
			response.writeHead(found === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8`, "cache-control": "max-age=3600" });
			response.end(found);
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const port = typeof address === "object" && address ? address.port : 0;
		const profile = mkdtempSync(join(tmpdir(), "vault-bridge-chromium-"));
		const context = await chromium.launchPersistentContext(profile, { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS, chromiumSandbox: false });
		context.setDefaultTimeout(PATIENCE);
		return new Browser(context, server, profile, `http://127.0.0.1:${port}`);
	}

	/** A window with the plugin loaded. */
	async open({ vault, welcomed = true, keep = false, size = SIZE, clock = false, machine = this.bare }: PageOptions): Promise<Page> {
		const plain = machine === this.bare && !clock;
		const page = (plain ? this.again(vault) : null) ?? (await this.another(vault, machine));
		const shown = page.viewportSize();
		if (shown?.width !== size.width || shown.height !== size.height) await page.setViewportSize(size);
		if (clock) await page.clock.install();
		await page.goto(this.origin);
		const manifest = JSON.parse(text("manifest.json")) as { id: string; name: string; version: string };
		await page.evaluate(
			async ([options, seen]) => {
				document.body.className = "theme-light";
				if (seen !== null) window.localStorage.setItem("vault-bridge", JSON.stringify({ welcomed: seen }));
				await window.startHost(options);
			},
			[{ basePath: vault, manifest, machine: machine.facts }, keep ? null : welcomed] as const,
		);
		return page;
	}

	/**
	 * Done with a window. It is emptied for the next test, which costs a third of a new one: nothing of the old document
	 * runs in the new one. A window in which the test left more than a document is closed.
	 */
	async done(page: Page): Promise<void> {
		const window = this.reusable.get(page);
		if (window && !this.spare && !page.isClosed() && window.isAsNew()) {
			await page.mouse.move(-1, -1); // so that nothing of the next document is under it
			await page.goto(`${this.origin}/empty`);
			if (window.isAsNew()) { // the old document may have done something on its way out
				this.spare = window;
				return;
			}
		}
		await page.close();
	}

	/** The spare window, for a vault. */
	private again(vault: string): Page | null {
		const { spare } = this;
		if (!spare) return null;
		this.spare = null;
		spare.vault = vault;
		return spare.page;
	}

	/** A new window, for a vault on a computer. */
	private async another(vault: string, machine: Machine): Promise<Page> {
		const page = await this.context.newPage();
		const window: Reusable = { page, vault, isAsNew: () => false };
		await page.exposeFunction("hostDisk", (action: string, path: string, content?: string) => disk(window.vault, action, path, content));
		await machine.attach(page);
		if (machine !== this.bare) return page;
		let asNew = true;
		page.on("popup", () => { asNew = false; });
		for (const name of LASTING) {
			const lasting = page[name].bind(page) as (...all: unknown[]) => Promise<unknown>;
			Object.assign(page, { [name]: async (...all: unknown[]) => { asNew = false; return lasting(...all); } });
		}
		const [listeners, spawned] = [listenersOf(page), machine.spawned];
		window.isAsNew = () => asNew && listenersOf(page) === listeners && machine.spawned === spawned;
		this.reusable.set(page, window);
		return page;
	}

	async close(): Promise<void> {
		await this.context.close();
		this.server.close();
		this.bare.end();
		rmSync(this.profile, { recursive: true, force: true });
	}

	/** Let pages use the clipboard, as Obsidian lets them. */
	async allowClipboard(): Promise<void> {
		await this.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: this.origin });
	}

	/** Choose a file in the system's dialog; only Electron knows where it lies. */
	async choose(page: Page, chooser: FileChooser, path: string): Promise<void> {
		await page.evaluate(([name, place]) => { window.hostChosen[name] = place; }, [basename(path), path] as const);
		await chooser.setFiles(path);
	}

	/** Quit the app: the event, of which only what is done at once is done, and then the window is gone. */
	async quit(page: Page): Promise<void> {
		await page.evaluate(() => { window.host.app.workspace.trigger("quit"); });
		await page.close({ runBeforeUnload: false });
	}
}

/** How many listeners a page has for what. */
function listenersOf(page: Page): string {
	const emitter = page as unknown as EventEmitter;
	return JSON.stringify(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]).sort());
}

export function sha256(content: string): string {
	return createHash("sha256").update(content).digest("hex");
}

function html(): string {
	return '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="app.css"><link rel="stylesheet" href="styles.css"><body><script src="icons.js"></script><script src="host.js"></script><script src="plugin.js"></script>';
}

function text(name: string): string {
	return readFileSync(file(name), "utf8");
}

function disk(vault: string, action: string, path: string, content = ""): unknown {
	const place = join(vault, path);
	switch (action) {
		case "exists":
			return existsSync(place);
		case "read":
			return readFileSync(place).toString("base64");
		case "write":
			writeFileSync(place, content);
			return null;
		case "writeBinary":
			writeFileSync(place, new Uint8Array(Buffer.from(content, "base64")));
			return null;
		case "remove":
			rmSync(place, { recursive: true });
			return null;
		case "rename":
			renameSync(place, join(vault, content));
			return null;
		case "trash":
			mkdirSync(join(vault, ".trash", dirname(path)), { recursive: true });
			renameSync(place, join(vault, ".trash", path));
			return null;
		case "entries":
			return readdirSync(vault, { recursive: true, withFileTypes: true })
				.map((entry) => ({ entry, name: relative(vault, join(entry.parentPath, entry.name)).split(sep).join("/") }))
				.filter(({ name }) => !name.split("/").some((part) => part.startsWith(".")))
				.map(({ entry, name }) => ({ path: name, stat: entry.isDirectory() ? null : statOf(join(vault, name)) }));
		default:
			throw new Error(`unknown action ${action}`);
	}
}

function statOf(place: string): { mtime: number; size: number } {
	const { mtimeMs, size } = statSync(place);
	return { mtime: Math.round(mtimeMs), size };
}
