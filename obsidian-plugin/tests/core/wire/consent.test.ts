import { describe, expect, it } from "vitest";
import { ShapeError } from "../../../src/core/json";
import { reader } from "../../../src/core/wire/reading";
import { question } from "../samples";

describe("a question from the bridge", () => {
	it("is read whole", () => {
		expect(reader("ConsentRequest")(question, "")).toMatchObject({ requestId: "c-9f2e", planDigest: "sha256:0", hunksSupported: false });
	});

	it("may have no preview, reason or digest", () => {
		expect(reader("ConsentRequest")({ ...question, preview: null, reason: null, planDigest: null }, "")).toMatchObject({ preview: null, reason: null });
	});

	it("offers no answer that this plugin does not know", () => {
		expect(reader("ConsentRequest")({ ...question, choices: ["allow_once", "allow_everything", "deny_once"] }, "").choices).toEqual(["allow_once", "deny_once"]);
	});

	it.each([
		["without a summary", { ...question, summary: undefined }],
		["with a risk nobody knows", { ...question, riskLevel: "none" }],
		["with a file that cannot be shown", { ...question, preview: { files: [{ path: "a.md", change: "transmogrify" }] } }],
		["that is no object", "c-9f2e"],
	])("is refused %s", (_, value) => {
		expect(() => reader("ConsentRequest")(value, "")).toThrow(ShapeError);
	});
});
