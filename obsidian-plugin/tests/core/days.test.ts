import { expect, it } from "vitest";
import { dayLabel } from "../../src/core/days";

const at = (year: number, month: number, day: number, hour: number): number => new Date(year, month - 1, day, hour).getTime();
const iso = (...moment: [number, number, number, number]): string => new Date(at(...moment)).toISOString();
const now = at(2026, 3, 30, 1);

it.each([
	[iso(2026, 3, 30, 0), "Today"],
	[iso(2026, 3, 29, 23), "Yesterday"],
	[iso(2026, 3, 29, 0), "Yesterday"],
	["no time at all", "no time at all"],
])("%s is %s", (time, label) => {
	expect(dayLabel(time, now)).toBe(label);
});

it("names other days by their date, with the year where it is another", () => {
	expect(dayLabel(iso(2026, 3, 27, 12), now)).not.toContain("2026");
	expect(dayLabel(iso(2026, 3, 27, 12), now)).toContain("27");
	expect(dayLabel(iso(2025, 3, 27, 12), now)).toContain("2025");
});
