import { describe, expect, it } from "vitest";
import { filterParams, NO_FILTER, queryParams, unansweredParams, chainText, filesOf, readLogLine, toneOf } from "../../src/core/audit";
import { answerOf } from "../../src/core/wire/reading";

const line = {
	seq: 7,
	timestamp: "2026-11-21T21:34:01.512Z",
	kind: "execution",
	tool: "apply_patch",
	executionId: "patch-1",
	client: '=cmd|"x"',
	success: false,
	errorType: "conflict",
	duration: 3.5,
	files: [{ path: "a.md", newPath: "b.md", change: "move", before: "aa", after: null }, 3],
};

describe("a line of the log", () => {
	it("is read, with its number for paging", () => {
		expect(readLogLine(line, "")).toMatchObject({ seq: 7, errorType: "conflict", duration: 3.5, whole: line });
	});

	it("says what happened in the bridge's words, and what was decided about it", () => {
		const decisions = [{ timestamp: "t", kind: "decision", sentence: "You allowed it, once" }, 3];
		expect(readLogLine({ ...line, sentence: "Ada moved “a.md”", decisions }, "")).toMatchObject({ sentence: "Ada moved “a.md”", decisions: ["You allowed it, once"] });
		expect(readLogLine({ timestamp: "t", kind: "bridge", event: "started" }, "").sentence).toBe("bridge started");
	});

	it.each([
		[{ success: true }, "done"],
		[{ success: false, errorType: "permission_denied" }, "refused"],
		[{ success: false, errorType: "conflict" }, "failed"],
		[{ kind: "decision", outcome: "deny" }, "refused"],
		[{ kind: "bridge", event: "started" }, "done"],
	])("%o is %s", (facts, tone) => {
		expect(toneOf(readLogLine({ timestamp: "t", ...facts }, ""))).toBe(tone);
	});

	it("names the files with their checksums", () => {
		expect(filesOf(readLogLine(line, ""))).toEqual([{ path: "a.md → b.md", change: "move", before: "aa", after: null }]);
	});
});

describe("looking for lines", () => {
	it("asks for nothing that is not filtered for", () => {
		expect(queryParams(NO_FILTER, 0, null)).toEqual({ actions: true, limit: 100 });
	});

	it("asks for a period by its beginning, and for a page by the last line before it", () => {
		expect(queryParams({ ...NO_FILTER, text: " x ", period: "hour" }, Date.parse("2026-01-01T12:00:00Z"), "7")).toEqual({
			text: "x",
			since: "2026-01-01T11:00:00.000Z",
			before: "7",
			actions: true,
			limit: 100,
		});
	});
});

describe("what nobody answered", () => {
	const now = Date.parse("2026-01-08T12:00:00Z");

	it("is looked for since the person has seen it, and at first for a week", () => {
		expect(unansweredParams("2026-01-08T09:00:00.000Z", now)).toMatchObject({ code: "timed_out", since: "2026-01-08T09:00:00.000Z" });
		expect(unansweredParams("", now)).toMatchObject({ since: "2026-01-01T12:00:00.000Z" });
	});

	it("can be filtered for, also in an export", () => {
		expect(filterParams({ ...NO_FILTER, kind: "unanswered" }, now)).toEqual({ code: "timed_out" });
	});
});

describe("the chain of the log", () => {
	it.each([
		[{ whole: true, records: 12, lost: 0, unverified: 0, faults: [], faultCount: 0 }, "12 lines, none changed or removed since they were written."],
		[{ whole: true, records: 3, lost: 2, unverified: 1 }, "3 lines, none changed or removed since they were written. 2 could not be written at the time. 1 are older than the key and cannot be vouched for."],
		[{ whole: false, faultCount: 1, faults: [{ kind: "altered", file: "audit.jsonl", message: "Line 7 was edited." }] }, "The log is not as it was written: 1 fault. Line 7 was edited."],
	])("is told for %o", (answer, text) => {
		expect(chainText(answerOf("audit.verify", answer))).toBe(text);
	});
});
