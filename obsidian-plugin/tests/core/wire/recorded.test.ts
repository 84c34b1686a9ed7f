/** What the real bridge answered, recorded by `scripts/record-fixtures`: the readers must take all of it. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dictionary, list, unknown, type Reader } from "../../../src/core/json";
import { readSettingsSchema } from "../../../src/core/settings/schema";
import { readAuditRecord } from "../../../src/core/wire/audit";
import { chainStatus } from "../../../src/core/wire/auditState";
import { readConsentRequest } from "../../../src/core/wire/consent";
import { grantSentence } from "../../../src/core/wire/grants";
import { readAuditStats, readCallPreview, readChangeDiff, readChangeEntry, readClientInfo, readGrant, readKeyStatus, readSearchServiceInfo, readToolDescription, readUndoneAll } from "../../../src/core/wire/readers";

const folder = new URL("../../recorded/", import.meta.url);
const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

const readers: Record<string, Reader<unknown>> = {
	audit: list(readAuditRecord),
	"audit-stats": readAuditStats,
	"audit-verify": chainStatus,
	clients: list(readClientInfo),
	grants: list(readGrant),
	history: list(readChangeEntry),
	"history-diff": readChangeDiff,
	"history-undo-all": readUndoneAll,
	"keys-status": list(readKeyStatus),
	"preview-undo": readCallPreview,
	questions: dictionary(readConsentRequest),
	"search-services": list(readSearchServiceInfo),
	settings: dictionary(unknown),
	"settings-schema": readSettingsSchema,
	tools: list(readToolDescription),
};

it("everything that is recorded has its reader", () => {
	expect(readdirSync(folder).sort()).toEqual(Object.keys(readers).map((name) => `${name}.json`).sort());
});

it.each(Object.entries(readers))("%s is read whole", (name, reader) => {
	const value = recorded(name);
	const read = reader(value, name);
	if (Array.isArray(value)) expect(read).toHaveLength(value.length);
	else expect(Object.keys(read as object).length).toBeGreaterThan(0);
});

it("every kind of operation was asked about", () => {
	const questions = Object.values(dictionary(readConsentRequest)(recorded("questions"), ""));
	expect(new Set(questions.map((one) => one.operation))).toEqual(new Set(["read", "create", "update", "delete"]));
});

it("says of a remembered answer who may do what for how long", () => {
	const [first] = list(readGrant)(recorded("grants"), "");
	expect(first && grantSentence(first)).toEqual({ title: "Claude Code may use Find without asking, until the bridge stops.", detail: "Since 2026-01-05" });
});
