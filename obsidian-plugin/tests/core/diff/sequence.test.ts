import { describe, expect, it } from "vitest";
import { compareSequences } from "../../../src/core/diff/sequence";

/** The length of the longest common subsequence, by the textbook. */
function commonLength(a: readonly string[], b: readonly string[]): number {
	const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
	const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
	for (let i = 1; i <= a.length; i++)
		for (let j = 1; j <= b.length; j++) {
			const row = table[i];
			if (row) row[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
		}
	return at(a.length, b.length);
}

/** The same numbers each run. */
function* numbers(seed: number): Generator<number> {
	for (let state = seed; ; ) yield (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >> 8;
}

describe("the difference of two sequences", () => {
	it("leaves on both sides the same longest common subsequence", () => {
		const random = numbers(7);
		const next = (most: number): number => Number(random.next().value) % most;
		for (let round = 0; round < 400; round++) {
			const some = (): string[] => Array.from({ length: next(12) }, () => "abc".charAt(next(3)));
			const [before, after] = [some(), some()];
			const changed = compareSequences(before, after, 100);
			const keptOld = before.filter((_, index) => !changed?.old[index]);
			const keptNew = after.filter((_, index) => !changed?.new[index]);
			expect(keptOld).toEqual(keptNew);
			expect(keptOld).toHaveLength(commonLength(before, after));
		}
	});

	it("gives up rather than work too long", () => {
		expect(compareSequences(Array.from("abcdef"), Array.from("uvwxyz"), 4)).toBeNull();
	});
});
