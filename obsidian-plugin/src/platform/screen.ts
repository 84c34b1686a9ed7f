/** What the person looks at: the file in front, what is selected in it, and the tabs. */

import { FileView, MarkdownView, type App, type Editor, type WorkspaceLeaf, type TFile, type Workspace } from "obsidian";
import type { Screen, ScreenShow } from "../core/wire/contract";

/** Characters of a selection, and of the text on each side of it, that are told; the bridge takes no more. */
const MOST_SELECTED = 20_000;
const MOST_AROUND = 2_000;
const LINES_AROUND = 10;
const MOST_TABS = 100;

type Selection = NonNullable<NonNullable<Screen["open"]>["selection"]>;

/**
 * The leaf with the file in front. A view without a file, such as the graph, a chat or whatever is in a sidebar, takes
 * its place only when it is closed.
 *
 * @param before - The one that was in front before.
 */
export function leafInFront({ workspace }: App, before: WorkspaceLeaf | null): WorkspaceLeaf | null {
	const recent = workspace.getMostRecentLeaf();
	return recent?.view instanceof FileView ? recent : stillOpen(workspace, before);
}

function stillOpen(workspace: Workspace, before: WorkspaceLeaf | null): WorkspaceLeaf | null {
	let open: WorkspaceLeaf | null = null;
	workspace.iterateRootLeaves((leaf) => { if (leaf === before && leaf.view instanceof FileView) open = leaf; });
	return open;
}

export function screenOf({ workspace }: App, leaf: WorkspaceLeaf | null): Screen {
	const tabs = new Set<string>();
	// A tab that nobody has looked at yet has no view of its own: its state says which file it is.
	workspace.iterateRootLeaves((one) => {
		const path: unknown = one.view instanceof FileView ? one.view.file?.path : one.getViewState().state?.["file"];
		if (typeof path === "string") tabs.add(path);
	});
	const view = leaf?.view;
	const file = view instanceof FileView ? view.file : null;
	return {
		open: view && file ? { path: file.path, ...(view instanceof MarkdownView ? note(view) : { view: view.getViewType(), selection: null }) } : null,
		tabs: [...tabs].slice(0, MOST_TABS),
		recent: workspace.getLastOpenFiles().slice(0, LINES_AROUND),
	};
}

/** A tab, and what was opened in it. */
export interface Opened {
	leaf: WorkspaceLeaf;
	file: TFile;
}

/**
 * Open a file at a place. Obsidian would make a note that is not there.
 *
 * @param before - Its tab is taken again, unless the person has pinned it or gone on to another file in it.
 * @returns Null: the file is not there.
 */
export async function openAt({ vault, workspace }: App, { path, part, line }: ScreenShow, before: Opened | null): Promise<Opened | null> {
	const file = vault.getFileByPath(path);
	if (!file) return null;
	const taken = before && stillOpen(workspace, before.leaf);
	const free = taken?.view instanceof FileView && taken.view.file === before?.file && !taken.getViewState().pinned;
	const leaf = free ? taken : workspace.getLeaf("tab");
	await leaf.openFile(file, { active: true, eState: part === "" ? { line: (line ?? 1) - 1 } : { subpath: `#${part}` } });
	return { leaf, file };
}

function note(view: MarkdownView): { view: string; selection: Selection | null } {
	const mode = view.getMode();
	if (mode === "source") return { view: mode, selection: selected(view.editor) };
	const shown = view.containerEl.doc.getSelection();
	const text = shown?.anchorNode && view.containerEl.contains(shown.anchorNode) ? shown.toString() : "";
	return { view: mode, selection: { ...bounded(text), start: null, end: null, before: "", after: "" } };
}

function selected(editor: Editor): Selection {
	const [from, to] = [editor.getCursor("from"), editor.getCursor("to")];
	const first = Math.max(0, from.line - LINES_AROUND);
	const last = Math.min(editor.lastLine(), to.line + LINES_AROUND);
	const before = editor.getRange({ line: first, ch: 0 }, from).split("\n");
	const after = editor.getRange(to, { line: last, ch: editor.getLine(last).length }).split("\n");
	return {
		...bounded(editor.getSelection()),
		start: { line: from.line + 1, column: from.ch },
		end: { line: to.line + 1, column: to.ch },
		before: fitting(before.reverse()).reverse().join("\n"),
		after: fitting(after).join("\n"),
	};
}

/** Half a character at the end would be none. */
function bounded(text: string): { text: string; cut: boolean } {
	return { text: text.slice(0, MOST_SELECTED).replace(/[\ud800-\udbff]$/, ""), cut: text.length > MOST_SELECTED };
}

/** The lines nearest to the selection, as many as there is room for. */
function fitting(lines: readonly string[]): string[] {
	let room = MOST_AROUND;
	const end = lines.findIndex((line) => (room -= line.length + 1) < 0);
	return end < 0 ? [...lines] : lines.slice(0, end);
}
