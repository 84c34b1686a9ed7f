/** What a notice says of other programs' changes. */

import { momentWords } from "./drafts";
import type { OutsideNotice } from "./wire/contract";
import { shorten } from "./text/shorten";

const LONGEST = 200;

/** `Another program: 17 notes changed, 3 deleted, 10:02 to 10:03`. */
export function outsideNoticeText({ message, began, ended, unattended }: OutsideNotice, now: number): string {
	const from = momentWords(began ?? "", now);
	const to = momentWords(ended ?? "", now);
	const when = unattended ? " while the bridge was not running" : from === to ? `, ${to}` : `, ${from} to ${to}`;
	return `Another program: ${shorten(message, LONGEST)}${when}`;
}
