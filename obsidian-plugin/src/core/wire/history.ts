/** Changes and tool results, as the bridge tells of them. */

import { boolean, list, number, object, optional, record, string, type JsonObject } from "../json";

export interface HistoryEntry {
	executionId: string;
	tool: string;
	client: string;
	time: string;
	state: string;
	files: string[];
	added: number;
	removed: number;
	canUndo: boolean;
}

export const readHistoryEntry = record<HistoryEntry>({
	executionId: string,
	tool: optional(string, ""),
	client: optional(string, ""),
	time: string,
	state: optional(string, "applied"),
	files: optional(list(string), []),
	added: optional(number, 0),
	removed: optional(number, 0),
	canUndo: optional(boolean, true),
});

export interface ToolResult {
	success: boolean;
	text: string;
	error: string | null;
	errorType: string | null;
	metadata: JsonObject;
}

export const readToolResult = record<ToolResult>({
	success: boolean,
	text: optional(string, ""),
	error: optional(string, null),
	errorType: optional(string, null),
	metadata: optional(object, {}),
});
