import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { History, type HistoryFilter } from "../../src/core/history";

const recorded = (name: string): unknown => JSON.parse(readFileSync(new URL(`../recorded/${name}.json`, import.meta.url), "utf8"));
const NOW = Date.parse("2026-01-01T12:00:00Z");
const ALL: HistoryFilter = { clientId: "", hours: null };
const answering = (answer: unknown): History => new History(async () => Promise.resolve(answer), () => NOW);
/** What the bridge is asked. */
const asking = async (ask: (history: History) => Promise<unknown>): Promise<unknown> => {
	const asked: unknown[] = [];
	const history = new History(async (method, params) => {
		asked.push({ method, params });
		return Promise.resolve(method === "history.list" ? [] : recorded("history-undo-all"));
	}, () => NOW);
	await ask(history);
	return asked[0];
};

describe("the history of changes", () => {
	it("is read as the bridge lists it", async () => {
		const list = await answering(recorded("history")).list(ALL, null);
		expect(list[0]).toMatchObject({ outside: true, who: "Another program", files: ["Inbox/Idea.md"] });
		expect(list[1]).toMatchObject({ outside: false, state: "undone", files: ["Archive/Old reading list.md"] });
		expect(list.at(-1)).toMatchObject({ state: "applied", client: "Claude Code", summary: "Edit Welcome.md: 1 line changed" });
	});

	it("is asked for by client, by time and by page", async () => {
		expect(await asking(async (history) => history.list(ALL, null))).toEqual({ method: "history.list", params: { limit: 50 } });
		expect(await asking(async (history) => history.list({ clientId: "c-1", hours: 1 }, "patch-7"))).toEqual({
			method: "history.list",
			params: { limit: 50, client: "c-1", since: "2026-01-01T11:00:00.000Z", before: "patch-7" },
		});
	});

	it("is undone as a whole only by the names of the changes that were shown", async () => {
		expect(await asking(async (history) => history.foresee({ clientId: "c-1", hours: null }))).toEqual({ method: "history.undoAll", params: { client: "c-1", preview: true } });
		expect(await asking(async (history) => history.undoThese(["a", "b"]))).toEqual({ method: "history.undoAll", params: { executionIds: ["a", "b"] } });
	});

	it("has the diff of each change", async () => {
		expect(await answering(recorded("history-diff")).diff("patch-1")).toMatchObject({ files: [{ path: "Welcome.md", change: "modify" }], lost: [] });
	});

	it("shows what an undo would do", async () => {
		expect(await answering(recorded("preview-undo")).preview("undo", "patch-1")).toMatchObject({ direction: "undo", executionId: "patch-1", files: [{ path: "Welcome.md", change: "modify" }] });
	});

	it("says in the bridge's words why there is nothing to undo", async () => {
		const failed = { success: false, error: "There is no change 'x' in the history", errorType: "not_found", text: "Error: …" };
		await expect(answering(failed).preview("undo", "x")).rejects.toThrow("There is no change 'x' in the history");
	});
});
