import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Running } from "../../src/core/program/supervisor";
import type { End } from "../../src/core/program/trouble";
import { askVersion, serve } from "../../src/platform/sidecar";
import { PATIENCE } from "../patience";

vi.mock("obsidian", () => ({ Platform: { isWin: process.platform === "win32" } }));

const globals = { window: { setTimeout, clearTimeout } };

let folder: string;
let running: Running | null;
let ended: End[];

beforeEach(() => {
	vi.stubGlobal("window", globals.window);
	folder = mkdtempSync(join(tmpdir(), "vault-bridge-sidecar-"));
	ended = [];
	running = null;
});
afterEach(() => {
	running?.stop();
	vi.unstubAllGlobals();
	rmSync(folder, { recursive: true, force: true });
});

/** A program that writes its arguments and process id down, and then does what the test wants; and what it does first. */
function program(rest: string, first = ""): string {
	const path = join(folder, "bridge");
	writeFileSync(path, `#!/bin/sh\n${first}\nprintf '%s\\n' "$@" > "${folder}/arguments"\necho $$ > "${folder}/pid"\n${rest}\n`);
	chmodSync(path, 0o755);
	return path;
}
const pid = (): number => Number(readFileSync(join(folder, "pid"), "utf8"));
const alive = (id: number): boolean => {
	try {
		process.kill(id, 0);
		return true;
	} catch {
		return false;
	}
};
const until = async (condition: () => boolean): Promise<boolean> => vi.waitUntil(condition, { timeout: PATIENCE });
const started = async (): Promise<boolean> => until(() => existsSync(join(folder, "pid")) && pid() > 0);

const start = (path: string, vault = folder): void => {
	const ends = ended;
	running = serve(path, vault, (end) => { ends.push(end); });
};

describe.skipIf(process.platform === "win32")("a bridge that is started with Obsidian", () => {
	it("is told which vault, without a shell that could read more into it", async () => {
		start(program("exec sleep 60"), "/my vault; rm -rf $HOME");
		await started();
		expect(readFileSync(join(folder, "arguments"), "utf8")).toBe("serve\n--vault\n/my vault; rm -rf $HOME\n");
	});

	it("is gone when it is stopped, and says so once", async () => {
		start(program("exec sleep 60"));
		await started();
		const id = pid();
		running?.stop();
		await until(() => !alive(id) && ended.length > 0);
		expect(ended).toEqual([{ kind: "exited", code: null, output: "" }]);
	});

	it("reads the end of its input when it is to stop", async () => {
		start(program("cat; exit 0", "trap '' TERM"));
		await started();
		running?.stop();
		await until(() => ended.length > 0);
		expect(ended[0]).toMatchObject({ kind: "exited", code: 0 });
	});

	it("leaves its last words when it stops by itself", async () => {
		start(program("echo 'Another bridge serves this vault' >&2; exit 1"));
		await until(() => ended.length > 0);
		expect(ended).toEqual([{ kind: "exited", code: 1, output: "Another bridge serves this vault\n" }]);
	});

	it("has ended also when what it started goes on", async () => {
		start(program("sleep 3 & echo over >&2; exit 1"));
		await until(() => ended.length > 0);
		expect(ended).toEqual([{ kind: "exited", code: 1, output: "over\n" }]);
	});

	it.each([
		["nothing", null, "ENOENT"],
		["a file that may not be executed", 0o644, "EACCES"],
	])("cannot be started from %s", async (name, mode, code) => {
		if (mode !== null) writeFileSync(join(folder, name), "", { mode });
		start(join(folder, name));
		await until(() => ended.length > 0);
		expect(ended).toEqual([{ kind: "unstarted", code }]);
	});

	it("cannot be started from a path that no system takes", async () => {
		start(join(folder, "a\0b"));
		expect(ended).toEqual([]);
		await until(() => ended.length > 0);
		expect(ended).toEqual([{ kind: "unstarted", code: "ERR_INVALID_ARG_VALUE" }]);
	});
});

describe.skipIf(process.platform === "win32")("asking a program for its version", () => {
	it("gives what it said", async () => {
		expect(await askVersion(program("echo \"vault-bridge 0.1.0\""))).toEqual({ kind: "exited", code: 0, output: "vault-bridge 0.1.0\n" });
		expect(readFileSync(join(folder, "arguments"), "utf8")).toBe("--version\n");
	});

	it("takes a bounded time, after which the program is ended", async () => {
		const { window } = globals;
		let first = true;
		const setTimeout = (callback: () => void, milliseconds?: number): void => {
			if (first) void started().then(callback);
			else window.setTimeout(callback, milliseconds);
			first = false;
		};
		vi.stubGlobal("window", { setTimeout, clearTimeout });
		expect(await askVersion(program("exec sleep 60"))).toEqual({ kind: "silent" });
		await until(() => !alive(pid()));
	});
});
