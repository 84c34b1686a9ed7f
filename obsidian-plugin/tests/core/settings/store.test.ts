import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../../../src/core/rpc/client";
import { absentTools, messageOf, SettingsStore } from "../../../src/core/settings/store";

const schema = { properties: { a: { type: "boolean", section: "tools" } }, presets: { vault: ["find", "edit"] } };

function store(answers: Record<string, unknown> = {}) {
	const asked: [string, unknown][] = [];
	const all: Record<string, unknown> = { "settings.get": { a: true, enabledTools: ["find"] }, "settings.schema": schema, ...answers };
	const made = new SettingsStore(async (method, params) => {
		asked.push([method, params]);
		if (!(method in all)) throw new RpcError(METHOD_NOT_FOUND, "no such method");
		const answer = all[method];
		if (answer instanceof Error) throw answer;
		return Promise.resolve(answer);
	});
	const told: unknown[] = [];
	made.changed.on((settings) => told.push(settings?.values));
	return { made, asked, told };
}

describe("the settings of a vault", () => {
	it("are loaded whole, and what the bridge does not have is not shown", async () => {
		const { made } = store();
		await made.load();
		expect(made.current).toMatchObject({ values: { a: true }, extras: { keys: [], services: [], sites: [], sandbox: null, cacheBytes: null, logBytes: null, semantic: null } });
	});

	it("include what the bridge offers beside", async () => {
		const key = { provider: "ollama", title: "Ollama", server: "http://localhost:11434", isSet: true, keptIn: null, fault: null };
		const service = { service: "brave", title: "Brave Search", terms: "Needs a key.", link: "https://brave.com", missing: null };
		const sandbox = { confines: false, sentence: "None works", lacks: ["A program can do everything"] };
		const site = { site: "https://tea.example/", allowedBy: "s-1", client: null, sentence: "x", lastUsed: null };
		const semantic = { state: "ready", reason: "", model: "small", done: 3, total: 3, size: 4096, endpoint: null, sentence: null };
		const stats = JSON.parse(readFileSync(new URL("../../recorded/audit-stats.json", import.meta.url), "utf8")) as { size: number };
		const vault = { notes: 3, files: 3, indexed: 3, indexing: false, lastSweep: null, byNameOnly: 0, namedOnly: [], semantic };
		const { made } = store({ "search.services": [service], "sandbox.status": sandbox, "web.sites": [site], "keys.status": [key], "cache.stats": { entries: 1, size: 5, hits: 0, misses: 0 }, "audit.stats": stats, "vault.status": vault });
		await made.load();
		expect(made.current?.extras).toEqual({ keys: [key], services: [service], sites: [site], sandbox, cacheBytes: 5, logBytes: stats.size, semantic, grants: [], asked: null });
	});

	it("are told of once, as long as nothing changes", async () => {
		const { made, told } = store();
		await made.load();
		await made.load();
		expect(told).toHaveLength(1);
		made.forget();
		expect([made.current, told.at(-1)]).toEqual([null, undefined]);
	});

	it("are what the bridge says after a change, with its warnings", async () => {
		const { made, asked } = store({ "settings.update": { settings: { a: false }, warnings: ["a: careful"] } });
		await made.load();
		expect(await made.update({ a: false })).toEqual({ ok: true, warnings: ["a: careful"] });
		expect(made.current?.values).toEqual({ a: false });
		expect(asked.at(-1)).toEqual(["settings.update", { patch: { a: false } }]);
	});

	it("are changed one after the other, so that the last choice holds", async () => {
		const answers: ((value: unknown) => void)[] = [];
		const made = new SettingsStore(async () => new Promise((resolve) => answers.push(resolve)));
		const first = made.update({ a: 1 });
		const second = made.update({ a: 2 });
		await Promise.resolve();
		expect([answers.length, made.saving]).toEqual([1, true]);
		answers[0]?.({ settings: { a: 1 }, warnings: [] });
		await first;
		await expect.poll(() => answers.length).toBe(2);
		answers[1]?.({ settings: { a: 2 }, warnings: ["a: late"] });
		expect([await second, made.saving]).toEqual([{ ok: true, warnings: ["a: late"] }, false]);
	});

	it.each([
		[new RpcError(-32602, "Invalid params", { hint: "a: must be true" }), "a: must be true"],
		[new RpcError(-32602, "a is wrong"), "a is wrong"],
		[new RpcError(-32603, "A fault in the bridge"), "A fault in the bridge"],
	])("stay as they are when the bridge refuses, and its words are kept", async (fault, message) => {
		const { made } = store({ "settings.update": fault });
		await made.load();
		expect(await made.update({ a: 3 })).toEqual({ ok: false, message });
		expect(made.current?.values).toMatchObject({ a: true });
	});

	const enabledTools = ["find", "ghost", "*"];
	it("know the tools that are only named from those that there are", async () => {
		const recorded = JSON.parse(readFileSync(new URL("../../recorded/settings-schema.json", import.meta.url), "utf8")) as object;
		const { made } = store({ "settings.get": { enabledTools, consentMode: { gone: "always_ask" } }, "settings.schema": recorded });
		await made.load();
		expect(made.current && absentTools(made.current)).toEqual(["ghost"]);
	});
});

describe("what a person is told of a failure", () => {
	it.each([
		[new RpcError(INVALID_PARAMS, "Invalid params", { hint: "Unknown setting 'x'" }), "Unknown setting 'x'"],
		[new RpcError(INTERNAL_ERROR, "Internal error", { hint: "Ollama at localhost does not answer" }), "Ollama at localhost does not answer"],
		[new RpcError(METHOD_NOT_FOUND, "Unknown method", { hint: "The bridge's console says more" }), "Unknown method"],
		[new RpcError(INTERNAL_ERROR, "Internal error"), "Internal error"],
	])("is the sentence of the bridge, where it has one", (error, told) => {
		expect(messageOf(error)).toBe(told);
	});
});
