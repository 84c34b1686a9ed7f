/** What is open in editors, and whether it holds text that is not on disk yet. */

import { TextFileView, type App, type TFile } from "obsidian";
import type { DirtyAnswer } from "../core/wire/contract";

/** Which of `paths` are open in an editor, and which of those hold text that is not on disk yet. */
export async function dirtyFiles(app: App, paths: readonly string[]): Promise<DirtyAnswer> {
	const views = textViews(app).filter((view) => view.file !== null && paths.includes(view.file.path));
	const open = new Set(views.map((view) => view.file?.path ?? ""));
	const unsaved = new Set<string>();
	for (const view of views) {
		if (view.file && (await isUnsaved(app, view, view.file))) unsaved.add(view.file.path);
	}
	return { open: [...open], unsaved: [...unsaved] };
}

export function textViews(app: App): TextFileView[] {
	const views: TextFileView[] = [];
	app.workspace.iterateAllLeaves((leaf) => {
		if (leaf.view instanceof TextFileView) views.push(leaf.view);
	});
	return views;
}

/** Obsidian saves two seconds after the last key. Until then the editor and the disk differ, and that can be seen. */
async function isUnsaved(app: App, view: TextFileView, file: TFile): Promise<boolean> {
	const onDisk = await app.vault.read(file);
	return sameLineBreaks(view.getViewData()) !== sameLineBreaks(onDisk);
}

/** An editor holds its lines without their endings. */
function sameLineBreaks(text: string): string {
	return text.replace(/\r\n?/g, "\n");
}
