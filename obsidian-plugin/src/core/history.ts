/** The vault's changes, through the bridge: listing them, showing what taking one back does, and doing it. */

import { either, pick, readable, record, type JsonObject } from "./json";
import type { ChangeEntry, FilePreview, ToolResult } from "./wire/contract";
import { readChangeEntry, readToolResult, writePlan } from "./wire/readers";

export type Direction = "undo" | "redo";

export interface Reversal {
	direction: Direction;
	executionId: string | null;
	summary: string;
	files: FilePreview[];
	warnings: string[];
}

type Request = (method: string, params?: JsonObject) => Promise<unknown>;

/** What would be done, or the failure that the call would be. */
const readPreview = either(record({ plan: record(pick(writePlan, "summary", "files", "warnings")) }), readToolResult);

/** How many changes the list shows at a time. */
export const HISTORY_PAGE = 50;

export class History {
	constructor(private readonly request: Request) {}

	async list(before: string | null): Promise<ChangeEntry[]> {
		const params = { limit: HISTORY_PAGE, ...(before !== null && { before }) };
		return readable(readChangeEntry)(await this.request("history.list", params), "history.list");
	}

	/** What undoing or redoing would do. Rejects with the bridge's sentence when it cannot be done. */
	async preview(direction: Direction, executionId: string | null): Promise<Reversal> {
		const args = executionId === null ? {} : { executionId };
		const answer = await this.request("tools.preview", { name: `history_${direction}`, arguments: args });
		const preview = readPreview(answer, "tools.preview");
		if (!("plan" in preview)) throw new Error(preview.error ?? preview.text);
		return { direction, executionId, ...preview.plan };
	}

	/** Do it: the person is here, so the bridge does not ask again. */
	async reverse(direction: Direction, executionId: string | null): Promise<ToolResult> {
		const params = executionId === null ? {} : { executionId };
		return readToolResult(await this.request(`history.${direction}`, params), `history.${direction}`);
	}
}
