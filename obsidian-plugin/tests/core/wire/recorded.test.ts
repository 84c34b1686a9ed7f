/** What the real bridge answered, recorded by `scripts/record-fixtures`: the readers must take all of it. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dictionary, list, object, unknown, type Reader } from "../../../src/core/json";
import { readSettingsSchema } from "../../../src/core/settings/schema";
import { readLogLine } from "../../../src/core/audit";
import { grantSentence } from "../../../src/core/consent/grants";
import { reader } from "../../../src/core/wire/reading";

const folder = new URL("../../recorded/", import.meta.url);
const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

const readers: Record<string, Reader<unknown>> = {
	audit: list(readLogLine),
	"audit-stats": reader("AuditStats"),
	"audit-verify": reader("AuditVerification"),
	clients: list(reader("ClientInfo")),
	grants: list(reader("Grant")),
	history: list(reader("ChangeEntry")),
	"history-diff": reader("ChangeDiff"),
	"history-undo-all": reader("UndoneAll"),
	"keys-status": list(reader("KeyStatus")),
	"preview-undo": reader("CallPreview"),
	questions: dictionary(reader("ConsentRequest")),
	"search-services": list(reader("SearchServiceInfo")),
	settings: dictionary(unknown),
	"settings-schema": readSettingsSchema,
	tools: list(object),
};

it("everything that is recorded has its reader", () => {
	expect(readdirSync(folder).sort()).toEqual(Object.keys(readers).map((name) => `${name}.json`).sort());
});

it.each(Object.entries(readers))("%s is read whole", (name, whole) => {
	const value = recorded(name);
	const read = whole(value, name);
	if (Array.isArray(value)) expect(read).toHaveLength(value.length);
	else expect(Object.keys(read as object).length).toBeGreaterThan(0);
});

it("every kind of operation was asked about", () => {
	const questions = Object.values(dictionary(reader("ConsentRequest"))(recorded("questions"), ""));
	expect(new Set(questions.map((one) => one.operation))).toEqual(new Set(["read", "create", "update", "delete"]));
});

it("says of a remembered answer who may do what for how long", () => {
	const [first] = list(reader("Grant"))(recorded("grants"), "");
	expect(first && grantSentence(first)).toEqual({ title: "Claude Code may use Find without asking, until the bridge stops.", detail: "Since 2026-01-05" });
});
