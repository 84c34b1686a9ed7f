/** A diff as it is drawn: hunks of rows, read from the text of a unified diff, and what a person makes of them. */

export type RowKind = "context" | "added" | "removed" | "note";

/** A part of a row's text, from `start` up to and without `end`. */
export interface Span {
	start: number;
	end: number;
}

export interface Row {
	kind: RowKind;
	/** The line of the file, without its sign and line feed. */
	text: string;
	/** Its number before the change, null where it has none. */
	old: number | null;
	/** Its number after the change, null where it has none. */
	new: number | null;
}

export interface Hunk {
	/** Its place in the file's diff, from 0: what `hunks` of `consent.respond` names. */
	index: number;
	oldStart: number;
	newStart: number;
	/** What the hunk's header says after the second `@@`. */
	heading: string;
	rows: Row[];
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/**
 * The hunks of a diff. Only the counts in the headers say what a line is, so a note that holds `--- a` or `@@` cannot
 * confuse it. Lines that no hunk claims are shown as notes rather than dropped, but for the two lines that name the file.
 */
export function parseDiff(diff: string): Hunk[] {
	const hunks: Hunk[] = [];
	let hunk: Hunk | null = null;
	let oldLine = 0;
	let newLine = 0;
	let oldLeft = 0;
	let newLeft = 0;
	for (const line of linesOf(diff)) {
		const inside: boolean = hunk !== null && (oldLeft > 0 || newLeft > 0);
		const header: RegExpExecArray | null = inside ? null : HEADER.exec(line);
		if (header) {
			oldLine = Number(header[1]);
			newLine = Number(header[3]);
			oldLeft = Number(header[2] ?? 1);
			newLeft = Number(header[4] ?? 1);
			hunk = { index: hunks.length, oldStart: oldLine, newStart: newLine, heading: header[5] ?? "", rows: [] };
			hunks.push(hunk);
		} else if (hunk && line.startsWith("\\")) {
			hunk.rows.push(note(line.slice(1).trim()));
		} else if (hunk && inside && line.startsWith("-")) {
			hunk.rows.push({ kind: "removed", text: line.slice(1), old: oldLine++, new: null });
			oldLeft--;
		} else if (hunk && inside && line.startsWith("+")) {
			hunk.rows.push({ kind: "added", text: line.slice(1), old: null, new: newLine++ });
			newLeft--;
		} else if (hunk && inside) {
			hunk.rows.push({ kind: "context", text: line.slice(1), old: oldLine++, new: newLine++ });
			oldLeft--;
			newLeft--;
		} else if (hunk && line !== "") {
			hunk.rows.push(note(line));
		}
	}
	return hunks;
}

function note(text: string): Row {
	return { kind: "note", text, old: null, new: null };
}

function* linesOf(text: string): Generator<string> {
	let start = 0;
	while (start < text.length) {
		const end = text.indexOf("\n", start);
		yield end < 0 ? text.slice(start) : text.slice(start, end);
		start = end < 0 ? text.length : end + 1;
	}
}

/** Without carriage returns, which a text field does not keep: the bridge gives each line the end that it has. */
export function newSideOf(hunk: Hunk): string {
	return hunk.rows.filter(isNew).map((row) => row.text.replace(/\r$/, "")).join("\n");
}

/** Each line with its end, so that an empty one at the end counts; but the last of a file that is to have none there. */
export function asLines(hunk: Hunk, text: string): string {
	const last = hunk.rows.findLastIndex(isNew);
	const endsOpen = hunk.rows[last + 1]?.kind === "note";
	return text === "" || endsOpen ? text : `${text}\n`;
}

function isNew({ kind }: Row): boolean {
	return kind === "context" || kind === "added";
}
