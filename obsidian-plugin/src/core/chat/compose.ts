/** What a message is made of: what the person types, the notes it mentions, and what it is about. */

export interface NoteName {
	path: string;
	/** Its name without the folder and `.md`. */
	name: string;
}

export interface Mention {
	from: number;
	query: string;
}

/** What goes along with a message. */
export interface Attached {
	/** The note that is open: only its name goes along. */
	note: string | null;
	/** What is selected in it: this goes along word for word. */
	selection: { path: string; text: string } | null;
}

const MOST_QUERY = 60;
const MOST_FOUND = 8;
/** Characters of a selection that are quoted; the bridge takes 200,000 of a message. */
export const MOST_SELECTED = 100_000;

/** What is being mentioned where the caret stands: an `@` that begins a word, and what is written after it. */
export function mentionAt(text: string, caret: number): Mention | null {
	const before = text.slice(Math.max(0, caret - MOST_QUERY - 1), caret);
	const found = /(?:^|[\s([{"'])@([^@\n[\]]*)$/u.exec(before);
	const query = found?.[1];
	return query === undefined ? null : { from: caret - query.length - 1, query };
}

/** The notes that are meant, the likeliest first. */
export function notesLike(notes: readonly NoteName[], query: string): NoteName[] {
	const wanted = query.toLowerCase().trim();
	const ranked: [number, NoteName][] = [];
	for (const note of notes) {
		const rank = rankOf(note, wanted);
		if (rank !== null) ranked.push([rank, note]);
	}
	ranked.sort(([one, left], [other, right]) => one - other || left.path.length - right.path.length || left.path.localeCompare(right.path));
	return ranked.slice(0, MOST_FOUND).map(([, note]) => note);
}

function rankOf({ path, name }: NoteName, wanted: string): number | null {
	const lower = name.toLowerCase();
	if (lower.startsWith(wanted)) return 0;
	if (lower.split(/[\s_-]+/u).some((word) => word.startsWith(wanted))) return 1;
	if (lower.includes(wanted)) return 2;
	return path.toLowerCase().includes(wanted) ? 3 : null;
}

export function withMention(text: string, caret: number, { from }: Mention, path: string): { text: string; caret: number } {
	const link = `${linkTo(path)} `;
	return { text: text.slice(0, from) + link + text.slice(caret).replace(/^ /u, ""), caret: from + link.length };
}

export function composed(text: string, { note, selection }: Attached): string {
	const parts = [text.trim()];
	if (note !== null && note !== selection?.path) parts.push(`(The open note is ${linkTo(note)}.)`);
	if (selection) {
		const lines = selection.text.slice(0, MOST_SELECTED).split("\n").map((line) => `> ${line}`);
		parts.push(`(Selected in the open note ${linkTo(selection.path)}:)\n${lines.join("\n")}`);
	}
	return parts.join("\n\n");
}

function linkTo(path: string): string {
	return `[[${path.replace(/\.md$/u, "")}]]`;
}
