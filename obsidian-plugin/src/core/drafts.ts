/** What clients have staged and nobody has written: the list as the bridge has it, and what is said of it. */

import { dayLabel } from "./days";
import { Listing } from "./listing";
import type { DraftInfo, DraftPreview } from "./wire/contract";
import { readDraftInfo, readDraftPreview } from "./wire/readers";
import type { Request } from "./wire/request";
import { counted } from "./text/shorten";

export class Drafts extends Listing<DraftInfo> {
	constructor(request: Request) {
		super(request, "drafts.list", readDraftInfo);
	}

	/** What taking a draft would do, as the vault is now. */
	async preview(draftId: string): Promise<DraftPreview> {
		return readDraftPreview(await this.request("drafts.preview", { draftId }), "drafts.preview");
	}

	/** End a draft; nothing of it is written. */
	async discard(draftId: string): Promise<void> {
		await this.request("drafts.discard", { draftId });
	}
}

/** Whose a draft is, at the beginning of a sentence. */
export function drafterOf({ client }: { client: string }): string {
	return client.charAt(0).toUpperCase() + client.slice(1);
}

/** `Claude Code is drafting: 12 files`. Null where nobody is: what is handed in waits in the inbox. */
export function draftingText(all: readonly DraftInfo[]): string | null {
	const drafts = all.filter((draft) => draft.state !== "handed_in");
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
