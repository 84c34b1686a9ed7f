/** What a message is made of, word for word. */

import { describe, expect, it } from "vitest";
import { composed, mentionAt, notesLike, withMention, type NoteName } from "../../../src/core/chat/compose";

const note = (path: string): NoteName => ({ path, name: path.replace(/^.*\//u, "").replace(/\.md$/u, "") });
const notes = ["Garden/Seeds.md", "Seeds to buy.md", "Daily/2025-03-14.md", "Garden/Old seeds.md", "Reseeding.md", "Welcome.md"].map(note);

describe("a mention", () => {
	it.each<[string, string, string | null]>([
		["at the beginning", "@", ""],
		["in the middle", "see @Gar", "Gar"],
		["with spaces in it", "see @Seeds to b", "Seeds to b"],
		["after a bracket", "(@a", "a"],
		["not in an address", "write to me@example.org", null],
		["not in the line above", "@a\nb", null],
		["not in a link", "@[[a]] b", null],
		["not far away", `@${"a".repeat(80)}`, null],
	])("is known %s", (_name, text, query) => {
		expect(mentionAt(text, text.length)?.query ?? null).toBe(query);
	});

	it("becomes a link to the note, where it was begun", () => {
		const text = "What of @see and more";
		const mention = mentionAt(text, 12);
		expect(mention).toEqual({ from: 8, query: "see" });
		expect(mention && withMention(text, 12, mention, "Garden/Seeds.md")).toEqual({ text: "What of [[Garden/Seeds]] and more", caret: 25 });
	});

	it("finds the notes whose names begin so first", () => {
		expect(notesLike(notes, "seed").map(({ path }) => path)).toEqual(["Garden/Seeds.md", "Seeds to buy.md", "Garden/Old seeds.md", "Reseeding.md"]);
		expect(notesLike(notes, "garden").map(({ path }) => path)).toEqual(["Garden/Seeds.md", "Garden/Old seeds.md"]);
		expect(notesLike(notes, "zebra")).toEqual([]);
		expect(notesLike(Array.from({ length: 50 }, (_, number) => note(`${number}.md`)), "")).toHaveLength(8);
	});
});

describe("what is sent", () => {
	it.each<[string, Parameters<typeof composed>[1], string]>([
		["alone", { note: null, selection: null }, "Hello"],
		["with the name of the open note", { note: "A b/C.md", selection: null }, "Hello\n\n(The open note is [[A b/C]].)"],
		["with what is selected, quoted", { note: "C.md", selection: { path: "C.md", text: "one\ntwo" } }, "Hello\n\n(Selected in the open note [[C]]:)\n> one\n> two"],
	])("is what is typed, %s", (_name, attached, wanted) => {
		expect(composed(" Hello\n", attached)).toBe(wanted);
	});
});
