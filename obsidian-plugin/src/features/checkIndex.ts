/** The command "Check index": where Obsidian's own index and the bridge's do not say the same. */

import { getAllTags, type App } from "obsidian";
import { aboutOf, asText, checkIndex, countsOf, reasonOf, summaryOf, type IndexSource } from "../core/index";
import { messageOf } from "../core/settings/store";
import { sanitizePlain } from "../core/text";
import type { IndexComparison, IndexDifference, ObsidianFacts } from "../core/wire/contract";
import { dirtyFiles } from "../platform/editors";
import { copyText } from "../ui/clipboard";
import { addButton, addDetails, showText } from "../ui/elements";
import { PluginWindow } from "../ui/window";
import { Feature } from "./feature";

function obsidianIndex(app: App): IndexSource {
	return {
		notes: () => app.vault.getMarkdownFiles().map((file) => file.path),
		facts: (path) => factsOf(app, path),
		unsaved: async (paths) => (await dirtyFiles(app, paths)).unsaved,
	};
}

function factsOf(app: App, path: string): ObsidianFacts | null {
	const { metadataCache, vault } = app;
	const file = vault.getFileByPath(path);
	if (!file) return null;
	const cache = metadataCache.getFileCache(file);
	const resolved = metadataCache.resolvedLinks[path];
	const unresolved = metadataCache.unresolvedLinks[path];
	// A note that Obsidian has read has an entry in both, even an empty one.
	const read = cache !== null && resolved !== undefined && unresolved !== undefined;
	return {
		resolved: { ...resolved },
		unresolved: { ...unresolved },
		tags: read ? (getAllTags(cache) ?? []) : null,
		mtime: file.stat.mtime,
		size: file.stat.size,
	};
}

const PAGE = 200;

const COMPARING = "Comparing what Obsidian knows of the notes with what the bridge knows…";

class IndexWindow extends PluginWindow {
	private statusEl: HTMLElement | null = null;

	constructor(app: App) {
		super(app, "Check index", "tall");
	}

	/** Whether anybody still looks. */
	get watched(): boolean {
		return this.statusEl?.isConnected === true;
	}

	override onOpen(): void {
		this.statusEl = this.contentEl.createDiv({ cls: "vault-bridge-summary", text: COMPARING, attr: { role: "status" } });
	}

	showProgress(done: number, of: number): void {
		this.statusEl?.setText(`${COMPARING} ${done} of ${of}`);
	}

	/** @param message - In the bridge's words. */
	showFailure(message: string): void {
		this.statusEl?.setText(sanitizePlain(message));
		this.addEnd(null);
	}

	show(found: IndexComparison): void {
		this.statusEl?.setText(summaryOf(found));
		const body = this.addBody();
		this.addDifferences(body.createDiv({ cls: "vault-bridge-index" }), found.differences);
		if (found.more > 0) body.createDiv({ cls: "vault-bridge-faint", text: `${found.more.toLocaleString("en")} more are not listed.` });
		if (found.uncompared.length > 0) this.addUncompared(body, found);
		this.addEnd(found);
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
		const details = addDetails(body, `${uncompared.length} not compared; check again later`);
		for (const note of uncompared.slice(0, PAGE)) {
			const row = details.createDiv({ cls: "vault-bridge-index-row" });
			this.addLink(row, note.path);
			row.createDiv({ cls: "vault-bridge-faint", text: reasonOf(note) });
		}
	}

	private addLink(row: HTMLElement, path: string): void {
		const open = (): void => {
			this.close();
			void this.app.workspace.openLinkText(path, "", false);
		};
		showText(addButton(row, "", open, "vault-bridge-link"), path);
	}

	private addEnd(found: IndexComparison | null): void {
		const bar = this.addBar();
		if (found) addButton(bar, "Copy as text", () => { void copyText(asText(found)); });
		this.addCloser(bar, "Close", "mod-cta").focus();
	}
}

export class CheckIndex extends Feature {
	override onload(): void {
		this.command("check-index", "Check index", () => void this.run());
	}

	private async run(): Promise<void> {
		const { app, request } = this.context;
		const modal = new IndexWindow(app);
		modal.open();
		try {
			const found = await checkIndex(obsidianIndex(app), request, (done, of) => {
				modal.showProgress(done, of);
				return modal.watched;
			});
			if (found && modal.watched) modal.show(found);
		} catch (error) {
			if (modal.watched) modal.showFailure(messageOf(error));
		}
	}
}
