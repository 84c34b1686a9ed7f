/** Finds the bridge of a vault. */

import { FileSystemAdapter, normalizePath, type Vault } from "obsidian";
import { ShapeError } from "../core/json";
import { NotHere, type Endpoint } from "../core/rpc/connection";
import { BRIDGE_FILE, parseBridgeFile, parseHostFile } from "../core/wire/discovery";
import { isSameFolder, readHostFile } from "./outside";

/**
 * Where the bridge of this vault listens, and the host's token; null when no bridge says that it serves the vault.
 *
 * @throws NotHere when what is said is not about this computer; an Error for people when it cannot be used.
 */
export async function locateBridge(vault: Vault): Promise<Endpoint | null> {
	const path = normalizePath(BRIDGE_FILE);
	// The adapter, because the vault does not know files in folders that begin with a dot.
	if (!(await vault.adapter.exists(path))) return null;
	const folder = folderOf(vault);
	const bridge = read(path, parseBridgeFile, await vault.adapter.read(path));
	const host = read("host.json", parseHostFile, await readHostFile(bridge.runDir, folder));
	if (host.vault !== "" && !(await isSameFolder(host.vault, folder))) {
		throw new NotHere(`The bridge that is named in ${path} serves another folder: ${host.vault}. The file was copied along with the vault. Start the bridge for this one.`);
	}
	return { url: host.url, token: host.token };
}

export function folderOf(vault: Vault): string {
	return vault.adapter instanceof FileSystemAdapter ? vault.adapter.getBasePath() : "";
}

function read<T>(name: string, parse: (text: string) => T, text: string): T {
	try {
		return parse(text);
	} catch (error) {
		if (!(error instanceof SyntaxError || error instanceof ShapeError)) throw error;
		throw new Error(`${name} is damaged, or of another version of the bridge (${error.message}). Stop the bridge and start it again; if that does not help, update both.`);
	}
}
