import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NotHere } from "../../src/core/rpc/connection";
import { isSameFolder, readHostFile, readOwnFile } from "../../src/platform/outside";

const { Platform } = vi.hoisted(() => ({ Platform: { isWin: false, isMacOS: false } }));
vi.mock("obsidian", () => ({ Platform }));

let top: string;
let folder: string;
let vault: string;
beforeEach(() => {
	top = realpathSync(mkdtempSync(join(tmpdir(), "vault-bridge-run-")));
	[folder, vault] = [join(top, "run"), join(top, "Vault")];
	mkdirSync(folder);
	mkdirSync(vault);
});
afterEach(() => {
	Platform.isWin = false;
	vi.unstubAllEnvs();
	rmSync(top, { recursive: true, force: true });
});

const put = (place: string, mode = 0o600): void => {
	writeFileSync(join(place, "host.json"), "{}");
	chmodSync(join(place, "host.json"), mode);
};

describe.skipIf(process.platform === "win32")("the host's token", () => {
	it("is read from a file that only the user can read", async () => {
		put(folder);
		expect(await readHostFile(folder, vault)).toBe("{}");
	});

	it.each([0o640, 0o604])("is not read from a file with mode %o", async (mode) => {
		put(folder, mode);
		await expect(readHostFile(folder, vault)).rejects.toThrow("can be read by other users");
	});

	it("is not read from a file of another user", async () => {
		put(folder);
		const own = process.getuid?.() ?? 0;
		const getuid = vi.spyOn(process, "getuid").mockReturnValue(own + 1);
		await expect(readHostFile(folder, vault)).rejects.toThrow("another user");
		getuid.mockRestore();
	});

	it("is not read from within the vault, also not by a link that leads there", async () => {
		put(vault);
		await expect(readHostFile(vault, vault)).rejects.toThrow("within itself");
		symlinkSync(vault, join(top, "link"));
		await expect(readHostFile(join(top, "link"), vault)).rejects.toThrow("within itself");
	});

	it("is not here when the folder is another computer's, or the bridge has crashed", async () => {
		const elsewhere = readHostFile("/home/somebody-else/state/run/0123", vault);
		await expect(elsewhere).rejects.toThrow(NotHere);
		await expect(elsewhere).rejects.toThrow("synced from another computer");
		const crashed = readHostFile(folder, vault);
		await expect(crashed).rejects.toThrow(NotHere);
		await expect(crashed).rejects.toThrow("ended without tidying up");
	});
});

describe("on Windows, where files show no owner", () => {
	it.each([
		["USERPROFILE", true],
		["LOCALAPPDATA", true],
		["VAULT_BRIDGE_STATE", true],
		["SOMETHING", false],
	])("a token below %s is read: %s", async (name, isRead) => {
		Platform.isWin = true;
		vi.stubEnv("USERPROFILE", join(top, "nobody"));
		vi.stubEnv("LOCALAPPDATA", join(top, "nobody", "AppData"));
		vi.stubEnv(name, join(top, "run"));
		put(folder, 0o666);
		const read = readHostFile(folder, vault);
		if (isRead) expect(await read).toBe("{}");
		else await expect(read).rejects.toThrow("outside your own folder");
	});
});

describe.skipIf(process.platform === "win32")("the note of where the program lies", () => {
	it("is believed only when nobody else could have written or read it", async () => {
		put(folder);
		expect(await readOwnFile(join(folder, "host.json"))).toBe("{}");
		put(folder, 0o666);
		expect(await readOwnFile(join(folder, "host.json"))).toBeNull();
		expect(await readOwnFile(join(folder, "none.json"))).toBeNull();
	});
});

it("knows a folder by any of its names", async () => {
	symlinkSync(vault, join(top, "same"));
	expect(await isSameFolder(vault, join(top, "same"))).toBe(true);
	expect(await isSameFolder(vault, folder)).toBe(false);
	expect(await isSameFolder(vault, join(top, "none"))).toBe(false);
});
