/** A real Chromium with the stand-in for Obsidian and the plugin's bundle on a page. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import { chromium, type BrowserContext, type FileChooser, type Page } from "playwright-core";
import { PATIENCE } from "../patience";
import { file } from "./files";
import { Machine } from "./hostMachine";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export type Theme = "light" | "dark";

export interface PageOptions {
	vault: string;
	theme?: Theme;
	/** Whether the getting-started view was shown before. */
	welcomed?: boolean;
	/** Keep what an earlier window left on this device. */
	keep?: boolean;
	size?: { width: number; height: number };
	/** The computer; by default one of this system's with nothing installed. */
	machine?: Machine;
}

export class Browser {
	private readonly bare = new Machine();

	private constructor(
		private readonly context: BrowserContext,
		private readonly server: Server,
		private readonly profile: string,
		/** Where the page comes from: the origin that the bridge must know. */
		readonly origin: string,
	) {}

	static async start(): Promise<Browser> {
		const server = createServer((request, response) => {
			const name = (request.url ?? "/").slice(1);
			const found = { "": html(), "app.css": text("tests/host/app.css"), "styles.css": text("styles.css"), "icons.js": text(".ui/icons.js"), "host.js": text(".ui/host.js"), "plugin.js": text(".ui/plugin.js") }[name];
			const type = name.endsWith(".css") ? "text/css" : name.endsWith(".js") ? "text/javascript" : "text/html";
			response.writeHead(found === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` });
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
	async open({ vault, theme = "light", welcomed = true, keep = false, size = { width: 1100, height: 800 }, machine = this.bare }: PageOptions): Promise<Page> {
		const page = await this.context.newPage();
		await page.setViewportSize(size);
		await page.exposeFunction("hostDisk", (action: string, path: string, content?: string) => disk(vault, action, path, content));
		await machine.attach(page);
		await page.goto(this.origin);
		const manifest = JSON.parse(text("manifest.json")) as { id: string; name: string; version: string };
		await page.evaluate(
			async ([options, look, seen]) => {
				document.body.className = `theme-${look}`;
				if (seen !== null) window.localStorage.setItem("vault-bridge", JSON.stringify({ welcomed: seen }));
				await window.startHost(options);
			},
			[{ basePath: vault, manifest, machine: machine.facts }, theme, keep ? null : welcomed] as const,
		);
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
