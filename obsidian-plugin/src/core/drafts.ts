/** What clients have staged and nobody has written: the list as the bridge has it, and what is said of it. */

import { dayLabel } from "./days";
import { Emitter } from "./emitter";
import { readable } from "./json";
import type { DraftInfo, DraftPreview } from "./wire/contract";
import { readDraftInfo, readDraftPreview } from "./wire/readers";
import type { Request } from "./wire/request";

export class Drafts {
	/** There are others, or they are known no longer. */
	readonly changed = new Emitter<null>();
	private drafts: readonly DraftInfo[] | null = null;
	private asked = 0;

	constructor(private readonly request: Request) {}

	/** Oldest first; null while they are not known. */
	get all(): readonly DraftInfo[] | null {
		return this.drafts;
	}

	/** Ask for them anew. What was asked before does not count any more. */
	async refresh(): Promise<void> {
		const asked = ++this.asked;
		const drafts = readable(readDraftInfo)(await this.request("drafts.list"), "drafts.list");
		if (asked === this.asked) this.take(drafts);
	}

	/** The bridge is gone. */
	forget(): void {
		this.asked++;
		this.take(null);
	}

	/** What taking a draft would do, as the vault is now. */
	async preview(draftId: string): Promise<DraftPreview> {
		return readDraftPreview(await this.request("drafts.preview", { draftId }), "drafts.preview");
	}

	/** End a draft; nothing of it is written. */
	async discard(draftId: string): Promise<void> {
		await this.request("drafts.discard", { draftId });
	}

	private take(drafts: readonly DraftInfo[] | null): void {
		this.drafts = drafts;
		this.changed.emit(null);
	}
}

/** Whose a draft is, at the beginning of a sentence. */
export function drafterOf({ client }: DraftInfo): string {
	return client.charAt(0).toUpperCase() + client.slice(1);
}

/** `Claude Code is drafting: 12 files`. Null where nobody is. */
export function draftingText(drafts: readonly DraftInfo[]): string | null {
	const [first] = drafts;
	if (!first) return null;
	const clients = new Set(drafts.map((draft) => draft.clientId)).size;
	const who = clients === 1 ? `${drafterOf(first)} is` : `${clients} programs are`;
	const files = drafts.reduce((sum, draft) => sum + draft.files.length, 0);
	return files === 0 ? `${who} drafting` : `${who} drafting: ${counted(files, "file")}`;
}

/** `3 changes staged, in 12 files`. */
export function stagedText({ steps, files }: DraftInfo): string {
	if (steps.length === 0) return "Nothing is staged yet";
	return `${counted(steps.length, "change")} staged, in ${counted(files.length, "file")}`;
}

/** `14:05`, `yesterday 14:05`, or with the date. */
export function momentWords(iso: string, now: number): string {
	const date = new Date(iso);
	const day = dayLabel(iso, now);
	if (Number.isNaN(date.getTime())) return day;
	const time = date.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
	if (day === "Today") return time;
	return `${day === "Yesterday" ? "yesterday" : day} ${time}`;
}

function counted(count: number, what: string): string {
	return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
