/** The one file that reads outside the vault: what the bridge keeps in folders of the user (vaults are synced), and which programs there are. */

import { readFile, realpath, stat } from "node:fs/promises";
import { join, relative, isAbsolute } from "node:path";
import { Platform } from "obsidian";
import { NotHere } from "../core/rpc/connection";
import { thisMachine } from "./machine";

const OTHERS_MAY_READ = 0o077;
const ELSEWHERE = "No bridge runs on this computer. The vault says that one does, but that note was synced from another computer.";
const ENDED = "No bridge runs. The last one ended without tidying up, as after a crash or a power cut.";

/**
 * The text of `host.json` in the bridge's run folder. The folder is named by a file in the vault, which may be synced:
 * so the file must be the user's own, closed to others, and outside the vault.
 *
 * @param vault - The vault's folder.
 * @throws NotHere when nothing is there; an Error that says what is wrong with what is.
 */
export async function readHostFile(runDir: string, vault: string): Promise<string> {
	const path = join(runDir, "host.json");
	let real: string;
	try {
		real = await realpath(path);
		if (liesIn(real, await realpath(vault))) throw new Error("The vault names a folder within itself for the bridge's token. No bridge does that, so nothing was read. Delete .vault-bridge/bridge.json, and start the bridge.");
		await refuseOthers(real);
		return await readFile(real, { encoding: "utf8" });
	} catch (error) {
		throw await explained(error, runDir);
	}
}

/** Whether two paths name one folder, whatever they are spelled like. */
export async function isSameFolder(left: string, right: string): Promise<boolean> {
	try {
		const [one, other] = await Promise.all([stat(left, { bigint: true }), stat(right, { bigint: true })]);
		return one.dev === other.dev && one.ino === other.ino;
	} catch {
		return false;
	}
}

export async function isFile(path: string): Promise<boolean> {
	try {
		return (await stat(path)).isFile();
	} catch {
		return false;
	}
}

export async function isFolder(path: string): Promise<boolean> {
	try {
		return (await stat(path)).isDirectory();
	} catch {
		return false;
	}
}

/** The text of a file of the user's own that nobody else may read; null where there is none. */
export async function readOwnFile(path: string): Promise<string | null> {
	try {
		await refuseOthers(path);
		return await readFile(path, { encoding: "utf8" });
	} catch {
		return null;
	}
}

async function refuseOthers(path: string): Promise<void> {
	if (Platform.isWin) {
		// Windows shows no owner here. What lies in the profile is closed to other users; anything else may not be.
		const { home, env } = thisMachine();
		const places = await Promise.all([home, env["LOCALAPPDATA"], env["VAULT_BRIDGE_STATE"]].filter((place): place is string => Boolean(place)).map(async (place) => realpath(place).catch(() => place)));
		if (!places.some((place) => liesIn(path.toLowerCase(), place.toLowerCase()))) {
			throw new Error("The bridge's host.json lies outside your own folder, where other users of this computer may have put it. Start the bridge as yourself, without VAULT_BRIDGE_STATE.");
		}
		return;
	}
	const { uid, mode } = await stat(path);
	if (uid !== process.getuid?.()) throw new Error("The bridge of this vault was started by another user of this computer, so this window cannot use it. Stop it there, and start it as yourself.");
	if ((mode & OTHERS_MAY_READ) !== 0) throw new Error("The bridge's host.json can be read by other users of this computer, so it was not used. Stop the bridge and start it again: it makes the file anew, for you alone.");
}

async function explained(error: unknown, runDir: string): Promise<unknown> {
	const code = error instanceof Error && "code" in error ? error.code : null;
	if (code === "ENOENT" || code === "ENOTDIR") return new NotHere((await isFolder(runDir)) ? ENDED : ELSEWHERE);
	if (code === "EACCES" || code === "EPERM") return new Error("The bridge's run folder belongs to another user of this computer. Stop that bridge there, and start one as yourself.");
	return error;
}

function liesIn(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
