import { describe, expect, it } from "vitest";
import { sanitize, sanitizePlain } from "../../../src/core/text";

/** The pieces as one string, escapes in braces. */
const drawn = (text: string): string => sanitize(text).map((piece) => (piece.hidden ? `{${piece.text}}` : piece.text)).join("");

describe("text from outside", () => {
	it.each([
		["right-to-left override", "evil\u202egnp.md", "evil{U+202E}gnp.md"],
		["isolates", "a\u2066b\u2069", "a{U+2066}b{U+2069}"],
		["zero width space", "pass\u200bword", "pass{U+200B}word"],
		["soft hyphen", "a\u00adb", "a{U+00AD}b"],
		["terminal escapes", "\u001b[2J", "{U+001B}[2J"],
		["tag characters", "a\u{e0041}b", "a{U+E0041}b"],
		["variation selector after a letter", "a\ufe0f", "a{U+FE0F}"],
		["joiner between letters", "a\u200db", "a{U+200D}b"],
		["a lone surrogate", "a\ud800b", "a{U+D800}b"],
		["byte order mark", "\ufeff# T", "{U+FEFF}# T"],
		["a lone carriage return", "a\rb", "a{U+000D}b"],
	])("shows %s", (_, text, expected) => {
		expect(drawn(text)).toBe(expected);
	});

	it("shows combining marks that pile up over other lines", () => {
		expect(drawn(`e${"\u0301".repeat(5)}`)).toBe(`e${"{U+0301}".repeat(5)}`);
	});

	it.each(["Grüße, 日本語, עברית", "a\tb\nc", "❤️ 👩‍👩‍👧 1️⃣ 👍🏽", "e\u0301", "<script>alert(1)</script>"])("leaves %o as it is", (text) => {
		expect(sanitize(text)).toEqual([{ text, hidden: null }]);
	});

	it("has no pieces when there is no text", () => {
		expect(sanitize("")).toEqual([]);
	});

	it("says what a hidden character is", () => {
		expect(sanitize("\u202e")).toEqual([{ text: "U+202E", hidden: "right-to-left override" }]);
	});

	it("can be put into a plain string", () => {
		expect(sanitizePlain("a\u202eb")).toBe("a[U+202E]b");
	});
});
