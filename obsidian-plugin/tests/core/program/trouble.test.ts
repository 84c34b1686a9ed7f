import { describe, expect, it } from "vitest";
import { isLasting, isOlder, startTrouble, testOutcome, type End, type TroubleKind } from "../../../src/core/program/trouble";

const PROGRAM = "/opt/vault-bridge";
const unstarted = (code: string): End => ({ kind: "unstarted", code });
const exited = (code: number | null, output = ""): End => ({ kind: "exited", code, output });

describe("why it did not start", () => {
	it.each<[string, End, boolean, TroubleKind, string]>([
		["there is no program", unstarted("ENOENT"), false, "missing", "not installed, or not where Obsidian looks"],
		["the program's Python is gone", unstarted("ENOENT"), true, "no-python", "the Python that it needs is gone"],
		["Windows' launcher has no Python", exited(101, "No Python at '\"C:\\Python312\\python.exe'"), true, "no-python", "the Python that it needs is gone"],
		["its packages are gone", exited(1, "Traceback\nModuleNotFoundError: No module named 'bridge'"), true, "no-python", "Install the bridge again"],
		["it may not be executed", unstarted("EACCES"), true, "forbidden", "does not let Obsidian start"],
		["it is a batch file", unstarted("EINVAL"), true, "wrong", "is no program that can be started"],
		["it knows no serve", exited(2, "Usage: vault-bridge [OPTIONS]"), true, "wrong", "did not understand"],
		["another bridge serves the vault", exited(1, "This vault is already served by process 12\nUse that bridge, or stop it first."), true, "served", "Another bridge serves this vault"],
		["the port is taken", exited(1, "Port 8080 cannot be used: Address already in use"), true, "port", "taken by another program"],
		["the run folder is another user's", exited(1, "/state/run belongs to another user"), true, "other-user", "belongs to another user"],
		["it said nothing", exited(1), true, "ended", "said nothing"],
		["it was killed", exited(null, "half a line"), true, "ended", "ended from outside"],
		["it hangs", { kind: "silent" }, true, "silent", "does not serve this vault"],
	])("%s", (_, end, there, kind, words) => {
		const trouble = startTrouble(PROGRAM, end, there);
		expect(trouble.kind).toBe(kind);
		expect(trouble.text).toContain(words);
	});

	it("is told by the end of what it said, not by all of it", () => {
		const { said } = startTrouble(PROGRAM, exited(1, `${"line\n".repeat(2_000)}the end\n`), true);
		expect(said.length).toBeLessThanOrEqual(1_000);
		expect(said).toMatch(/^line\n.*the end$/s);
	});

	it("is tried again only where that can help", () => {
		const kinds = [exited(1), unstarted("ENOENT"), exited(1, "already served by process 1"), { kind: "silent" } as const];
		expect(kinds.map((end) => isLasting(startTrouble(PROGRAM, end, false)))).toEqual([false, true, true, true]);
	});
});

describe("what a program is that says its version", () => {
	it("is Vault Bridge", () => {
		expect(testOutcome(PROGRAM, exited(0, "vault-bridge 0.1.0 (Vault Bridge for Obsidian)\r\n"), true, "0.1.0")).toEqual({ ok: true, version: "0.1.0" });
		expect(testOutcome(PROGRAM, exited(0, "vault-bridge 0.2.0.dev1 (Vault Bridge for Obsidian)"), true, "0.1.0")).toEqual({ ok: true, version: "0.2.0.dev1" });
	});

	it.each<[string, End, TroubleKind]>([
		["another program of this name", exited(0, "vault-bridge 1.0.4"), "wrong"],
		["a program that prints our line among others", exited(0, "hello\nvault-bridge 0.1.0 (Vault Bridge for Obsidian)"), "wrong"],
		["a program that fails", exited(1, "vault-bridge 0.1.0 (Vault Bridge for Obsidian)"), "wrong"],
		["one that never ends", { kind: "silent" }, "wrong"],
		["an older one", exited(0, "vault-bridge 0.0.9 (Vault Bridge for Obsidian)"), "old"],
		["none", unstarted("ENOENT"), "missing"],
	])("is not, when it is %s", (_, end, kind) => {
		expect(testOutcome(PROGRAM, end, false, "0.1.0")).toMatchObject({ ok: false, trouble: { kind } });
	});
});

it.each([
	["0.1.0", "0.1.0", false],
	["0.1.0", "0.1.1", true],
	["0.9.9", "0.10.0", true],
	["1.0", "1.0.0", false],
	["1.0.0rc1", "1.0.0", false],
	["2", "1.9", false],
])("%s is older than %s: %s", (version, than, older) => {
	expect(isOlder(version, than)).toBe(older);
});
