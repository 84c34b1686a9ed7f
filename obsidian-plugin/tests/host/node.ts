/**
 * What Electron gives the page of Node: real files, real processes, in the test process on the page's behalf. Which
 * system it is, is a switch of the test; what depends on it here depends on it there.
 */

export type System = "linux" | "macos" | "windows";

/** The computer that the page believes it runs on. */
export interface HostMachine {
	system: System;
	env: Record<string, string>;
	/** Null on Windows, which has no such numbers. */
	uid: number | null;
	pid: number;
}

/** What the test process says of a file. */
export interface HostStat {
	dev: string;
	ino: string;
	uid: number;
	mode: number;
	kind: "file" | "folder" | "other";
}

type Failure = { code: string; message: string } | null;
type Listener = (...data: never[]) => void;

declare global {
	interface Window {
		hostFile: (action: "read" | "stat" | "realpath", path: string) => Promise<{ failure: Failure; value: unknown }>;
		hostSpawn: (id: number, program: string, words: string[], env: Record<string, string>) => Promise<void>;
		hostSignal: (id: number, action: "end" | "SIGTERM" | "SIGKILL") => Promise<void>;
		/** Called by the test process. */
		hostChild: (id: number, event: string, data: unknown) => void;
		/** Bytes that the page's process has, as the test process sees it. */
		hostMemory?: number;
		/** Paths of the files that a test has the person choose, by name. */
		hostChosen: Record<string, string>;
	}
}

function failed({ code, message }: { code: string; message: string }): Error {
	return Object.assign(new Error(message), { code });
}

async function file<T>(action: "read" | "stat" | "realpath", path: string): Promise<T> {
	const { failure, value } = await window.hostFile(action, path);
	if (failure) throw failed(failure);
	return value as T;
}

class Emitting {
	private readonly listeners: [string, Listener, boolean][] = [];

	on(name: string, listener: Listener): this {
		this.listeners.push([name, listener, false]);
		return this;
	}

	once(name: string, listener: Listener): this {
		this.listeners.push([name, listener, true]);
		return this;
	}

	emit(name: string, ...data: unknown[]): void {
		for (const entry of [...this.listeners]) {
			if (entry[0] !== name) continue;
			if (entry[2]) this.listeners.splice(this.listeners.indexOf(entry), 1);
			(entry[1] as (...all: unknown[]) => void)(...data);
		}
		if (name === "error" && !this.listeners.some(([one]) => one === name)) throw data[0];
	}
}

class Stream extends Emitting {
	setEncoding(): void {
		// Text is all that comes.
	}
}

const children = new Map<number, Child>();

class Child extends Emitting {
	pid: number | undefined;
	exitCode: number | null = null;
	readonly stdout: Stream | null;
	readonly stderr = new Stream();
	readonly stdin: Emitting & { end: () => void };

	constructor(
		private readonly id: number,
		stdio: string[],
	) {
		super();
		this.stdout = stdio[1] === "pipe" ? new Stream() : null;
		this.stdin = Object.assign(new Emitting(), { end: () => { void window.hostSignal(id, "end"); } });
	}

	kill(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): boolean {
		void window.hostSignal(this.id, signal);
		return true;
	}
}

function spawn(machine: HostMachine, program: string, words: string[], options: { stdio: string[]; env: Record<string, string>; shell?: unknown }): Child {
	if (options.shell !== undefined) throw new Error("the plugin promises to use no shell");
	// What Node refuses without asking the system.
	if (program.includes("\0")) throw failed({ code: "ERR_INVALID_ARG_VALUE", message: "a path holds no NUL" });
	if (machine.system === "windows" && /\.(bat|cmd)$/i.test(program)) throw failed({ code: "EINVAL", message: "spawn EINVAL" });
	const id = children.size + 1;
	const child = new Child(id, options.stdio);
	children.set(id, child);
	void window.hostSpawn(id, program, words, options.env);
	return child;
}

window.hostChild = (id, event, data) => {
	const child = children.get(id);
	if (!child) return;
	if (event === "spawn") child.pid = data as number;
	else if (event === "error") child.emit("error", failed(data as { code: string; message: string }));
	else if (event === "stdout" || event === "stderr") child[event]?.emit("data", data);
	else {
		child.exitCode = data as number | null;
		child.emit(event, data);
	}
};

/** The modules by the names that a bundle requires. */
export function nodeModules(machine: HostMachine): Record<string, unknown> {
	const windows = machine.system === "windows";
	const separator = "/"; // Windows takes it as well
	// The files of a test are those of the computer that it runs on, so both separators part a path.
	const parts = (path: string): string[] => path.split(windows ? /[\\/]/ : "/").filter((part) => part !== "");
	return {
		"node:fs/promises": {
			readFile: async (path: string) => file<string>("read", path),
			realpath: async (path: string) => file<string>("realpath", path),
			stat: async (path: string, { bigint = false } = {}) => {
				const { dev, ino, uid, mode, kind } = await file<HostStat>("stat", path);
				const number = (text: string): number | bigint => (bigint ? BigInt(text) : Number(text));
				// Windows shows no owner, and makes up a mode that everybody may read.
				return { dev: number(dev), ino: number(ino), uid: windows ? 0 : uid, mode: windows ? 0o100666 : mode, isFile: () => kind === "file", isDirectory: () => kind === "folder" };
			},
		},
		"node:path": {
			join: (...all: string[]) => all.join(separator),
			isAbsolute: (path: string) => (windows ? /^([a-z]:|[\\/])/i : /^\//).test(path),
			relative: (from: string, to: string) => {
				const [left, right] = [parts(from), parts(to)];
				const common = left.findIndex((part, index) => part !== right[index]);
				const shared = common < 0 ? left.length : common;
				return [...left.slice(shared).map(() => ".."), ...right.slice(shared)].join(separator);
			},
		},
		"node:child_process": { spawn: (program: string, words: string[], options: { stdio: string[]; env: Record<string, string> }) => spawn(machine, program, words, options) },
		electron: { webUtils: { getPathForFile: ({ name }: File) => window.hostChosen[name] ?? "" } },
	};
}

/** Electron's `process`. */
export function nodeProcess({ env, uid, pid }: HostMachine): object {
	return { env, pid, memoryUsage: { rss: () => window.hostMemory ?? 0 }, ...(uid !== null && { getuid: () => uid }) };
}
