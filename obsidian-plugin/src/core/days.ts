/** Moments by day, as people speak of them. */

/** What stands at the same distance from the beginning of its day is compared by the day alone. */
function dayOf(time: number): number {
	const date = new Date(time);
	return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The day of a moment: `Today`, `Yesterday`, or its date; the text itself when it is no moment. */
export function dayLabel(iso: string, now: number): string {
	const time = Date.parse(iso);
	if (Number.isNaN(time)) return iso.slice(0, 40);
	const days = Math.round((dayOf(now) - dayOf(time)) / 86_400_000);
	if (days === 0) return "Today";
	if (days === 1) return "Yesterday";
	const thisYear = new Date(now).getFullYear() === new Date(time).getFullYear();
	return new Date(time).toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long", ...(!thisYear && { year: "numeric" }) });
}
