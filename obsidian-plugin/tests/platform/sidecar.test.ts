import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Sidecar, type Ended } from "../../src/platform/sidecar";

let folder: string;
let sidecar: Sidecar;
let ended: Ended[];

beforeEach(() => {
	vi.stubGlobal("window", { setTimeout, clearTimeout });
	folder = mkdtempSync(join(tmpdir(), "vault-bridge-sidecar-"));
	ended = [];
	sidecar = new Sidecar((end) => ended.push(end));
});
afterEach(() => {
	sidecar.stop();
	vi.unstubAllGlobals();
	rmSync(folder, { recursive: true, force: true });
});

/** A program that writes its arguments and process id down, and then does what the test wants. */
function program(rest: string): string {
	const path = join(folder, "bridge");
	writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/arguments"\necho $$ > "${folder}/pid"\n${rest}\n`);
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
const started = async (): Promise<boolean> => vi.waitUntil(() => existsSync(join(folder, "pid")) && pid() > 0);

describe.skipIf(process.platform === "win32")("a bridge that is started with Obsidian", () => {
	it("is told which vault, without a shell that could read more into it", async () => {
		sidecar.start(program("exec sleep 60"), "/my vault; rm -rf $HOME");
		await started();
		expect(readFileSync(join(folder, "arguments"), "utf8")).toBe("serve\n--vault\n/my vault; rm -rf $HOME\n");
	});

	it("is gone when the plugin is unloaded", async () => {
		sidecar.start(program("exec sleep 60"), folder);
		await started();
		const id = pid();
		sidecar.stop();
		await vi.waitUntil(() => !alive(id));
		expect([sidecar.running, ended]).toEqual([false, []]);
	});

	it("is started once", async () => {
		const path = program("exec sleep 60");
		sidecar.start(path, folder);
		await started();
		const id = pid();
		sidecar.start(path, folder);
		expect(pid()).toBe(id);
	});

	it("leaves its last words when it stops by itself", async () => {
		sidecar.start(program("echo 'Another bridge serves this vault' >&2; exit 1"), folder);
		await vi.waitUntil(() => ended.length > 0);
		expect(ended).toEqual([{ output: "Another bridge serves this vault" }]);
	});

	it("is not there when there is no such program", async () => {
		sidecar.start(join(folder, "nothing"), folder);
		await vi.waitUntil(() => ended.length > 0);
		expect(ended[0]?.output).toContain("ENOENT");
		expect(sidecar.running).toBe(false);
	});
});
