/** What the real bridge answered, recorded: the readers must take all of it. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { list, type Reader } from "../../../src/core/json";
import { readAuditRecord } from "../../../src/core/wire/audit";
import { readConsentRequest } from "../../../src/core/wire/consent";
import { grantSentence } from "../../../src/core/wire/grants";
import { readChangeEntry, readGrant } from "../../../src/core/wire/readers";
import { readTools } from "../../../src/core/wire/session";

const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../recorded/${name}.json`, import.meta.url), "utf8"));

it.each<[string, Reader<unknown>]>([
	["question", readConsentRequest],
	["audit", list(readAuditRecord)],
	["grants", list(readGrant)],
	["history", list(readChangeEntry)],
	["tools", readTools],
])("%s is read whole", (name, reader) => {
	const value = recorded(name);
	const read = reader(value, name);
	if (Array.isArray(value)) expect(read).toHaveLength(value.length);
	else expect(read).toMatchObject({ requestId: (value as { requestId: string }).requestId });
});

it("says of a remembered answer who may do what for how long", () => {
	const [first] = list(readGrant)(recorded("grants"), "");
	expect(first && grantSentence(first)).toEqual({ title: "Allowed: find", detail: "Claude Code, until the bridge stops" });
});
