import { describe, expect, it } from "vitest";
import { forLonger, isFarReaching } from "../../../src/core/consent/options";
import type { AnswerOption, Decision } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";

const option = (optionId: string, decision: Decision, changes: object = {}): AnswerOption =>
	reader("AnswerOption")({ optionId, decision, label: optionId, sentence: optionId, who: "client", what: "tool", until: "stop", ...changes }, "");

describe("answers for longer", () => {
	it("are grouped by yes and no, the suggested one first and the others as the bridge orders them", () => {
		const options = [option("once", "allow_once"), option("narrow", "allow_session"), option("fits", "allow_session", { suggested: true }), option("wide", "allow_always"), option("no", "deny_once"), option("no-session", "deny_session"), option("never", "deny_always")];
		const { allow, refuse } = forLonger(options);
		expect(allow.map((one) => one.optionId)).toEqual(["fits", "narrow", "wide"]);
		expect(refuse.map((one) => one.optionId)).toEqual(["no-session", "never"]);
	});

	it.each<[string, AnswerOption, boolean]>([
		["reading the vault for a session", option("a", "allow_session", { what: "reading" }), false],
		["one reading tool for a session", option("a", "allow_session"), false],
		["adding in a folder for a while", option("a", "allow_session", { what: "adding", where: ["Ideas/"], until: "time" }), false],
		["a tool that writes, in one folder", option("a", "allow_session", { operation: "update", where: ["Ideas/"] }), false],
		["a tool that writes, everywhere", option("a", "allow_session", { operation: "update" }), true],
		["every change", option("a", "allow_session", { what: "changing", operation: "update" }), true],
		["running anything", option("a", "allow_session", { what: "running" }), true],
		["anything for good", option("a", "allow_always", { what: "reading" }), true],
		["anything for every program", option("a", "allow_session", { who: "everyone", what: "reading" }), true],
		["the widest denial", option("a", "deny_always", { who: "everyone", what: "changing" }), false],
	])("mark as far-reaching: %s: %o", (_, one, far) => {
		expect(isFarReaching(one)).toBe(far);
	});
});
