import { describe, expect, it } from "vitest";
import { checkIndex, type IndexSource } from "../../../src/core/index";
import type { IndexComparison, ObsidianFacts } from "../../../src/core/wire/contract";

const facts = (more: Partial<ObsidianFacts> = {}): ObsidianFacts => ({ resolved: {}, unresolved: {}, tags: [], mtime: 1, size: 2, ...more });
const answer = (more: Partial<IndexComparison> = {}): IndexComparison => ({ compared: 0, links: 0, tags: 0, differences: [], more: 0, uncompared: [], ...more });

interface Asked {
	files: Record<string, ObsidianFacts>;
	unsaved?: string[];
	notes?: string[];
}

function source(notes: string[], known: (path: string) => ObsidianFacts | null = () => facts()): IndexSource {
	return { notes: () => notes, facts: known, unsaved: async (paths) => Promise.resolve(paths.filter((path) => path.startsWith("open"))) };
}

async function run(from: IndexSource, reply: (asked: Asked) => unknown = () => answer(), told: (done: number) => boolean = () => true): Promise<[Asked[], IndexComparison | null]> {
	const asked: Asked[] = [];
	const found = await checkIndex(
		from,
		async (method, params) => {
			expect(method).toBe("index.compare");
			asked.push(params as unknown as Asked);
			return Promise.resolve(reply(params as unknown as Asked));
		},
		told,
	);
	return [asked, found];
}

describe("the check of the index", () => {
	it("sends every note once, five hundred at a time, and then the list of all", async () => {
		const notes = Array.from({ length: 1201 }, (_, number) => `${number}.md`);
		const progress: number[] = [];
		const [asked] = await run(source(notes), undefined, (done) => progress.push(done) > 0);
		expect(asked.map((one) => Object.keys(one.files).length)).toEqual([500, 500, 201, 0]);
		expect(asked.flatMap((one) => Object.keys(one.files))).toEqual(expect.arrayContaining(notes));
		expect(asked.map((one) => one.notes?.length)).toEqual([undefined, undefined, undefined, 1201]);
		expect(progress).toEqual([0, 500, 1000, 1201]);
	});

	it("keeps a request far below the largest frame", async () => {
		const large = facts({ unresolved: { ["x".repeat(1_500_000)]: 1 } });
		const [asked] = await run(source(["a.md", "b.md", "c.md", "d.md"], () => large));
		expect(asked.map((one) => Object.keys(one.files).length)).toEqual([2, 2, 0]);
	});

	it("leaves out the list of all notes where that is too long for a frame", async () => {
		const notes = Array.from({ length: 13 }, (_, number) => "x".repeat(1_000_000) + String(number));
		const [asked] = await run(source(notes, () => null));
		expect(asked).toEqual([]);
	});

	it("says which notes are not saved, and passes over those that are gone", async () => {
		const [asked] = await run(source(["open.md", "gone.md", "b.md"], (path) => (path === "gone.md" ? null : facts())));
		expect(asked[0]).toMatchObject({ unsaved: ["open.md"] });
		expect(Object.keys(asked[0]?.files ?? {})).toEqual(["open.md", "b.md"]);
	});

	it("gathers what the bridge finds", async () => {
		const difference = { path: "a.md", kind: "link", target: "b.md", obsidian: 2, bridge: 1 } as const;
		const [, found] = await run(source(["a.md"]), ({ notes }) =>
			notes ? answer({ differences: [{ ...difference, kind: "note" }], more: 3 }) : answer({ compared: 1, links: 2, tags: 3, differences: [difference], uncompared: [{ path: "c.md", reason: "changed" }] }),
		);
		expect(found).toEqual({ compared: 1, links: 2, tags: 3, differences: [difference, { ...difference, kind: "note" }], more: 3, uncompared: [{ path: "c.md", reason: "changed" }] });
	});

	it("stops when nobody looks any more", async () => {
		const [asked, found] = await run(source(["a.md"]), undefined, () => false);
		expect(asked).toEqual([]);
		expect(found).toBeNull();
	});

	it("refuses an answer that is none", async () => {
		await expect(run(source(["a.md"]), () => ({ ...answer(), differences: [{ kind: "?" }] }))).rejects.toThrow("differences.0.path should be a string");
	});
});
