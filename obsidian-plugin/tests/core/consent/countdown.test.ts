import { expect, it } from "vitest";
import { countdown } from "../../../src/core/consent/countdown";

const now = Date.parse("2026-11-21T21:34:00Z");

it.each([
	["2026-11-21T21:39:00Z", "5:00", "calm"],
	["2026-11-21T21:34:59.2Z", "1:00", "calm"],
	["2026-11-21T21:34:29.9Z", "30 s", "soon"],
	["2026-11-21T23:35:00Z", "2 h 1 min", "calm"],
	["2026-11-21T21:33:00Z", "no time left", "over"],
	["soon", "no time left", "over"],
])("a question that ends at %s has %s", (expiresAt, text, urgency) => {
	expect(countdown(expiresAt, now)).toMatchObject({ text, urgency });
});
