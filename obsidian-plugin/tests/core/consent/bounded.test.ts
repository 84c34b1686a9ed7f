import { expect, it } from "vitest";
import { countedOf, countText, grantTitle } from "../../../src/core/consent/grants";
import type { Grant } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";

const grant = (changes: object = {}): Grant => reader("Grant")({ grantId: "g", kind: "session", who: "client", what: "adding", until: "time", sentence: "", decision: "allow_session", client: "Claude", mostFiles: 50, usedFiles: 12, ...changes }, "");

it("counts what permissions to add have been used for", () => {
	expect(countText([grant()])).toBe("12 of 50");
	expect(countText([grant(), grant({ mostFiles: 20, usedFiles: null })])).toBe("12 of 70");
	expect(countText([])).toBeNull();
	expect(grantTitle(grant())).toBe("Claude: 12 of 50 files");
});

it("leaves out what is not counted, and what refuses", () => {
	expect(countedOf([grant(), grant({ mostFiles: null }), grant({ decision: "deny_session" })])).toHaveLength(1);
});
