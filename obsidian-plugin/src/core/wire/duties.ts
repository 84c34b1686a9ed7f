/** What the bridge asks of the plugin (`host.*`), and the answers. */

import { list, number, object, optional, record, string, type JsonObject } from "../json";

export const readDirtyParams = record<{ paths: string[] }>({ paths: list(string) });

/** Which of the files asked about are open in an editor, and which of those hold text that is not on disk yet. */
export interface DirtyAnswer {
	open: string[];
	unsaved: string[];
}

/** One file that is open in an editor: write `content` if it still holds what `expected` names. */
export interface HostWrite {
	path: string;
	/** sha256 of the bytes as they are, in hex. */
	expected: string;
	content: string;
}

export const readWriteParams = record<{ changes: HostWrite[] }>({
	changes: list(record<HostWrite>({ path: string, expected: string, content: string })),
});

/**
 * - `written`: the file now holds `content`.
 * - `stale`: it held something else than `expected`, and still does.
 * - `unsaved`: an editor holds text for it that is not on disk yet; nothing was written.
 * - `missing`: there is no such file.
 * - `failed`: Obsidian could not write it.
 */
export type WriteOutcome = "written" | "stale" | "unsaved" | "missing" | "failed";

export interface WriteAnswer {
	results: { path: string; outcome: WriteOutcome }[];
}

export const readTrashParams = record<{ paths: string[] }>({ paths: list(string) });

export interface TrashAnswer {
	results: { path: string; outcome: "trashed" | "missing" | "failed" }[];
}

export interface BrowserToolParams {
	code: string;
	parameters: JsonObject;
	/** Seconds. */
	timeout: number;
}

export const readBrowserToolParams = record<BrowserToolParams>({
	code: string,
	parameters: optional(object, {}),
	timeout: optional(number, 30),
});
