/** The vault's changes, through the bridge: listing them, showing what taking one back does, and doing it. */

import { list, optional, record, string, type JsonObject } from "./json";
import { readFilePreview, type FilePreview } from "./wire/consent";
import { readHistoryEntry, readToolResult, type HistoryEntry, type ToolResult } from "./wire/history";
import { listIn } from "./wire/session";

export type Direction = "undo" | "redo";

export interface Reversal {
	direction: Direction;
	executionId: string | null;
	summary: string;
	files: FilePreview[];
	warnings: string[];
}

type Request = (method: string, params?: JsonObject) => Promise<unknown>;

const readPlan = record({
	plan: record({ summary: optional(string, ""), files: optional(list(readFilePreview), []), warnings: optional(list(string), []) }),
});

/** How many changes the list shows at a time. */
export const HISTORY_PAGE = 50;

export class History {
	constructor(private readonly request: Request) {}

	async list(before: string | null): Promise<HistoryEntry[]> {
		const params = { limit: HISTORY_PAGE, ...(before !== null && { before }) };
		return listIn(readHistoryEntry, "history", "entries")(await this.request("history.list", params), "history.list");
	}

	/** What undoing or redoing would do. Rejects with the bridge's sentence when it cannot be done. */
	async preview(direction: Direction, executionId: string | null): Promise<Reversal> {
		const args = executionId === null ? {} : { executionId };
		const answer = await this.request("tools.preview", { name: `history_${direction}`, arguments: args });
		const failure = failureOf(answer);
		if (failure) throw new Error(failure.error ?? failure.text);
		return { direction, executionId, ...readPlan(answer, "tools.preview").plan };
	}

	/** Do it: the person is here, so the bridge does not ask again. */
	async reverse(direction: Direction, executionId: string | null): Promise<ToolResult> {
		const params = executionId === null ? {} : { executionId };
		return readToolResult(await this.request(`history.${direction}`, params), `history.${direction}`);
	}
}

function failureOf(answer: unknown): ToolResult | null {
	const shape = record({ success: optional((value: unknown) => value === true, null) })(answer, "tools.preview");
	return shape.success === false ? readToolResult(answer, "tools.preview") : null;
}
