/** What Obsidian's own index knows of the notes. */

import { getAllTags, type App } from "obsidian";
import type { IndexSource } from "../core/index/check";
import type { ObsidianFacts } from "../core/wire/contract";
import { dirtyFiles } from "./editors";

export function obsidianIndex(app: App): IndexSource {
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
