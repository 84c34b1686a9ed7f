/** What the page's stand-in for Node reaches: this computer's files and processes, as a renderer of Electron has them. */

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import type { HostMachine, HostStat, System } from "../host/node";

export const OWN_SYSTEM: System = process.platform === "win32" ? "windows" : process.platform === "darwin" ? "macos" : "linux";
/** What macOS gives an app that is started from the dock. */
export const SHORT_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/** A computer with an empty home folder, and an app whose PATH is short. */
export class Machine {
	readonly home = mkdtempSync(join(tmpdir(), "vault-bridge-home-"));
	/** How many programs were to be started on it. */
	spawned = 0;
	private readonly children = new Map<number, ChildProcess>();

	/** @param env - More of the app's environment. */
	constructor(
		private readonly system: System = OWN_SYSTEM,
		private readonly env: Record<string, string> = {},
	) {}

	get facts(): HostMachine {
		const windows = this.system === "windows";
		const home: Record<string, string> = windows ? { USERPROFILE: this.home, LOCALAPPDATA: join(this.home, "AppData", "Local"), APPDATA: join(this.home, "AppData", "Roaming") } : { HOME: this.home };
		const needed: Record<string, string> = process.platform === "win32" ? { SystemRoot: process.env["SystemRoot"] ?? "" } : {};
		return { system: this.system, env: { PATH: SHORT_PATH, ...needed, ...home, ...this.env }, uid: process.getuid?.() ?? null, pid: process.pid };
	}

	/** Put a program there. Returns its path. */
	install(path: string, script: string): string {
		const place = join(this.home, path);
		mkdirSync(dirname(place), { recursive: true });
		writeFileSync(place, script);
		chmodSync(place, 0o755);
		return place;
	}

	/** How many processes that the page has started still run. */
	get running(): number {
		return [...this.children.values()].filter((child) => child.pid !== undefined && child.exitCode === null && child.signalCode === null).length;
	}

	async attach(page: Page): Promise<void> {
		await page.exposeFunction("hostFile", (action: string, path: string) => file(action, path));
		await page.exposeFunction("hostSpawn", (id: number, program: string, words: string[], env: Record<string, string>) => { this.spawn(page, id, program, words, env); });
		await page.exposeFunction("hostSignal", (id: number, action: string) => { this.signal(id, action); });
		page.on("close", () => { this.rendererGone(); });
	}

	/** Nothing of a test outlives it. */
	end(): void {
		for (const child of this.children.values()) child.kill("SIGKILL");
		rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
	}

	private spawn(page: Page, id: number, program: string, words: string[], env: Record<string, string>): void {
		const tell = (event: string, data: unknown): void => {
			void page.evaluate(([child, name, value]) => { window.hostChild(child, name, value); }, [id, event, data] as const).catch(() => undefined);
		};
		this.spawned++;
		let child: ChildProcess;
		try {
			child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"], env });
		} catch (error) {
			tell("error", failure(error));
			return;
		}
		this.children.set(id, child);
		if (child.pid !== undefined) tell("spawn", child.pid);
		child.stdin?.on("error", () => undefined);
		for (const name of ["stdout", "stderr"] as const) child[name]?.setEncoding("utf8").on("data", (text: string) => { tell(name, text); });
		child.on("error", (error) => { tell("error", failure(error)); });
		child.on("exit", (code) => { tell("exit", code); });
		child.on("close", (code) => { tell("close", code); });
	}

	private signal(id: number, action: string): void {
		const child = this.children.get(id);
		if (action === "end") child?.stdin?.end();
		// On Windows every signal ends a process without a warning.
		else child?.kill(this.system === "windows" || action === "SIGKILL" ? "SIGKILL" : "SIGTERM");
	}

	/** The renderer is gone, as when the app quits: its ends of the pipes close, and it can do nothing more. */
	private rendererGone(): void {
		for (const child of this.children.values()) {
			child.stdin?.end();
			child.stdout?.destroy();
			child.stderr?.destroy();
		}
	}
}

function file(action: string, path: string): { failure: object | null; value: unknown } {
	try {
		return { failure: null, value: action === "read" ? readFileSync(path, "utf8") : action === "realpath" ? realpathSync(path) : stat(path) };
	} catch (error) {
		return { failure: failure(error), value: null };
	}
}

function stat(path: string): HostStat {
	const found = statSync(path, { bigint: true });
	return { dev: String(found.dev), ino: String(found.ino), uid: Number(found.uid), mode: Number(found.mode), kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other" };
}

function failure(error: unknown): { code: string; message: string } {
	const { code, message } = error as NodeJS.ErrnoException;
	return { code: code ?? "unknown", message };
}

/** Whether a process runs. */
export function runs(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

