/** Text where little room is. */

/** The beginning of what is longer than `most` characters, with an ellipsis. */
export function shorten(text: string, most: number): string {
	return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** `1 file`, `3 files`. */
export function counted(count: number, what: string): string {
	return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
