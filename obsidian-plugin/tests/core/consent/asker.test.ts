import { expect, it } from "vitest";
import { askerOf, filesOf, noteOf, notificationOf } from "../../../src/core/consent/asker";
import type { ConsentRequest } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";
import { question } from "../samples";

const asked = (changes: object = {}): ConsentRequest => reader("ConsentRequest")({ ...question, ...changes }, "");
const preview = (...files: object[]): object => ({ preview: { files: files.map((file) => ({ change: "modify", diff: "", ...file })), warnings: [] } });

it("is the name that the person gave, and never what a program says of itself", () => {
	expect(askerOf(asked())).toBe("Claude Code");
	expect(askerOf(asked({ verified: false, client: "Obsidian Sync (verified by Obsidian)", callsItself: "Obsidian Sync" }))).toBe("A program without a name of its own");
});

it.each<[string, object, string]>([
	["one file", preview({ path: "Projects/Garden.md" }), "Garden.md"],
	["several", preview({ path: "A.md" }, { path: "B.md" }, { path: "C.md" }), "A.md and 2 more"],
	["a move that links follow", preview({ path: "X/A.md", change: "move", newPath: "B.md" }, { path: "N.md", follows: true }), "A.md"],
	["a folder", { preview: null, targets: ["Projects/Old/"] }, "Old"],
	["nothing that is known", { preview: null, targets: [] }, ""],
])("names the files of %s without their folders", (_, changes, names) => {
	expect(filesOf(asked(changes))).toBe(names);
});

it.each<[string, object, string | null]>([
	["the note that changes", preview({ path: "N.md", change: "create" }, { path: "A.md" }), "A.md"],
	["the note that is read", { preview: null, targets: ["A.md"] }, "A.md"],
	["none where all is new", preview({ path: "N.md", change: "create" }), null],
	["none where nothing is named", { preview: null, targets: [] }, null],
])("looks at %s", (_, changes, note) => {
	expect(noteOf(asked(changes))).toBe(note);
});

it("says nothing to the system that it could take for markup, and none of the agent's words", () => {
	const { title, body } = notificationOf(asked({ summary: "SUMMARY", reason: "REASON", client: "CLIENT", tool: { ...question.tool, title: `<b>T</b>&${"x".repeat(500)}` }, ...preview({ path: "a/<i>\u202e\n\nn.md" }) }), 1);
	expect([title, body].join()).not.toMatch(/[<>&\n]|SUMMARY|REASON|CLIENT|\p{Bidi_Control}/u);
	expect(title.length).toBeLessThan(100);
	expect(notificationOf(asked(), 3).title).toBe("Vault Bridge: 3 questions wait");
});
