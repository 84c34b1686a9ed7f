import { describe, expect, it } from "vitest";
import { foldContext } from "../../../src/core/diff/display";
import type { Row } from "../../../src/core/diff/hunks";

const rows = (kinds: string): Row[] =>
	Array.from(kinds, (kind, index) => ({ kind: kind === "." ? "context" : "added", text: String(index), old: null, new: null }));
const shape = (kinds: string): string => foldContext(rows(kinds)).map((part) => (part.kind === "fold" ? `(${part.rows.length})` : String(part.rows.length))).join(" ");

describe("unchanged lines", () => {
	it.each([
		["stay when there are few", "...+...", "7"],
		["are folded between two changes, three stay on each side", "+" + ".".repeat(20) + "+", "4 (14) 4"],
		["are folded before the first and after the last change", ".".repeat(20) + "+" + ".".repeat(20), "(17) 7 (17)"],
		["are not folded for the sake of a line or two", "+.........+", "11"],
		["are folded wholly when nothing changed", ".".repeat(9), "(9)"],
	])("%s", (_, kinds, expected) => {
		expect(shape(kinds)).toBe(expected);
	});

	it("are never lost or doubled", () => {
		const all = rows("..........+++..........++.+............");
		expect(foldContext(all).flatMap((part) => part.rows)).toEqual(all);
	});
});
