/** What happens to one file: a row to open and close, with the diff below it. */

import { setIcon } from "obsidian";
import { changeLabel } from "../../core/consent/wording";
import { parseDiff } from "../../core/diff/hunks";
import type { Selection } from "../../core/diff/selection";
import { sanitizePlain } from "../../core/text";
import type { FilePreview } from "../../core/wire/contract";
import type { Comments } from "../consent/review";
import { addDetails, addWarning, showText, whenOpened } from "../elements";
import { drawDiff, drawPartBox, type HunkActions } from "./diffView";
import type { Revising } from "./hunkEditor";

/** Characters of a diff that is read after it is on the screen. */
const LONG_DIFF = 50_000;

/** Rows of a diff that one sees at a glance. */
const SEEN_WHOLE = 40;

const ICONS: Readonly<Record<FilePreview["change"], string>> = {
	create: "file-plus-2",
	modify: "file-diff",
	move: "file-symlink",
	delete: "trash-2",
	mkdir: "folder-plus",
	rmdir: "folder-x",
};

/** What a person may do with the parts of a change: leave some out, edit them, or say something about them. */
export interface FileOffer {
	choice: Selection | null;
	revising: Revising | null;
	comments: Comments | null;
}

/** What became of a file since the person looked through the draft last. */
const SINCE: Readonly<Record<FilePreview["since"], string>> = { "": "", same: "as you saw it", changed: "changed since you looked", new: "new since you looked" };

/** One file's row. What is below it is drawn when it is opened, and ends with `ends`. */
export function drawFile(list: HTMLElement, file: FilePreview, open: boolean, offer: FileOffer | null, ends: (() => void)[]): HTMLElement {
	const row = offer?.choice && hasBox(file, offer.choice) ? drawBoxRow(list, file, offer.choice) : list;
	const section = row.createEl("details", { cls: `vault-bridge-file is-${file.change}` });
	drawSummary(section, file);
	const body = section.createDiv({ cls: "vault-bridge-file-body" });
	section.open = open;
	whenOpened(section, () => { drawBody(body, file, offer, ends); });
	return row === list ? section : row;
}

/** Whether a file can be left out for itself. Where it is all there is to choose from, that would be a no. */
function hasBox({ path }: FilePreview, choice: Selection): boolean {
	const parts = choice.of(path);
	return parts.length > 0 && parts.length < choice.total && parts.every((part) => part.paths.length === 1);
}

function drawBoxRow(list: HTMLElement, { path }: FilePreview, choice: Selection): HTMLElement {
	const row = list.createDiv({ cls: "vault-bridge-choice" });
	drawPartBox(row, row, choice.of(path), choice).setAttr("aria-label", sanitizePlain(`Include ${path}`));
	return row;
}

function drawSummary(section: HTMLElement, file: FilePreview): void {
	const summary = section.createEl("summary");
	drawChevron(summary);
	setIcon(summary.createSpan({ cls: "vault-bridge-file-icon" }), ICONS[file.change]);
	const name = summary.createSpan({ cls: "vault-bridge-file-name" });
	showText(name, file.path);
	if (file.newPath !== null) {
		name.createSpan({ cls: "vault-bridge-arrow", text: " → " });
		showText(name, file.newPath);
	}
	const about = [changeLabel(file), file.yours ? "edited by you" : "", SINCE[file.since]].filter((words) => words !== "");
	summary.createSpan({ cls: "vault-bridge-file-change", text: about.join(", ") });
	if (file.added > 0) summary.createSpan({ cls: "vault-bridge-count is-added", text: `+${file.added}`, attr: { "aria-label": `${file.added} lines added` } });
	if (file.removed > 0)
		summary.createSpan({ cls: "vault-bridge-count is-removed", text: `−${file.removed}`, attr: { "aria-label": `${file.removed} lines removed` } });
}

/** Reading all of a very long change takes a moment, in which the question should stand on the screen already. */
function drawBody(body: HTMLElement, file: FilePreview, offer: FileOffer | null, ends: (() => void)[]): void {
	if (file.truncated)
		addWarning(body, "This change is too long to be shown whole. What is below is only its beginning.");
	if (file.note !== "") body.createDiv({ cls: "vault-bridge-note", text: file.note });
	const { picture } = file;
	if (picture) {
		body.createEl("img", { cls: "vault-bridge-picture", attr: { src: `data:${picture.mimeType};base64,${picture.data}`, alt: sanitizePlain(file.path) } });
		return;
	}
	if (file.newer !== "") {
		const newer = addDetails(body, "What has changed since you looked", "");
		ends.push(drawDiff(newer, parseDiff(file.newer), null));
	}
	const diff = body.createDiv();
	const facts = body.createDiv();
	const draw = (): void => {
		const hunks = parseDiff(file.diff);
		// Below a change that one sees whole; above one that one would have to read to its end.
		if (hunks.reduce((count, { rows }) => count + rows.length, 0) > SEEN_WHOLE) diff.before(facts);
		if (hunks.length > 0) ends.push(drawDiff(diff, hunks, actionsFor(file, offer)));
		else diff.createDiv({ cls: "vault-bridge-file-empty", text: emptySentence(file) });
		drawFacts(facts, file.facts);
	};
	if (file.diff.length < LONG_DIFF) draw();
	else window.setTimeout(draw);
}

/** Hunks of a change that is shown whole. Lines can be edited also where the file is new. */
function actionsFor(file: FilePreview, offer: FileOffer | null): HunkActions | null {
	if (!offer || file.truncated) return null;
	const choice = choiceFor(file, offer.choice);
	const revising = (file.change === "modify" && !file.follows) || file.change === "create" ? offer.revising : null;
	const { comments } = offer;
	return choice || revising || comments ? { path: file.path, choice, revising, comments } : null;
}

/** A single hunk is left out with the box of its file. */
function choiceFor(file: FilePreview, selection: Selection | null): HunkActions["choice"] {
	const parts = selection?.of(file.path).filter((part) => part.hunk !== null) ?? [];
	return selection && parts.length > (hasBox(file, selection) ? 1 : 0) ? { selection, parts } : null;
}

/** The sign that a row can be opened, which turns when it is. */
export function drawChevron(summary: HTMLElement): void {
	setIcon(summary.createSpan({ cls: "vault-bridge-chevron" }), "chevron-right");
}

function emptySentence(file: FilePreview): string {
	if (file.change === "move") return "The content stays as it is.";
	if (file.change === "mkdir" || file.change === "rmdir") return "A folder has no content to show.";
	return file.change === "create" ? "The new file is empty." : "There is no text to compare.";
}

/** What a change does to links and properties: the bridge's words, and text of the note in turns. */
function drawFacts(container: HTMLElement, facts: readonly (readonly string[])[]): void {
	if (facts.length === 0) return;
	const list = container.createEl("ul", { cls: "vault-bridge-facts" });
	for (const pieces of facts) {
		const item = list.createEl("li");
		for (const [index, piece] of pieces.entries()) showText(index % 2 === 0 ? item : item.createEl("code"), piece || "(empty)");
	}
}
