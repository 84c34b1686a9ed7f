/** The one file that starts a process: the bridge, when the user has said so and where they have installed it. */

import { spawn, type ChildProcess } from "node:child_process";

const MOST_OUTPUT = 2_000;
/** Milliseconds after which a bridge that was asked to stop is made to. */
const PATIENCE = 5_000;

/** How the bridge's process ended by itself. */
export interface Ended {
	/** What it said last, for the person. */
	output: string;
}

export class Sidecar {
	private child: ChildProcess | null = null;

	/** @param ended - Called when the process ends without having been stopped, or cannot be started. */
	constructor(private readonly ended: (end: Ended) => void) {}

	get running(): boolean {
		return this.child !== null;
	}

	/**
	 * Start `command serve --vault FOLDER`. No shell is involved, so the command is a program and nothing else.
	 * Its standard input is a pipe that only we hold: when Obsidian is gone, however it went, the bridge reads its end.
	 */
	start(command: string, vault: string): void {
		if (this.child) return;
		const child = spawn(command, ["serve", "--vault", vault], {
			stdio: ["pipe", "ignore", "pipe"],
			windowsHide: true,
			env: { ...process.env, VAULT_BRIDGE_PARENT_PID: String(process.pid) },
		});
		this.child = child;
		let output = "";
		child.stderr.setEncoding("utf8");
		child.stderr.on("data", (text: string) => {
			output = (output + text).slice(-MOST_OUTPUT);
		});
		child.on("error", (error) => {
			this.finish(child, error.message);
		});
		child.on("exit", () => {
			this.finish(child, output);
		});
	}

	/** Stop what was started here; a bridge that someone else started is not ours to stop. */
	stop(): void {
		const child = this.child;
		if (!child) return;
		this.child = null;
		child.stdin?.end();
		child.kill();
		const timer = window.setTimeout(() => child.kill("SIGKILL"), PATIENCE);
		child.once("exit", () => {
			window.clearTimeout(timer);
		});
	}

	private finish(child: ChildProcess, output: string): void {
		if (this.child !== child) return;
		this.child = null;
		this.ended({ output: output.trim() });
	}
}
