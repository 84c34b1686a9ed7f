/** The vault's changes, through the bridge: listing them, showing what one did or taking some back does, and doing it. */

import { momentWords } from "./drafts";
import type { JsonObject } from "./json";
import { shorten } from "./text";
import type { ChangeDiff, ChangeEntry, FilePreview, OutsideNotice, ToolResult, UndoAllParams, UndoneAll } from "./wire/contract";
import { ask, type Request } from "./wire/reading";

export type Direction = "undo" | "redo";

/** What taking a change back, making it again, or mending the links that it broke does. */
export interface Reversal {
	direction: Direction | "mend";
	executionId: string | null;
	summary: string;
	files: FilePreview[];
	warnings: string[];
	/** Whether it is about a change that another program made. */
	outside: boolean;
}

export interface HistoryFilter {
	/** The id of a client; empty: of all. */
	clientId: string;
	/** Who made them without the bridge: only those. */
	origin?: string;
	/** Hours back from now; null: all. */
	hours: number | null;
	/** The id of the answer that allowed them; without one, whatever did. */
	grant?: string;
}

/** How the ids of changes begin that other programs made. */
const OUTSIDE = "outside-";

export const HISTORY_PAGE = 50;
export const HOUR = 3_600_000;

/** The files that the undo of a change leaves, or left, as they are. */
export function leftOf({ left }: ChangeEntry): string[] {
	return left.map(({ path, why }) => `${path} stays as it is: ${why}`);
}

export class History {
	constructor(
		private readonly request: Request,
		private readonly now: () => number,
	) {}

	async list(filter: HistoryFilter, before: string | null): Promise<ChangeEntry[]> {
		const params = { limit: HISTORY_PAGE, ...this.params(filter), ...(before !== null && { before }) };
		return ask(this.request, "history.list", params);
	}

	/** What a change did, whatever became of it since. */
	async diff(executionId: string): Promise<ChangeDiff> {
		return ask(this.request, "history.diff", { executionId });
	}

	/** What undoing all that fits would come to. */
	async foresee(filter: HistoryFilter): Promise<UndoneAll> {
		return this.undoAll({ ...this.params(filter), preview: true });
	}

	/** Undo exactly these changes, newest first. What cannot be undone is named in the answer. */
	async undoThese(executionIds: string[]): Promise<UndoneAll> {
		return this.undoAll({ executionIds });
	}

	/** What undoing or redoing would do. Rejects with the bridge's sentence when it cannot be done. */
	async preview(direction: Direction, executionId: string | null): Promise<Reversal> {
		const args = executionId === null ? {} : { executionId };
		const outside = executionId?.startsWith(OUTSIDE) === true;
		const name = outside ? "history_undo_outside" : `history_${direction}`;
		const preview = await ask(this.request, "tools.preview", { name, arguments: args });
		// What would be done, or the failure that the call would be.
		if (!("plan" in preview)) throw new Error(preview.error ?? preview.text);
		const { plan } = preview;
		if (!("files" in plan)) throw new Error(plan.summary);
		return { direction, executionId, outside, summary: plan.summary, files: plan.files, warnings: plan.warnings };
	}

	/** Do it: the person is here, so the bridge does not ask again. */
	async reverse(direction: Direction, executionId: string | null): Promise<ToolResult> {
		const params = executionId === null ? {} : { executionId };
		return ask(this.request, direction === "undo" ? "history.undo" : "history.redo", params);
	}

	/** What mending the links that a change broke would do, with its digest. Rejects with the bridge's sentence when nothing can be done. */
	async foreseeMending(executionId: string): Promise<Reversal & { plan: string }> {
		const { plan, text, files, warnings } = await ask(this.request, "versions.broken", { executionId });
		if (plan === null) throw new Error(text);
		return { direction: "mend", executionId, summary: text, files, warnings, outside: true, plan };
	}

	async mend(executionId: string, plan: string): Promise<ToolResult> {
		return ask(this.request, "versions.mend", { executionId, plan });
	}

	private async undoAll(params: UndoAllParams): Promise<UndoneAll> {
		return ask(this.request, "history.undoAll", params);
	}

	private params({ clientId, hours, grant, origin }: HistoryFilter): JsonObject {
		return {
			...(grant !== undefined && { grant }),
			...(origin !== undefined && { origin }),
			...(clientId !== "" && { client: clientId }),
			...(hours !== null && { since: new Date(this.now() - hours * HOUR).toISOString() }),
		};
	}
}

const LONGEST = 200;

/** `Another program: 17 notes changed, 3 deleted, 10:02 to 10:03`. */
export function outsideNoticeText({ message, began, ended, unattended }: OutsideNotice, now: number): string {
	const from = momentWords(began ?? "", now);
	const to = momentWords(ended ?? "", now);
	const when = unattended ? " while the bridge was not running" : from === to ? `, ${to}` : `, ${from} to ${to}`;
	return `Another program: ${shorten(message, LONGEST)}${when}`;
}
