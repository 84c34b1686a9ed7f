/** What a notice says of other programs' changes. */

import { describe, expect, it } from "vitest";
import { outsideNoticeText } from "../../src/core/history";
import type { OutsideNotice } from "../../src/core/wire/contract";

const NOW = new Date(2026, 2, 14, 12, 0).getTime();
const at = (hour: number, minute: number, day = 14): string => new Date(2026, 2, day, hour, minute).toISOString();
const shown = (iso: string): string => new Date(iso).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
const told = (more: Partial<OutsideNotice>): OutsideNotice => ({ entries: ["outside-1"], message: "17 notes changed, 3 deleted", began: at(10, 2), ended: at(10, 3), unattended: false, ...more });

describe("a notice says what was done, and when", () => {
	it.each<[string, Partial<OutsideNotice>, string]>([
		["over some time", {}, `Another program: 17 notes changed, 3 deleted, ${shown(at(10, 2))} to ${shown(at(10, 3))}`],
		["in one minute", { ended: at(10, 2) }, `Another program: 17 notes changed, 3 deleted, ${shown(at(10, 2))}`],
		["on another day", { began: at(10, 2, 13), ended: at(10, 2, 13) }, `Another program: 17 notes changed, 3 deleted, yesterday ${shown(at(10, 2))}`],
		["at a time that nobody knows", { unattended: true }, "Another program: 17 notes changed, 3 deleted while the bridge was not running"],
	])("%s", (_name, more, expected) => {
		expect(outsideNoticeText(told(more), NOW)).toBe(expected);
	});

	it("and cuts a name that is too long", () => {
		const text = outsideNoticeText(told({ message: "x".repeat(5000) }), NOW);
		expect(text).toContain(`${"x".repeat(200)}…, `);
	});
});
