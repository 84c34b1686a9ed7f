/** The real bridge, started and stopped the way the plugin does it. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { Sidecar } from "../../src/platform/sidecar";
import { command, ownCode } from "../ui/realBridge";

it.skipIf(command === null)("starts the real bridge for a vault, and leaves no process and no file behind (skipped where it is not installed)", { timeout: 30_000 }, async () => {
	vi.stubGlobal("window", { setTimeout, clearTimeout });
	for (const [name, value] of Object.entries(ownCode)) vi.stubEnv(name, value);
	const vault = mkdtempSync(join(tmpdir(), "vault-bridge-sidecar-"));
	const found = join(vault, ".vault-bridge/bridge.json");
	const sidecar = new Sidecar(() => undefined);
	try {
		sidecar.start(command ?? "", vault);
		await vi.waitUntil(() => existsSync(found), { timeout: 20_000 });
		const { pid } = JSON.parse(readFileSync(found, "utf8")) as { pid: number };
		sidecar.stop();
		await vi.waitUntil(() => !existsSync(found), { timeout: 10_000 });
		await vi.waitUntil(
			() => {
				try {
					process.kill(pid, 0);
					return false;
				} catch {
					return true;
				}
			},
			{ timeout: 10_000 },
		);
		expect(sidecar.running).toBe(false);
	} finally {
		sidecar.stop();
		rmSync(vault, { recursive: true, force: true });
		vi.unstubAllGlobals();
		vi.unstubAllEnvs();
	}
});
