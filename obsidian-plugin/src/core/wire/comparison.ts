/** What the bridge says of its index beside Obsidian's (`index.compare`). */

import { list, number, oneOf, record, string } from "../json";
import type { IndexComparison, IndexDifference, UncomparedNote } from "./contract";

export const readComparison = record<IndexComparison>({
	compared: number,
	links: number,
	tags: number,
	differences: list(
		record<IndexDifference>({
			path: string,
			kind: oneOf("link", "unresolved", "tag", "tag_order", "note"),
			target: string,
			obsidian: number,
			bridge: number,
		}),
	),
	more: number,
	uncompared: list(record<UncomparedNote>({ path: string, reason: oneOf("unsaved", "changed", "unread") })),
});
