/** What happens to each file: a row to open and close, with the diff below it. */

import { setIcon } from "obsidian";
import { CHANGE_LABELS } from "../../core/consent/wording";
import { dangersOf, type Danger } from "../../core/diff/dangers";
import { factsOf } from "../../core/diff/facts";
import type { Hunk } from "../../core/diff/model";
import { parseDiff } from "../../core/diff/parse";
import type { HunkSelection } from "../../core/diff/selection";
import type { FileChange } from "../../core/wire/consent";
import type { FilePreview } from "../../core/wire/contract";
import { showText } from "../text";
import { drawDiff } from "./diffView";
import { drawFacts } from "./facts";

/** Files that are open at first, as long as they are short. */
const OPEN_FILES = 3;
const OPEN_LINES = 400;
/** Characters of a diff that is read after it is on the screen. */
const LONG_DIFF = 50_000;

const ICONS: Readonly<Record<FileChange, string>> = {
	create: "file-plus-2",
	modify: "file-diff",
	move: "file-symlink",
	delete: "trash-2",
	mkdir: "folder-plus",
	rmdir: "folder-x",
};

const DANGERS: Readonly<Record<Danger, string>> = {
	"runs-code": "The new text holds code that a plugin may run when the note is opened.",
	"loads-remote": "The new text loads something from the internet when the note is opened, which tells that server of it.",
	"hides-text": "The new text holds characters that cannot be seen. They are shown as codes.",
};

export interface HunkOffer {
	selection: HunkSelection;
	changed: () => void;
}

/**
 * Draw all files of a change.
 *
 * @param offer - Set when hunks may be left out.
 * @returns A function that ends the drawing early.
 */
export function drawFiles(container: HTMLElement, files: readonly FilePreview[], offer: HunkOffer | null): () => void {
	const ends: (() => void)[] = [];
	const list = container.createDiv({ cls: "vault-bridge-files" });
	let lines = 0;
	for (const [index, file] of files.entries()) {
		lines += file.added + file.removed;
		const open = file.diff !== "" && (index === 0 || (index < OPEN_FILES && lines <= OPEN_LINES));
		drawFile(list, file, open, offer, ends);
	}
	return () => {
		for (const end of ends) end();
	};
}

function drawFile(list: HTMLElement, file: FilePreview, open: boolean, offer: HunkOffer | null, ends: (() => void)[]): void {
	const section = list.createEl("details", { cls: `vault-bridge-file is-${file.change}` });
	drawSummary(section, file);
	const body = section.createDiv({ cls: "vault-bridge-file-body" });
	let drawn = false;
	const draw = (): void => {
		if (drawn || !section.open) return;
		drawn = true;
		drawBody(body, file, offer, ends);
	};
	section.open = open;
	draw();
	section.addEventListener("toggle", draw);
}

function drawSummary(section: HTMLElement, file: FilePreview): void {
	const summary = section.createEl("summary");
	setIcon(summary.createSpan({ cls: "vault-bridge-file-icon" }), ICONS[file.change]);
	const name = summary.createSpan({ cls: "vault-bridge-file-name" });
	showText(name, file.path);
	if (file.newPath !== null) {
		name.createSpan({ cls: "vault-bridge-arrow", text: " → " });
		showText(name, file.newPath);
	}
	summary.createSpan({ cls: "vault-bridge-file-change", text: CHANGE_LABELS[file.change] });
	if (file.added > 0) summary.createSpan({ cls: "vault-bridge-count is-added", text: `+${file.added}`, attr: { "aria-label": `${file.added} lines added` } });
	if (file.removed > 0)
		summary.createSpan({ cls: "vault-bridge-count is-removed", text: `−${file.removed}`, attr: { "aria-label": `${file.removed} lines removed` } });
}

/** Reading all of a very long change takes a moment, in which the question should stand on the screen already. */
function drawBody(body: HTMLElement, file: FilePreview, offer: HunkOffer | null, ends: (() => void)[]): void {
	const soon = (work: () => void): void => {
		if (file.diff.length < LONG_DIFF) work();
		else window.setTimeout(work);
	};
	if (file.truncated)
		body.createDiv({ cls: "vault-bridge-note is-warning", text: "This change is too long to be shown whole. What is below is only its beginning." });
	const about = body.createDiv();
	const diff = body.createDiv();
	soon(() => {
		const hunks = parseDiff(file.diff);
		const choice = offer && file.change === "modify" ? { path: file.path, ...offer } : null;
		if (hunks.length > 0) ends.push(drawDiff(diff, hunks, choice));
		else diff.createDiv({ cls: "vault-bridge-file-empty", text: emptySentence(file) });
		soon(() => {
			drawAbout(about, hunks);
		});
	});
}

function drawAbout(about: HTMLElement, hunks: readonly Hunk[]): void {
	for (const danger of dangersOf(hunks)) about.createDiv({ cls: "vault-bridge-note is-warning", text: DANGERS[danger] });
	drawFacts(about, factsOf(hunks));
}

function emptySentence(file: FilePreview): string {
	if (file.change === "move") return "The content stays as it is.";
	if (file.change === "mkdir" || file.change === "rmdir") return "A folder has no content to show.";
	return file.change === "create" ? "The new file is empty." : "There is no text to compare.";
}
