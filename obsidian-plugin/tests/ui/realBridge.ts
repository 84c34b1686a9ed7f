/** The real bridge, serving a copy of the sample vault, and an agent that calls it: everything over real sockets. */

import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { file } from "./files";

const beside = file(process.platform === "win32" ? "../.venv/Scripts/vault-bridge.exe" : "../.venv/bin/vault-bridge");
/** The command of the bridge: of this checkout, or the one that VAULT_BRIDGE_COMMAND names. Null: not installed. */
export const command = process.env["VAULT_BRIDGE_COMMAND"] ?? (existsSync(beside) ? beside : null);
/** What makes the command run the code of this checkout, wherever the environment it lies in was installed from. */
export const ownCode: Record<string, string> = command === beside ? { PYTHONPATH: file("..") } : {};

export interface Result {
	success: boolean;
	text: string;
	data?: { code?: string; feedback?: string; leftOut?: unknown[] };
}

export class RealBridge {
	readonly vault = mkdtempSync(join(tmpdir(), "vault-bridge-real-"));
	/** The user's configuration, which the tests must not change. */
	private readonly config = mkdtempSync(join(tmpdir(), "vault-bridge-config-"));
	private process: ChildProcess | null = null;
	private agents: WebSocket[] = [];

	/** @param settings - What stands in the vault's settings file. */
	constructor(settings: Record<string, unknown>) {
		cpSync(file("../scripts/sample-vault"), this.vault, { recursive: true });
		mkdirSync(join(this.vault, ".vault-bridge"), { mode: 0o700 });
		writeFileSync(join(this.vault, ".vault-bridge/settings.json"), JSON.stringify({ enabledTools: ["find", "grep", "read", "apply_patch"], ...settings }));
	}

	async start(): Promise<void> {
		const env = { ...process.env, ...ownCode, VAULT_BRIDGE_CONFIG: this.config };
		const child = spawn(command ?? "", ["serve", "--vault", this.vault, "--json"], { stdio: ["ignore", "pipe", "inherit"], env });
		this.process = child;
		const lines = createInterface({ input: child.stdout });
		await new Promise<void>((resolve, reject) => {
			lines.once("line", () => { resolve(); });
			child.once("exit", () => { reject(new Error("the bridge ended before it served")); });
		});
	}

	async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
		const child = this.process;
		this.process = null;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const gone = new Promise((resolve) => child.once("exit", resolve));
		child.kill(signal);
		await gone;
	}

	async end(): Promise<void> {
		for (const agent of this.agents) agent.close();
		await this.stop();
		for (const folder of [this.vault, this.config]) rmSync(folder, { recursive: true, force: true });
	}

	read(path: string): string {
		return readFileSync(join(this.vault, path), "utf8");
	}

	write(path: string, text: string): void {
		writeFileSync(join(this.vault, path), text);
	}

	/**
	 * Connect as an agent. Returns what calls a tool.
	 *
	 * @param name - What it calls itself.
	 * @param credential - The token of a program that the person has added; without one it is the shared token.
	 */
	async agent(name: string, credential?: string): Promise<(tool: string, args: object, more?: object) => Promise<Result>> {
		const { runDir } = JSON.parse(this.read(".vault-bridge/bridge.json")) as { runDir: string };
		const { url, token } = JSON.parse(readFileSync(join(runDir, "agent.json"), "utf8")) as { url: string; token: string };
		const socket = new WebSocket(url, { headers: { authorization: `Bearer ${credential ?? token}` } });
		this.agents.push(socket);
		await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
		const waiting = new Map<number, (result: Result) => void>();
		socket.on("message", (data: Buffer) => {
			const { id, result } = JSON.parse(data.toString("utf8")) as { id?: number; result: Result };
			if (id !== undefined) waiting.get(id)?.(result);
		});
		let id = 0;
		const request = async (method: string, params: object): Promise<Result> => {
			const number = ++id;
			socket.send(JSON.stringify({ jsonrpc: "2.0", id: number, method, params }));
			return new Promise((resolve) => waiting.set(number, resolve));
		};
		await request("session.name", { client: name });
		return async (tool, args, more = {}) => request("tools.call", { name: tool, arguments: args, ...more });
	}
}
