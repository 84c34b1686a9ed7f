/** The notes of the app: which there are, which is open, what is selected in it, and putting text into it. */

import { MarkdownView, parseLinktext, type App, type TFile } from "obsidian";
import type { Attached, NoteName } from "../../core/chat/compose";
import { tell } from "../notice";

export function noteNames(app: App): NoteName[] {
	return app.vault.getMarkdownFiles().map(({ path, basename }) => ({ path, name: basename }));
}

/** The file that a link in no note leads to; null where there is none. */
export function noteFor(app: App, link: string): TFile | null {
	const { path } = parseLinktext(link);
	return path === "" ? null : app.metadataCache.getFirstLinkpathDest(path, "");
}

/** Open the note that a link leads to. Obsidian would make one that is not there, so it is looked for once more. */
export async function openNote(app: App, link: string): Promise<void> {
	if (noteFor(app, link) === null) tell(`There is no note ${link} any more.`);
	else await app.workspace.openLinkText(link, "", "tab");
}

/** The note that was worked in last, and what is selected in it. */
export function attachedNow(app: App): Attached {
	const view = noteView(app);
	const path = view?.file?.path ?? null;
	const text = view?.getMode() === "source" ? view.editor.getSelection() : "";
	return { note: path, selection: path !== null && text.trim() !== "" ? { path, text } : null };
}

/**
 * Put text where the caret stands in the note that was worked in last. It is one step of the editor's, which its undo
 * takes back.
 */
export function insertIntoNote(app: App, text: string): void {
	const view = noteView(app);
	if (!view?.file) tell("No note is open. Open the one that the text belongs into.");
	else if (view.getMode() !== "source") tell(`${view.file.path} is open for reading. Switch it to editing first.`);
	else {
		view.editor.replaceSelection(text);
		tell(`Inserted into ${view.file.path}.`);
	}
}

function noteView(app: App): MarkdownView | null {
	const view = app.workspace.getMostRecentLeaf()?.view;
	return view instanceof MarkdownView ? view : null;
}
