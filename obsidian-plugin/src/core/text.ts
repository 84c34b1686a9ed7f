/**
 * Text from outside, cut into pieces that are safe to look at.
 *
 * Note texts, paths, parameters and client names are written by others. As text nodes they cannot be markup, but they
 * could still hide something or reverse the reading order. So whatever a person cannot see is shown as a visible
 * escape such as `U+202E`. Nothing is left out.
 */

export interface Piece {
	text: string;
	/** Null for ordinary text; for an escape, what the character is. */
	hidden: string | null;
}

/**
 * Controls, format characters (bidirectional and zero width ones among them), lone surrogates, private use, line and
 * paragraph separators, whatever Unicode says may be drawn as nothing (fillers, variation selectors, tags), the braille
 * blank, and combining marks that pile up over other lines.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{4,}/gu;
/** A line as most are: nothing to look for. */
const PLAIN = /^[\t\n -~]*$/;

const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{So}|\p{Sm}|\p{Emoji_Modifier}|[#*0-9])\ufe0f?$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const ZERO_WIDTH_JOINER = "\u200d";
const EMOJI_SELECTOR = "\ufe0f";

const NAMES: Readonly<Record<number, string>> = {
	0x00: "null character",
	0x0d: "carriage return",
	0x1b: "escape",
	0xad: "soft hyphen",
	0x200b: "zero width space",
	0x200c: "zero width non-joiner",
	0x200d: "zero width joiner",
	0x200e: "left-to-right mark",
	0x200f: "right-to-left mark",
	0x2028: "line separator",
	0x2029: "paragraph separator",
	0x202a: "left-to-right embedding",
	0x202b: "right-to-left embedding",
	0x202c: "end of reordering",
	0x202d: "left-to-right override",
	0x202e: "right-to-left override",
	0x2060: "word joiner",
	0x2066: "left-to-right isolate",
	0x2067: "right-to-left isolate",
	0x2068: "first strong isolate",
	0x2069: "end of isolate",
	0xfeff: "byte order mark",
};

/** The pieces of `text`, in order. Joined with their escapes resolved they are exactly `text`. */
export function sanitize(text: string): Piece[] {
	if (PLAIN.test(text)) return text === "" ? [] : [{ text, hidden: null }];
	const pieces: Piece[] = [];
	let shown = 0;
	for (const match of text.matchAll(HIDDEN)) {
		const found = match[0];
		if (found === "\t" || found === "\n" || belongsToEmoji(text, match.index, found)) continue;
		if (match.index > shown) pieces.push({ text: text.slice(shown, match.index), hidden: null });
		for (const char of found) pieces.push({ text: escapeOf(char), hidden: nameOf(char) });
		shown = match.index + found.length;
	}
	if (shown < text.length) pieces.push({ text: text.slice(shown), hidden: null });
	return pieces;
}

/** The same as a plain string, where only a string fits (a notice, a tooltip). */
export function sanitizePlain(text: string): string {
	return sanitize(text)
		.map((piece) => (piece.hidden === null ? piece.text : `[${piece.text}]`))
		.join("");
}

/** What turns a symbol into an emoji, or joins two, is in every second note; anywhere else it hides something. */
function belongsToEmoji(text: string, at: number, found: string): boolean {
	if (found !== EMOJI_SELECTOR && found !== ZERO_WIDTH_JOINER) return false;
	const before = text.slice(Math.max(0, at - 4), at);
	if (!EMOJI_BEFORE.test(before)) return false;
	return found === EMOJI_SELECTOR || EMOJI_AFTER.test(text.slice(at + 1, at + 3));
}

function escapeOf(char: string): string {
	return `U+${codeOf(char).toString(16).toUpperCase().padStart(4, "0")}`;
}

function nameOf(char: string): string {
	return NAMES[codeOf(char)] ?? "a character that cannot be seen";
}

function codeOf(char: string): number {
	return char.codePointAt(0) ?? 0;
}

/** The beginning of what is longer than `most` characters, with an ellipsis. */
export function shorten(text: string, most: number): string {
	return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** `1 file`, `3 files`. */
export function counted(count: number, what: string): string {
	return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
