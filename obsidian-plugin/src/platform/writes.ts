/** Writing and deleting on the bridge's behalf. It has asked already; here only what is there is compared with what should be. */

import { normalizePath, type App, type TFile } from "obsidian";
import type { Clock } from "../core/clock";
import type { HostWrite, TrashAnswer, TrashQuestion, WriteAnswer, WriteQuestion, WriteResult } from "../core/wire/contract";
import { dirtyFiles } from "./editors";

const BYTE_ORDER_MARK = "\ufeff";

/** Whether the bridge has gone on without us, so that nothing may be written any more. */
type Late = () => boolean;

export async function writeFiles(app: App, { changes, expiresAt }: WriteQuestion, clock: Clock): Promise<WriteAnswer> {
	const late: Late = () => clock.now() >= Date.parse(expiresAt);
	const results: WriteAnswer["results"] = [];
	for (const change of changes) results.push({ path: change.path, outcome: await writeFile(app, change, late) });
	return { results };
}

export async function trashFiles(app: App, { paths }: TrashQuestion): Promise<TrashAnswer> {
	const results: TrashAnswer["results"] = [];
	for (const path of paths) {
		const file = app.vault.getAbstractFileByPath(normalizePath(path));
		if (!file) {
			results.push({ path, outcome: "missing" });
			continue;
		}
		try {
			await app.fileManager.trashFile(file);
			results.push({ path, outcome: "trashed" });
		} catch (error) {
			console.error("Vault Bridge:", error);
			results.push({ path, outcome: "failed" });
		}
	}
	return { results };
}

async function writeFile(app: App, change: HostWrite, late: Late): Promise<WriteResult["outcome"]> {
	const file = app.vault.getFileByPath(normalizePath(change.path));
	if (!file) return "missing";
	try {
		if ((await dirtyFiles(app, [file.path])).unsaved.length > 0) return "unsaved";
		return await replaceText(app, file, change, late);
	} catch (error) {
		console.error("Vault Bridge:", error);
		return "failed";
	}
}

/** Hashing takes a turn of the event loop, and `process` none: so the text that was hashed is compared once more inside it. */
async function replaceText(app: App, file: TFile, change: HostWrite, late: Late): Promise<WriteResult["outcome"]> {
	const bytes = await app.vault.readBinary(file);
	if ((await sha256(bytes)) !== change.expected.replace(/^sha256:/, "")) return "stale";
	const before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	// Obsidian drops the mark when it reads and would not write it again.
	if (before.startsWith(BYTE_ORDER_MARK) || change.content.startsWith(BYTE_ORDER_MARK)) return "failed";
	if (late()) return "failed";
	let outcome: WriteResult["outcome"] = "stale";
	await app.vault.process(file, (current) => {
		// It may have waited for another write of the same note.
		if (late()) {
			outcome = "failed";
			return current;
		}
		if (current !== before) return current;
		outcome = "written";
		return change.content;
	});
	return outcome;
}

export async function sha256(bytes: ArrayBuffer): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", bytes);
	return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
