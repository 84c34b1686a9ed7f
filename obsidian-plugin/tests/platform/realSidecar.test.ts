/** The real bridge, started and stopped the way the plugin does it. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, vi } from "vitest";
import { serve } from "../../src/platform/sidecar";
import { PATIENCE } from "../patience";
import { command, ownCode } from "../ui/realBridge";

vi.mock("obsidian", () => ({ Platform: { isWin: process.platform === "win32" } }));

it.skipIf(command === null)("starts the real bridge for a vault, and leaves no process and no file behind (skipped where it is not installed)", async () => {
	vi.stubGlobal("window", { setTimeout, clearTimeout });
	for (const [name, value] of Object.entries(ownCode)) vi.stubEnv(name, value);
	const vault = mkdtempSync(join(tmpdir(), "vault-bridge-sidecar-"));
	const found = join(vault, ".vault-bridge/bridge.json");
	let over = false;
	const running = serve(command ?? "", vault, () => { over = true; });
	try {
		await vi.waitUntil(() => existsSync(found), { timeout: PATIENCE });
		const { pid } = JSON.parse(readFileSync(found, "utf8")) as { pid: number };
		running.stop();
		await vi.waitUntil(() => !existsSync(found), { timeout: PATIENCE });
		await vi.waitUntil(
			() => {
				try {
					process.kill(pid, 0);
					return false;
				} catch {
					return true;
				}
			},
			{ timeout: PATIENCE },
		);
		await vi.waitUntil(() => over, { timeout: PATIENCE });
	} finally {
		running.stop();
		rmSync(vault, { recursive: true, force: true });
		vi.unstubAllGlobals();
		vi.unstubAllEnvs();
	}
});
