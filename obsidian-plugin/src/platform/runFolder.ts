/** The one file that reads outside the vault: the host's token lies in a folder of the user (vaults are synced). */

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Platform } from "obsidian";

const OTHERS_MAY_READ = 0o077;

/** The text of `host.json` in the bridge's run folder. Refuses a file that somebody else could have put or read there. */
export async function readHostFile(runDir: string): Promise<string> {
	const path = join(runDir, "host.json");
	if (!Platform.isWin) {
		const { uid, mode } = await stat(path);
		if (uid !== process.getuid?.()) throw new Error("The bridge's host.json belongs to another user of this computer.");
		if ((mode & OTHERS_MAY_READ) !== 0) throw new Error("The bridge's host.json can be read by other users of this computer.");
	}
	return readFile(path, { encoding: "utf8" });
}
