/** The one file that starts a process: the bridge, when the user has said so and where they have installed it. */

import { spawn, type ChildProcess } from "node:child_process";
import { Platform } from "obsidian";
import type { Running } from "../core/program/supervisor";
import type { End } from "../core/program/trouble";

const MOST_OUTPUT = 4_000;
/** Milliseconds after which a bridge that was asked to stop is made to. */
const PATIENCE = 5_000;
/** Milliseconds in which a program says its version. A scanner may look at it first. */
const VERSION_PATIENCE = 15_000;
/** Milliseconds in which the last words of a process that has ended arrive. */
const LAST_WORDS = 500;

/**
 * Start `program serve --vault FOLDER`. No shell is involved, so the program is a program and nothing else.
 * Its standard input is a pipe that only we hold: when Obsidian is gone, however it went, the bridge reads its end.
 *
 * @param ended - Called once: when the process is over, or could not be started.
 */
export function serve(program: string, vault: string, ended: (end: End) => void): Running {
	const child = start(program, ["serve", "--vault", vault], ended);
	return {
		stop: () => {
			if (!child) return;
			child.stdin?.end();
			// On Windows there is only an end without warning; the end of its input is the bridge's warning.
			if (!Platform.isWin) child.kill();
			const timer = window.setTimeout(() => child.kill("SIGKILL"), PATIENCE);
			child.once("exit", () => { window.clearTimeout(timer); });
		},
	};
}

/** What `program --version` says, on whichever stream. It is ended when it takes too long. */
export async function askVersion(program: string): Promise<End> {
	return new Promise((resolve) => {
		const child = start(program, ["--version"], (end) => {
			window.clearTimeout(timer);
			resolve(end);
		});
		const timer = window.setTimeout(() => {
			resolve({ kind: "silent" });
			child?.kill("SIGKILL");
		}, VERSION_PATIENCE);
	});
}

function start(program: string, words: string[], ended: (end: End) => void): ChildProcess | null {
	let child: ChildProcess;
	const once = onlyOnce(ended);
	try {
		child = spawn(program, words, { stdio: ["pipe", words[0] === "serve" ? "ignore" : "pipe", "pipe"], windowsHide: true, env: { ...process.env, VAULT_BRIDGE_PARENT_PID: String(process.pid) } });
	} catch (error) {
		// What no system call is made for: a batch file on Windows, a path with a NUL.
		window.setTimeout(() => { once({ kind: "unstarted", code: codeOf(error) }); });
		return null;
	}
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8");
		stream?.on("data", (text: string) => { output = (output + text).slice(-MOST_OUTPUT); });
	}
	// A program that ends before it has read leaves a broken pipe; that is no error of ours.
	child.stdin?.on("error", () => undefined);
	child.on("error", (error) => {
		if (child.pid === undefined) once({ kind: "unstarted", code: codeOf(error) });
	});
	child.on("exit", (code) => {
		const end = (): void => { once({ kind: "exited", code, output }); };
		// Its last words may come after its end; what it has started may hold its pipes open for longer.
		child.on("close", end);
		// In two steps: what has come by then is read between them, however long we ourselves were held up.
		window.setTimeout(() => { window.setTimeout(end); }, LAST_WORDS);
	});
	return child;
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}

function onlyOnce(ended: (end: End) => void): (end: End) => void {
	let called = false;
	return (end) => {
		if (called) return;
		called = true;
		ended(end);
	};
}
