/** What a notice says of other programs' changes. */

import { dayLabel } from "./days";
import type { OutsideNotice } from "./wire/contract";

const LONGEST = 200;

/** `Another program: 17 notes changed, 3 deleted, 10:02 to 10:03`. */
export function outsideNoticeText({ message, began, ended, unattended }: OutsideNotice, now: number): string {
	const what = message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
	const from = moment(began, now);
	const to = moment(ended, now);
	const when = unattended ? " while the bridge was not running" : from === to ? `, ${to}` : `, ${from} to ${to}`;
	return `Another program: ${what}${when}`;
}

function moment(iso: string | null, now: number): string {
	if (iso === null) return "";
	const day = dayLabel(iso, now);
	const time = new Date(iso).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
	return day === "Today" ? time : `${day} ${time}`;
}
