import { expect, it } from "vitest";
import { changeLabel, outcomeSentence } from "../../../src/core/consent/wording";
import { reader } from "../../../src/core/wire/reading";

it.each([
	["allow_once", "vault-bridge approve", "It was allowed in vault-bridge approve."],
	["denied", null, "It was denied."],
	["timed_out", null, "Nobody answered in time, so it was refused."],
	["cancelled", "x", "The client withdrew it."],
	[null, null, "The bridge stopped before it was answered, so nothing was done."],
	["vanished", null, "It ended: vanished."],
])("a question that ended with %s", (outcome, by, sentence) => {
	expect(outcomeSentence(outcome, by)).toBe(sentence);
});

it.each([
	["Notes/Jam.md", "Notes/Plum jam.md", "Renamed"],
	["Jam.md", "Plum jam.md", "Renamed"],
	["Notes/Jam.md", "Archive/Jam.md", "Moved"],
	["Jam.md", "Archive/Jam.md", "Moved"],
])("calls a move from %s to %s by what changes", (path, newPath, label) => {
	expect(changeLabel(reader("FilePreview")({ path, change: "move", newPath }, ""))).toBe(label);
});
