import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readHostFile } from "../../src/platform/runFolder";

vi.mock("obsidian", () => ({ Platform: { isWin: false } }));

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), "vault-bridge-run-")); });
afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

describe.skipIf(process.platform === "win32")("the host's token", () => {
	it("is read from a file that only the user can read", async () => {
		writeFileSync(join(folder, "host.json"), "{}", { mode: 0o600 });
		expect(await readHostFile(folder)).toBe("{}");
	});

	it.each([0o640, 0o604])("is not read from a file with mode %o", async (mode) => {
		writeFileSync(join(folder, "host.json"), "{}");
		chmodSync(join(folder, "host.json"), mode);
		await expect(readHostFile(folder)).rejects.toThrow("can be read by other users");
	});
});
