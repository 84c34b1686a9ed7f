/** A diff as it is drawn: hunks of rows, each row with its line numbers and the parts that changed. */

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
