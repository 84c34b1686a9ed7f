/** Which parts of a change a person wants. Only for questions that say `hunksSupported`; the bridge makes the new plan. */

import { Emitter } from "../emitter";
import type { ConsentRequest, FilePreview } from "../wire/contract";
import { parseDiff } from "./hunks";

/** What `hunks` of `consent.respond` holds: for each path of which something is left out, the hunks that are kept. */
export type Hunks = Record<string, number[]>;

/** What is taken or left as one: a hunk of a file's diff; else a file that comes or goes, or files that belong together. */
export interface Part {
	readonly paths: readonly string[];
	readonly hunk: number | null;
}

export class Selection {
	readonly changed = new Emitter<null>();
	private readonly left = new Set<Part>();
	private readonly byPath = new Map<string, readonly Part[]>();
	readonly total: number;

	/** @param files - The files of the preview. Of what is not shown whole, nothing can be chosen, unless it goes with others. */
	constructor(files: readonly FilePreview[]) {
		const { units, single } = unitsOf(files);
		for (const unit of units) {
			const part = { paths: unit.map((file) => file.path), hunk: null };
			for (const path of part.paths) this.byPath.set(path, [part]);
		}
		for (const file of single) this.byPath.set(file.path, partsOf(file));
		this.total = new Set([...this.byPath.values()].flat()).size;
	}

	of(path: string): readonly Part[] {
		return this.byPath.get(path) ?? [];
	}

	set(parts: readonly Part[], wanted: boolean): void {
		for (const part of parts) {
			if (wanted) this.left.delete(part);
			else this.left.add(part);
		}
		this.changed.emit(null);
	}

	has(part: Part): boolean {
		return !this.left.has(part);
	}

	get wanted(): number {
		return this.total - this.left.size;
	}

	/** What to send; null when everything is wanted, which is a plain yes. */
	toWire(): Hunks | null {
		if (this.left.size === 0) return null;
		const paths = [...this.left].flatMap((part) => part.paths);
		return Object.fromEntries(paths.map((path) => [path, this.of(path).flatMap((part) => (part.hunk !== null && this.has(part) ? [part.hunk] : []))]));
	}
}

function partsOf(file: FilePreview): Part[] {
	const paths = [file.path];
	if (file.unit !== "") return [{ paths, hunk: null }];
	if (file.truncated) return [];
	if (file.change === "modify") return parseDiff(file.diff).map(({ index }) => ({ paths, hunk: index }));
	return file.change === "create" || file.change === "delete" ? [{ paths, hunk: null }] : [];
}

/** Files that belong together, each time two or more; and all others. */
export function unitsOf(files: readonly FilePreview[]): { units: FilePreview[][]; single: FilePreview[] } {
	const byName = new Map<string, FilePreview[]>();
	for (const file of files.filter((one) => one.unit !== "")) byName.set(file.unit, [...(byName.get(file.unit) ?? []), file]);
	const units = [...byName.values()].filter((unit) => unit.length > 1);
	const together = new Set(units.flat());
	return { units, single: files.filter((file) => !together.has(file)) };
}

export class Choices {
	readonly changed = new Emitter<null>();
	private readonly known = new Map<string, { digest: string | null; selection: Selection }>();

	/** Parts can be left out only where the bridge says that it makes a new plan of the rest; else null. */
	of({ requestId, planDigest, hunksSupported, preview }: ConsentRequest): Selection | null {
		if (!hunksSupported || !preview) return null;
		const known = this.known.get(requestId);
		if (known?.digest === planDigest) return known.selection;
		const selection = new Selection(preview.files);
		selection.changed.on(() => { this.changed.emit(null); });
		this.known.set(requestId, { digest: planDigest, selection });
		return selection;
	}

	forget(requestId: string): void {
		this.known.delete(requestId);
	}
}
