/** Finds the bridge of a vault. */

import { normalizePath, type Vault } from "obsidian";
import type { Endpoint } from "../core/rpc/connection";
import { BRIDGE_FILE, parseBridgeFile, parseHostFile } from "../core/wire/discovery";
import { readHostFile } from "./runFolder";

/** Where the bridge of this vault listens, and the host's token; null when no bridge says that it serves the vault. */
export async function locateBridge(vault: Vault): Promise<Endpoint | null> {
	const path = normalizePath(BRIDGE_FILE);
	// The adapter, because the vault does not know files in folders that begin with a dot.
	if (!(await vault.adapter.exists(path))) return null;
	const bridge = parseBridgeFile(await vault.adapter.read(path));
	const host = parseHostFile(await readHostFile(bridge.runDir));
	return { url: host.url, token: host.token };
}
