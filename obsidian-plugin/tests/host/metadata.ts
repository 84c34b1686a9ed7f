/** Obsidian's index: what a test says it knows. */

import type { TFile, Vault } from "./vault";

export interface CachedMetadata {
	frontmatter?: { tags?: string[] };
	tags?: { tag: string }[];
}

export class MetadataCache {
	resolvedLinks: Record<string, Record<string, number>> = {};
	unresolvedLinks: Record<string, Record<string, number>> = {};
	readonly caches = new Map<string, CachedMetadata>();

	constructor(private readonly vault: Vault) {}

	/** The file of that path, or of that name: with or without `.md`. */
	getFirstLinkpathDest(link: string): TFile | null {
		const wanted = link.toLowerCase().replace(/\.md$/, "");
		const nameOf = ({ path }: TFile): string => path.toLowerCase().replace(/\.md$/, "");
		const files = this.vault.getFiles();
		return files.find((file) => nameOf(file) === wanted) ?? files.find((file) => nameOf(file).endsWith(`/${wanted}`)) ?? null;
	}

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

/** A link's path, and what of the note it leads to. */
export function parseLinktext(link: string): { path: string; subpath: string } {
	const at = link.search(/[#^]/);
	return at < 0 ? { path: link, subpath: "" } : { path: link.slice(0, at), subpath: link.slice(at) };
}

/** Those of the properties first, then those of the text, duplicates kept; null when there are none. */
export function getAllTags(cache: CachedMetadata): string[] | null {
	const tags = [...(cache.frontmatter?.tags ?? []).map((tag) => `#${tag}`), ...(cache.tags ?? []).map(({ tag }) => tag)];
	return tags.length > 0 ? tags : null;
}
