import { describe, expect, it } from "vitest";
import { changesOf, PLOTS, sentences, shortDay, tookText, totals } from "../../src/core/activity";
import { reader } from "../../src/core/wire/reading";
import { activity, idle } from "../ui/activity";

const found = reader("AuditActivity")(activity(7), "audit.activity");

describe("what agents did", () => {
	it.each([
		[null, "–"],
		[0, "0 ms"],
		[999.4, "999 ms"],
		[4230, "4.2 s"],
		[190_000, "3 min"],
		[9_000_000, "2.5 h"],
	])("says %s milliseconds as %s", (milliseconds, text) => {
		expect(tookText(milliseconds)).toBe(text);
	});

	it("has plots whose series hold every call, question and change once", () => {
		expect(PLOTS.map((plot) => totals(found.days, plot).all)).toEqual([182, 17, 21]);
		expect(totals(found.days, { title: "", series: [] })).toEqual({ byDay: [0, 0, 0, 0, 0, 0, 0], most: 0, all: 0 });
		expect(found.clients.map(changesOf)).toEqual([20, 0]);
	});

	it("says in words what the plots do not show", () => {
		expect(sentences(found)).toEqual(["Half of your answers took at most 4.2 s, nine of ten at most 3 min.", "14 of 35 calls to the web were answered from the cache."]);
		expect(sentences(reader("AuditActivity")({ ...idle, complete: false, damaged: 2 }, "audit.activity"))).toEqual(["The log is very large: of the oldest of these days, not everything could be counted.", "2 lines of the log could not be read."]);
	});

	it("shortens a day, and leaves what is none", () => {
		expect(shortDay("2026-01-31")).toContain("31");
		expect(shortDay("soon, or never at all")).toBe("soon, or n");
	});
});
