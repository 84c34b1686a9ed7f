/** What the bridge asks of the plugin (`host.*`), as far as it comes in; the answers are in `contract.ts`. */

import { list, number, object, optional, record, ShapeError, string, type JsonObject, type Reader } from "../json";
import type { DirtyQuestion, HostWrite, TrashQuestion, WriteQuestion } from "./contract";

/** ISO 8601. */
const time: Reader<string> = (value, path) => {
	const text = string(value, path);
	if (Number.isNaN(Date.parse(text))) throw new ShapeError(path, "a time");
	return text;
};

export const readDirtyParams = record<DirtyQuestion>({ paths: list(string) });

export const readWriteParams = record<WriteQuestion>({
	changes: list(record<HostWrite>({ path: string, expected: string, content: string })),
	expiresAt: time,
});

export const readTrashParams = record<TrashQuestion>({ paths: list(string) });

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
