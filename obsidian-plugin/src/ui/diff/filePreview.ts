/** What happens to one file: a row to open and close, with the diff below it. */

import { setIcon } from "obsidian";
import { changeLabel } from "../../core/consent/wording";
import { dangersOf, type Danger } from "../../core/diff/dangers";
import { factsOf } from "../../core/diff/facts";
import { parseDiff } from "../../core/diff/parse";
import type { Selection } from "../../core/diff/selection";
import type { FileChange } from "../../core/wire/consent";
import type { FilePreview } from "../../core/wire/contract";
import { sanitizePlain } from "../../core/text/sanitize";
import { showText } from "../text";
import { drawDiff, type HunkActions } from "./diffView";
import { drawFacts } from "./facts";
import type { Comments } from "../consent/review";
import type { Revising } from "./hunkEditor";
import { drawPartBox } from "./partBox";

/** Characters of a diff that is read after it is on the screen. */
const LONG_DIFF = 50_000;

/** Rows of a diff that one sees at a glance. */
const SEEN_WHOLE = 40;

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
	let drawn = false;
	const draw = (): void => {
		if (drawn || !section.open) return;
		drawn = true;
		drawBody(body, file, offer, ends);
	};
	section.open = open;
	draw();
	section.addEventListener("toggle", draw);
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
	const soon = (work: () => void): void => {
		if (file.diff.length < LONG_DIFF) work();
		else window.setTimeout(work);
	};
	if (file.truncated)
		body.createDiv({ cls: "vault-bridge-note is-warning", text: "This change is too long to be shown whole. What is below is only its beginning." });
	if (file.note !== "") body.createDiv({ cls: "vault-bridge-note", text: file.note });
	if (file.newer !== "") {
		const newer = body.createEl("details");
		newer.createEl("summary", { text: "What has changed since you looked" });
		ends.push(drawDiff(newer, parseDiff(file.newer), null));
	}
	const about = body.createDiv();
	const diff = body.createDiv();
	const facts = body.createDiv();
	soon(() => {
		const hunks = parseDiff(file.diff);
		// Below a change that one sees whole; above one that one would have to read to its end.
		if (hunks.reduce((count, { rows }) => count + rows.length, 0) > SEEN_WHOLE) about.append(facts);
		if (hunks.length > 0) ends.push(drawDiff(diff, hunks, actionsFor(file, offer)));
		else diff.createDiv({ cls: "vault-bridge-file-empty", text: emptySentence(file) });
		soon(() => {
			for (const danger of dangersOf(hunks)) about.createDiv({ cls: "vault-bridge-note is-warning", text: DANGERS[danger] });
			drawFacts(facts, factsOf(hunks));
		});
	});
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
