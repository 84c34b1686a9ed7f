import { describe, expect, it } from "vitest";
import { parseDiff } from "../../../src/core/diff/hunks";

const rowsOf = (diff: string): string[] =>
	parseDiff(diff).flatMap((hunk) => hunk.rows.map((row) => `${row.kind} ${row.old ?? "-"} ${row.new ?? "-"} ${row.text}`));

describe("a unified diff", () => {
	it("becomes rows with the line numbers of both sides", () => {
		expect(rowsOf("--- a.md\n+++ a.md\n@@ -5,3 +5,4 @@ # Title\n same\n-old\n+new\n+more\n end\n")).toEqual([
			"context 5 5 same",
			"removed 6 - old",
			"added - 6 new",
			"added - 7 more",
			"context 7 8 end",
		]);
	});

	it("is not confused by notes that look like one", () => {
		expect(rowsOf("--- a.md\n+++ a.md\n@@ -1,3 +1,3 @@\n---- b.md\n-@@ -1 +1 @@\n+++ c\n+\\ x\n @@ -9 +9 @@\n")).toEqual([
			"removed 1 - --- b.md",
			"removed 2 - @@ -1 +1 @@",
			"added - 1 ++ c",
			"added - 2 \\ x",
			"context 3 3 @@ -9 +9 @@",
		]);
	});

	it("counts one line where a header leaves the count out, and takes empty sides", () => {
		expect(rowsOf("@@ -1 +1 @@\n-a\n+b\n@@ -0,0 +7,2 @@\n+c\n+d")).toEqual(["removed 1 - a", "added - 1 b", "added - 7 c", "added - 8 d"]);
	});

	it("tells of a missing final line break", () => {
		expect(rowsOf("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")).toContain("note - - No newline at end of file");
	});

	it("keeps carriage returns as content", () => {
		expect(rowsOf("@@ -1 +1 @@\n-a\r\n+b\r\n")).toEqual(["removed 1 - a\r", "added - 1 b\r"]);
	});

	it("shows what no hunk claims instead of dropping it", () => {
		expect(rowsOf("@@ -1 +1 @@\n-a\n+b\n[diff cut]\n")).toContain("note - - [diff cut]");
	});

	it("has no hunks when it is empty", () => {
		expect(parseDiff("")).toEqual([]);
	});
});
