import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { History } from "../../src/core/history";

const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`../recorded/${name}.json`, import.meta.url), "utf8"));
const answering = (answer: unknown): History => new History(async () => Promise.resolve(answer));

describe("the history of changes", () => {
	it("is read as the bridge lists it", async () => {
		expect(await answering(recorded("history")).list(null)).toMatchObject([{ state: "undone", files: ["Welcome.md"], canUndo: true }, { state: "applied" }]);
	});

	it("shows what an undo would do", async () => {
		expect(await answering(recorded("preview-undo")).preview("undo", "patch-1")).toMatchObject({ direction: "undo", executionId: "patch-1", files: [{ path: "Welcome.md", change: "modify" }] });
	});

	it("says in the bridge's words why there is nothing to undo", async () => {
		const failed = { success: false, error: "There is no change 'x' in the history", errorType: "not_found", text: "Error: …" };
		await expect(answering(failed).preview("undo", "x")).rejects.toThrow("There is no change 'x' in the history");
	});
});
