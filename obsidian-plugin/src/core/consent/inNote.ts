/** What of the open questions is shown in a note: the one that is about it, and whether it can be answered there. */

import type { ConsentRequest, FilePreview } from "../wire/contract";

/** Lines that come and go beyond which a change is not drawn into a note. */
const MOST_LINES = 1_000;

export function questionsAbout(path: string, requests: readonly ConsentRequest[]): ConsentRequest[] {
	return requests.filter((request) => fileOf(path, request) !== null);
}

export function fileOf(path: string, { preview }: ConsentRequest): FilePreview | null {
	return preview?.files.find((file) => file.path === path && (file.change === "modify" || file.change === "move" || file.change === "delete")) ?? null;
}

export function isDrawable({ change, truncated, added, removed }: FilePreview): boolean {
	return change === "modify" && !truncated && added + removed <= MOST_LINES;
}

/** Whether the note shows all that a yes would be for. */
export function isWhole({ draft, preview, choices }: ConsentRequest): boolean {
	const [file, ...others] = preview?.files ?? [];
	return draft === null && preview?.request === null && others.length === 0 && file !== undefined && isDrawable(file) && choices.includes("allow_once");
}

/** Why the change is not drawn, or not all of it; null when it is. */
export function whyNotWhole(file: FilePreview, request: ConsentRequest): string | null {
	const others = (request.preview?.files.length ?? 1) - 1;
	if (file.change !== "modify") return "Open the question to see all of it.";
	if (!isDrawable(file)) return "The change is too long to be shown here. Open the question to see it.";
	if (others > 0) return `This is one of ${others + 1} files. Open the question to see all of them.`;
	return isWhole(request) ? null : "Open the question to answer it.";
}
