/** How far the comparison of the two indexes is, and then what it found. */

import { Modal, type App } from "obsidian";
import { aboutOf, asText, countsOf, reasonOf, summaryOf } from "../core/index/wording";
import { sanitizePlain } from "../core/text/sanitize";
import type { IndexComparison, IndexDifference } from "../core/wire/contract";
import { showText } from "./text";
import { addBar, addButton } from "./addButton";

/** Rows drawn at a time. */
const PAGE = 200;

export interface IndexActions {
	openFile: (path: string) => void;
	copy: (text: string) => void;
}

export class IndexModal extends Modal {
	private statusEl: HTMLElement | null = null;
	private looking = true;

	constructor(
		app: App,
		private readonly actions: IndexActions,
	) {
		super(app);
	}

	/** Whether anybody still looks. */
	get watched(): boolean {
		return this.looking;
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-consent");
		this.setTitle("Check index");
		this.statusEl = this.contentEl.createDiv({ cls: "vault-bridge-summary", attr: { role: "status" } });
		this.statusEl.setText("Comparing what Obsidian knows of the notes with what the bridge knows…");
	}

	override onClose(): void {
		this.looking = false;
		this.contentEl.empty();
	}

	showProgress(done: number, of: number): void {
		this.statusEl?.setText(`Comparing what Obsidian knows of the notes with what the bridge knows… ${done} of ${of}`);
	}

	/** @param message - In the bridge's words. */
	showFailure(message: string): void {
		this.statusEl?.setText(sanitizePlain(message));
		this.addBar(null);
	}

	show(found: IndexComparison): void {
		this.statusEl?.setText(summaryOf(found));
		const body = this.contentEl.createDiv({ cls: "vault-bridge-body" });
		this.addDifferences(body.createDiv({ cls: "vault-bridge-index" }), found.differences);
		if (found.more > 0) body.createDiv({ cls: "vault-bridge-faint", text: `${found.more.toLocaleString("en")} more are not listed.` });
		if (found.uncompared.length > 0) this.addUncompared(body, found);
		this.addBar(found);
	}

	private addDifferences(el: HTMLElement, differences: readonly IndexDifference[], from = 0): void {
		for (const difference of differences.slice(from, from + PAGE)) {
			const row = el.createDiv({ cls: "vault-bridge-index-row" });
			this.addLink(row, difference.path);
			const { label, target } = aboutOf(difference);
			const about = row.createDiv({ cls: "vault-bridge-index-about" });
			about.appendText(target === "" ? label : `${label} `);
			if (target !== "") showText(about.createEl("code"), target);
			row.createDiv({ cls: "vault-bridge-faint", text: countsOf(difference) });
		}
		const next = from + PAGE;
		const left = differences.length - next;
		if (left <= 0) return;
		const more = addButton(el, `Show ${Math.min(PAGE, left)} of ${left.toLocaleString("en")} more`, () => {
			more.remove();
			this.addDifferences(el, differences, next);
			el.children[next]?.querySelector("button")?.focus();
		}, "vault-bridge-more");
	}

	/** Notes that say nothing about either index now. They are no differences. */
	private addUncompared(body: HTMLElement, { uncompared }: IndexComparison): void {
		const details = body.createEl("details", { cls: "vault-bridge-details" });
		details.createEl("summary", { text: `${uncompared.length} not compared; check again later` });
		for (const note of uncompared.slice(0, PAGE)) {
			const row = details.createDiv({ cls: "vault-bridge-index-row" });
			this.addLink(row, note.path);
			row.createDiv({ cls: "vault-bridge-faint", text: reasonOf(note) });
		}
	}

	private addLink(row: HTMLElement, path: string): void {
		const link = row.createEl("button", { cls: "vault-bridge-link", type: "button" });
		showText(link, path);
		link.addEventListener("click", () => {
			this.close();
			this.actions.openFile(path);
		});
	}

	private addBar(found: IndexComparison | null): void {
		const bar = addBar(this.contentEl);
		if (found) {
			addButton(bar, "Copy as text", () => {
				this.actions.copy(asText(found));
			});
		}
		const close = addButton(bar, "Close", () => {
			this.close();
		}, "mod-cta");
		close.focus();
	}
}
