import { describe, expect, it } from "vitest";
import { ShapeError } from "../../../src/core/json";
import { reader } from "../../../src/core/wire/reading";

const changes = [{ path: "a.md", expected: "00ff", content: "text" }];

describe("what the bridge wants written", () => {
	it("is read with the moment up to which it may be", () => {
		const question = { changes, expiresAt: "2026-11-21T21:39:01.512Z" };
		expect(reader("WriteQuestion")(question, "")).toEqual(question);
	});

	it.each([undefined, null, 5, "", "soon"])("is refused when that moment is %o", (expiresAt) => {
		expect(() => reader("WriteQuestion")({ changes, expiresAt }, "")).toThrow(ShapeError);
	});
});
