import { describe, expect, it } from "vitest";
import { mixedReturns, segmentsOf } from "../../../src/core/diff/display";
import type { Row } from "../../../src/core/diff/hunks";

const row = (text: string, kind: Row["kind"] = "added"): Row => ({ kind, text, old: null, new: 1 });
const drawn = (one: Row, marks: { start: number; end: number }[] = [], keep = false): string[] =>
	segmentsOf(one, marks, keep).map((part) => `${part.changed ? "!" : ""}${part.trailing ? "~" : ""}${part.text}`);

describe("a row as it is drawn", () => {
	it("is cut at what changed", () => {
		expect(drawn(row("one two three"), [{ start: 4, end: 7 }])).toEqual(["one ", "!two", " three"]);
	});

	it("shows blanks at the end of a changed line, and leaves those of an unchanged one", () => {
		expect([drawn(row("a  ")), drawn(row("a  ", "context"))]).toEqual([["a", "~  "], ["a  "]]);
	});

	it("shows such blanks also where they are what changed", () => {
		expect(drawn(row("ab  "), [{ start: 1, end: 4 }])).toEqual(["a", "!b", "!~  "]);
	});

	it("hides the carriage return unless it matters", () => {
		expect([drawn(row("a\r")), drawn(row("a\r"), [], true)]).toEqual([["a"], ["a\r"]]);
	});

	it("knows when it matters", () => {
		expect([mixedReturns([row("a\r"), row("b\r")]), mixedReturns([row("a\r"), row("b")]), mixedReturns([row("a")])]).toEqual([false, true, false]);
	});
});
