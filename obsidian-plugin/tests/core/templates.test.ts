/** From a form to the values of a template's parameters, and that an old list never takes the place of a newer one. */

import { describe, expect, it } from "vitest";
import { saidAtFirst, Templates, valuesOf, type Said } from "../../src/core/templates";
import type { TemplateParameter } from "../../src/core/wire/contract";
import { readTemplateParameter } from "../../src/core/wire/readers";

const parameter = (members: object): TemplateParameter => readTemplateParameter({ name: "x", default: null, ...members }, "");
const now = new Date(2026, 10, 22, 12).getTime();

describe("a form", () => {
	it.each<[object, Said]>([
		[{}, ""],
		[{ default: "Daily" }, "Daily"],
		[{ choices: ["a", "b"] }, "a"],
		[{ choices: ["a", "b"], default: "b" }, "b"],
		[{ type: "number", default: 7 }, "7"],
		[{ type: "boolean", default: true }, true],
		[{ type: "boolean" }, false],
		[{ type: "list", default: ["a", 3, "b"] }, "a\nb"],
		[{ type: "list" }, ""],
		[{ type: "date", default: "today" }, "2026-11-22"],
		[{ type: "date", default: "tomorrow" }, "2026-11-23"],
		[{ type: "date", default: "2024-02-29" }, "2024-02-29"],
		[{ type: "date" }, ""],
	])("begins with what %o says", (members, first) => {
		expect(saidAtFirst(parameter(members), now)).toBe(first);
	});

	it.each<[object, Said, unknown]>([
		[{}, "a b", "a b"],
		[{ type: "number" }, " 2.5 ", 2.5],
		[{ type: "boolean" }, false, false],
		[{ type: "list" }, "a\n\n b ", ["a", "b"]],
		[{ type: "list", default: ["a"] }, "", []],
		[{ type: "date" }, "2026-11-22", "2026-11-22"],
		[{ optional: true }, "", undefined],
		[{ type: "number", default: 3 }, "", undefined],
		[{ default: "Daily" }, "", ""],
	])("of %o that says %j means %j", (members, said, value) => {
		const { values, faults } = valuesOf([parameter(members)], new Map([["x", said]]));
		expect([...faults]).toEqual([]);
		expect(values["x"]).toEqual(value);
	});

	it.each<[object, Said, string]>([
		[{}, " ", "This is needed."],
		[{ type: "date" }, "", "This is needed."],
		[{ type: "number" }, "seven", "This must be a number."],
	])("of %o that says %j is sent back", (members, said, fault) => {
		const { faults } = valuesOf([parameter(members)], new Map([["x", said]]));
		expect(faults.get("x")).toBe(fault);
	});
});

it("knows the list from the bridge, without what it cannot read, and not when the bridge is gone", async () => {
	const good = { template: { name: "a", title: "A", calls: [] }, shipped: true };
	const templates = new Templates(async () => Promise.resolve([good, { template: 3 }]));
	expect(templates.all).toBeNull();
	await templates.refresh();
	expect(templates.all?.map((info) => info.template.name)).toEqual(["a"]);
	templates.forget();
	expect(templates.all).toBeNull();
});

it("lets no older answer take the place of a newer one", async () => {
	const waiting: ((list: unknown) => void)[] = [];
	const templates = new Templates(async () => new Promise((resolve) => waiting.push(resolve)));
	const first = templates.refresh();
	const second = templates.refresh();
	waiting[1]?.([]);
	await second;
	waiting[0]?.([{ template: { name: "old", title: "Old", calls: [] }, shipped: true }]);
	await first;
	expect(templates.all).toEqual([]);
});
