/** Obsidian's index: what a test says it knows. */

import type { TFile } from "./vault";

export interface CachedMetadata {
	frontmatter?: { tags?: string[] };
	tags?: { tag: string }[];
}

export class MetadataCache {
	resolvedLinks: Record<string, Record<string, number>> = {};
	unresolvedLinks: Record<string, Record<string, number>> = {};
	readonly caches = new Map<string, CachedMetadata>();

	getFileCache(file: TFile): CachedMetadata | null {
		return this.caches.get(file.path) ?? null;
	}

	/** What is known of a note. */
	know(path: string, resolved: Record<string, number>, unresolved: Record<string, number>, cache: CachedMetadata): void {
		this.resolvedLinks[path] = resolved;
		this.unresolvedLinks[path] = unresolved;
		this.caches.set(path, cache);
	}
}

/** Those of the properties first, then those of the text, duplicates kept; null when there are none. */
export function getAllTags(cache: CachedMetadata): string[] | null {
	const tags = [...(cache.frontmatter?.tags ?? []).map((tag) => `#${tag}`), ...(cache.tags ?? []).map(({ tag }) => tag)];
	return tags.length > 0 ? tags : null;
}
