/** All files of a change: the totals, what loses something first, links that only follow in one line, a filter. */

import { unitsOf } from "../../core/diff/selection";
import { followsSentence, groupFiles, isDestructive, totalsOf } from "../../core/diff/totals";
import type { FilePreview } from "../../core/wire/contract";
import { whenOpened } from "../elements";
import { inSlices } from "../slices";
import { drawPartBox } from "./diffView";
import { drawChevron, drawFile, type FileOffer } from "./filePreview";

/** Files that are open at first, as long as they are short; those that lose something are, however many. */
const OPEN_FILES = 3;
const OPEN_LINES = 400;
/** From how many files on there is a field to find one. */
const MANY = 10;

export type { FileOffer } from "./filePreview";

interface Row {
	el: HTMLElement;
	name: string;
}

/**
 * Draw all files of a change.
 *
 * @param offer - Set when parts may be left out or edited.
 * @returns A function that ends the drawing early.
 */
export function drawFiles(container: HTMLElement, files: readonly FilePreview[], offer: FileOffer | null): () => void {
	const filterPlace = files.length > 1 ? drawTotals(container, totalsOf(groupFiles(files))) : null;
	const list = new FileList(offer);
	list.draw(container, files);
	if (filterPlace && files.length >= MANY) drawFilter(filterPlace, (words) => { list.filter(words); });
	return () => { list.end(); };
}

function drawTotals(container: HTMLElement, totals: string): HTMLElement {
	const bar = container.createDiv({ cls: "vault-bridge-totals" });
	bar.createSpan({ cls: "vault-bridge-totals-text", text: totals });
	return bar;
}

function drawFilter(bar: HTMLElement, filter: (words: string) => void): void {
	const field = bar.createEl("input", { type: "search", placeholder: "Filter files", attr: { "aria-label": "Filter files by name" } });
	field.addEventListener("input", () => { filter(field.value.trim().toLowerCase()); });
}

/** The list while it is drawn, and what ends and filters it. */
class FileList {
	private readonly ends: (() => void)[] = [];
	private readonly rows: Row[] = [];
	/** What opens the lines of links that only follow, and draws what is in them. */
	private readonly openers: (() => void)[] = [];
	private count = 0;
	private lines = 0;

	constructor(private readonly offer: FileOffer | null) {}

	draw(container: HTMLElement, files: readonly FilePreview[]): void {
		const { units, single } = unitsOf(files);
		const { shown, follows } = groupFiles(single);
		const list = container.createDiv({ cls: "vault-bridge-files" });
		this.ends.push(inSlices(this.steps(list, units, shown)));
		if (follows.length > 0) this.drawFollows(container, follows);
	}

	end(): void {
		for (const end of this.ends) end();
	}

	filter(words: string): void {
		if (words !== "") for (const open of this.openers) open();
		for (const { el, name } of this.rows) el.toggle(name.includes(words));
	}

	private *steps(list: HTMLElement, units: readonly FilePreview[][], files: readonly FilePreview[]): Generator<void> {
		yield* this.drawShown(list, files.filter(isDestructive));
		for (const unit of units) yield* this.drawUnit(list, unit);
		yield* this.drawShown(list, files.filter((file) => !isDestructive(file)));
	}

	private *drawShown(list: HTMLElement, files: readonly FilePreview[]): Generator<void> {
		for (const file of files) {
			this.lines += file.added + file.removed;
			const short = (isDestructive(file) || this.count < OPEN_FILES) && this.lines <= OPEN_LINES;
			const open = file.picture !== null || (file.diff !== "" && (this.count === 0 || short));
			this.count++;
			this.drawFile(list, file, open);
			yield;
		}
	}

	/** Files that are taken or left as one. */
	private *drawUnit(list: HTMLElement, files: readonly FilePreview[]): Generator<void> {
		const { shown, follows } = groupFiles(files);
		const section = list.createDiv({ cls: "vault-bridge-together", attr: { role: "group", "aria-label": `${files.length} files that belong together` } });
		this.rows.push({ el: section, name: files.map(nameOf).join("\n") });
		const head = section.createEl("label", { cls: "vault-bridge-together-head" });
		const choice = this.offer?.choice;
		if (choice) drawPartBox(head, section, choice.of(files[0]?.path ?? ""), choice);
		head.createSpan({ text: `These ${files.length} files belong together` });
		head.createSpan({ cls: "vault-bridge-faint", text: totalsOf({ shown, follows }) });
		const inner = section.createDiv({ cls: "vault-bridge-files" });
		if (follows.length > 0) this.drawFollows(section, follows);
		yield* this.drawShown(inner, shown);
	}

	private drawFollows(container: HTMLElement, files: readonly FilePreview[]): void {
		const section = container.createEl("details", { cls: "vault-bridge-follows" });
		const summary = section.createEl("summary");
		drawChevron(summary);
		summary.createSpan({ text: followsSentence(files) });
		const list = section.createDiv({ cls: "vault-bridge-files" });
		const draw = whenOpened(section, () => { for (const file of files) this.drawFile(list, file, false); });
		this.openers.push(() => {
			section.open = true;
			draw();
		});
	}

	private drawFile(list: HTMLElement, file: FilePreview, open: boolean): void {
		this.rows.push({ el: drawFile(list, file, open, this.offer, this.ends), name: nameOf(file) });
	}
}

function nameOf(file: FilePreview): string {
	return `${file.path}\n${file.newPath ?? ""}`.toLowerCase();
}
