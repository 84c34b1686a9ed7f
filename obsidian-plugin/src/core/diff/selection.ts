/** Which hunks of a change a person wants. Only for requests that say `hunksSupported`; the bridge makes the new plan. */

/** What `hunks` of `consent.respond` holds: for each path the indexes of the hunks that are to be applied. */
export type Hunks = Record<string, number[]>;

export class HunkSelection {
	private readonly left = new Set<string>();

	/** @param counts - How many hunks each file of the preview has, by path. */
	constructor(private readonly counts: ReadonlyMap<string, number>) {}

	set(path: string, hunk: number, wanted: boolean): void {
		if (wanted) this.left.delete(key(path, hunk));
		else this.left.add(key(path, hunk));
	}

	has(path: string, hunk: number): boolean {
		return !this.left.has(key(path, hunk));
	}

	get total(): number {
		return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
	}

	get wanted(): number {
		return this.total - this.left.size;
	}

	/** What to send; null when everything is wanted, which is a plain yes. */
	toWire(): Hunks | null {
		if (this.left.size === 0) return null;
		return Object.fromEntries(
			[...this.counts].map(([path, count]) => [path, [...Array(count).keys()].filter((hunk) => this.has(path, hunk))]),
		);
	}
}

function key(path: string, hunk: number): string {
	return `${hunk}:${path}`;
}
