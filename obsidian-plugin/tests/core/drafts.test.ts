/** What is said of drafts, and that an old answer never takes the place of a newer one. */

import { describe, expect, it } from "vitest";
import { drafterOf, draftingText, momentWords, stagedText } from "../../src/core/drafts";
import { Listing } from "../../src/core/listing";
import type { DraftInfo } from "../../src/core/wire/contract";
import { reader } from "../../src/core/wire/reading";

const step = { tool: "create_note", summary: "Create a.md", time: "2026-11-22T10:00:00Z" };
const draft = (changes: object = {}): DraftInfo =>
	reader("DraftInfo")({ draftId: "draft-1", client: "Claude Code", clientId: "c", created: step.time, touched: step.time, steps: [step], files: ["a.md", "b.md"], ...changes }, "");

describe("the status", () => {
	it.each<[string, DraftInfo[], string | null]>([
		["nobody", [], null],
		["one draft", [draft()], "Claude Code is drafting: 2 files"],
		["one file", [draft({ files: ["a.md"] })], "Claude Code is drafting: 1 file"],
		["nothing staged yet", [draft({ files: [], steps: [] })], "Claude Code is drafting"],
		["two drafts of one client", [draft(), draft({ draftId: "draft-2" })], "Claude Code is drafting: 4 files"],
		["two clients", [draft(), draft({ clientId: "d" })], "2 programs are drafting: 4 files"],
		["a program without a name", [draft({ client: "a program without a name of its own" })], "A program without a name of its own is drafting: 2 files"],
	])("says it of %s", (_name, drafts, text) => {
		expect(draftingText(drafts)).toBe(text);
	});
});

it("says how much is staged", () => {
	expect(stagedText(draft())).toBe("1 change staged, in 2 files");
	expect(stagedText(draft({ steps: [], files: [] }))).toBe("Nothing is staged yet");
	expect(drafterOf(draft({ client: "" }))).toBe("");
});

it("says when as people do", () => {
	const now = new Date(2026, 10, 22, 18, 20).getTime();
	const time = new Date(now).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
	const before = (days: number): string => new Date(2026, 10, 22 - days, 18, 20).toISOString();
	expect(momentWords(before(0), now)).toBe(time);
	expect(momentWords(before(1), now)).toBe(`yesterday ${time}`);
	expect(momentWords(before(5), now)).toMatch(new RegExp(`17.* ${time}$`, "u"));
	expect(momentWords("never", now)).toBe("never");
});

describe("the list", () => {
	it("is not known before it was asked for, nor when the bridge is gone", async () => {
		const drafts = new Listing(async () => Promise.resolve([draft()]), "drafts.list");
		expect(drafts.all).toBeNull();
		await drafts.refresh();
		expect(drafts.all?.map((one) => one.draftId)).toEqual(["draft-1"]);
		drafts.forget();
		expect(drafts.all).toBeNull();
	});

	it("is that of the last question, whichever answer comes last", async () => {
		const answers: ((drafts: unknown) => void)[] = [];
		const drafts = new Listing(async () => new Promise((resolve) => answers.push(resolve)), "drafts.list");
		let heard = 0;
		drafts.changed.on(() => { heard++; });
		const [first, second] = [drafts.refresh(), drafts.refresh()];
		answers[1]?.([draft({ draftId: "new" })]);
		answers[0]?.([draft({ draftId: "old" })]);
		await Promise.all([first, second]);
		expect([drafts.all?.map((one) => one.draftId), heard]).toEqual([["new"], 1]);
		const late = drafts.refresh();
		drafts.forget();
		answers[2]?.([draft()]);
		await late;
		expect(drafts.all).toBeNull();
	});

	it("passes over a draft that cannot be read", async () => {
		const drafts = new Listing(async () => Promise.resolve([{ draftId: 1 }, draft()]), "drafts.list");
		await drafts.refresh();
		expect(drafts.all).toHaveLength(1);
	});
});
