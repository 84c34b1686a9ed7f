import { describe, expect, it } from "vitest";
import { semanticText } from "../../../src/core/settings/labels";
import type { SemanticStatus } from "../../../src/core/wire/contract";

const status: SemanticStatus = { state: "ready", reason: "", model: "small", done: 3, total: 4, passages: 9, size: 5_242_880, endpoint: null, sentence: null };

describe("search by meaning", () => {
	it.each([
		[{ state: "ready" }, "3 of 4 notes are prepared. Model: small, 5.0 MB."],
		[{ state: "embedding" }, "3 of 4 notes are prepared. Model: small, 5.0 MB."],
		[{ state: "paused", reason: "battery" }, "3 of 4 notes are prepared. It goes on when this computer is plugged in. Model: small, 5.0 MB."],
		[{ state: "paused", reason: "load" }, "3 of 4 notes are prepared. It goes on when this computer is less busy. Model: small, 5.0 MB."],
		[{ state: "failed", reason: "they cannot be kept on the disk" }, "It does not work: they cannot be kept on the disk. It is tried again. Model: small, 5.0 MB."],
		[{ state: "off", model: "" }, "Search by meaning is off."],
		[{ state: "failed", model: "", reason: "Ollama is away." }, "It does not work: Ollama is away. It is tried again."],
		[
			{ state: "not_allowed", model: "", endpoint: "http://192.0.2.7:11434" },
			"The model that is set runs on another computer (http://192.0.2.7:11434), and nothing is sent there before you allow it.",
		],
		[{ state: "missing", model: "" }, "No model for it is installed: notes are found by their words."],
		[{ state: "waiting", model: "" }, "Waits until the notes are read."],
	] as [Partial<SemanticStatus>, string][])("is told of as %j", (part, text) => {
		expect(semanticText({ ...status, ...part })).toBe(text);
	});
});
