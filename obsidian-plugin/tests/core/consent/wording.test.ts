import { expect, it } from "vitest";
import { outcomeSentence, scopeSentence } from "../../../src/core/consent/wording";

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

it("says what a longer answer holds for", () => {
	expect(scopeSentence("tool", "Read", ["a"])).toBe("every use of Read by this client");
	expect(scopeSentence("target", "Edit", ["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});
