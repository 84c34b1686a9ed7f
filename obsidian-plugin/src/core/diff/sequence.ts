/** Myers' difference of two sequences ("An O(ND) Difference Algorithm and Its Variations", 1986), with a bound on its work. */

export interface Changed {
	old: boolean[];
	new: boolean[];
}

/**
 * Which items of two sequences are not in their longest common subsequence.
 *
 * @param mostEdits - Give up beyond this many insertions and deletions; the work grows with their square.
 * @returns Null when the sequences are further apart than that.
 */
export function compareSequences(before: readonly string[], after: readonly string[], mostEdits: number): Changed | null {
	let head = 0;
	while (head < before.length && head < after.length && before[head] === after[head]) head++;
	let tail = 0;
	while (
		tail < before.length - head &&
		tail < after.length - head &&
		before[before.length - 1 - tail] === after[after.length - 1 - tail]
	)
		tail++;
	const changed: Changed = { old: new Array<boolean>(before.length).fill(false), new: new Array<boolean>(after.length).fill(false) };
	const trace = shortestPath(before.slice(head, before.length - tail), after.slice(head, after.length - tail), mostEdits);
	if (trace === null) return null;
	walkBack(trace, before.length - tail - head, after.length - tail - head, head, changed);
	return changed;
}

/** The furthest reaching points after 0, 1, 2, ... edits, until both ends are reached. */
function shortestPath(before: readonly string[], after: readonly string[], mostEdits: number): Int32Array[] | null {
	const most = Math.min(before.length + after.length, mostEdits);
	const reach = new Int32Array(2 * most + 3);
	const at = (diagonal: number): number => reach[diagonal + most + 1] ?? 0;
	const trace: Int32Array[] = [];
	for (let edits = 0; edits <= most; edits++) {
		trace.push(reach.slice(most + 1 - edits - 1, most + 1 + edits + 2));
		for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
			const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
			let x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
			while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
			reach[diagonal + most + 1] = x;
			if (x >= before.length && x - diagonal >= after.length) return trace;
		}
	}
	return null;
}

function walkBack(trace: Int32Array[], oldLength: number, newLength: number, offset: number, changed: Changed): void {
	let x = oldLength;
	let y = newLength;
	for (let edits = trace.length - 1; edits > 0; edits--) {
		const reach = trace[edits];
		const at = (diagonal: number): number => reach?.[diagonal + edits + 1] ?? 0;
		const diagonal = x - y;
		const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
		const from = down ? diagonal + 1 : diagonal - 1;
		x = at(from);
		y = x - from;
		if (down) changed.new[offset + y] = true;
		else changed.old[offset + x] = true;
	}
}
