/** A conversation as it comes: whatever order the bridge's words arrive in, and whoever else is at it. */

import { beforeEach, describe, expect, it } from "vitest";
import { ChatSession, type Change } from "../../../src/core/chat/session";
import type { ChatDelta, ChatDone, ChatToolEvent } from "../../../src/core/wire/contract";

const ID = "0a1b2c3d4e5f6071";
const TIME = "2026-11-22T10:00:00Z";

let answers: Record<string, () => Promise<unknown>>;
let asked: [string, unknown][];
let session: ChatSession;
let changes: Change["kind"][];

const piece = (text: string, changed: Partial<ChatDelta> = {}): ChatDelta => ({ conversationId: ID, turnId: "t1", kind: "text", text, ...changed });
const call = (state: string, changed: Partial<ChatToolEvent> = {}): ChatToolEvent => ({ conversationId: ID, turnId: "t1", callId: "c1", tool: "read", summary: "Read A.md", state, text: "", executionId: null, ...changed });
const done = (end = "answered", changed: Partial<ChatDone> = {}): ChatDone => ({ conversationId: ID, turnId: "t1", end, message: null, ...changed });
const said = (): string[] => session.entries.map((one) => (one.kind === "call" ? `${one.summary}: ${one.state} ${one.text}` : `${one.kind}: ${one.text}`));
const kept = (running: boolean, ...history: object[]): object => ({ conversationId: ID, title: "Tea", model: "m", created: TIME, updated: TIME, messages: 0, running, history: history.map((one) => ({ time: TIME, text: "", ...one })) });

beforeEach(() => {
	asked = [];
	changes = [];
	answers = { "chat.send": async () => Promise.resolve({ conversationId: ID, turnId: "t1", model: "m" }), "chat.cancel": async () => Promise.resolve({ cancelled: true }) };
	session = new ChatSession(async (method, params) => {
		asked.push([method, params]);
		return answers[method]?.() ?? Promise.reject(new Error(`nobody answers ${method}`));
	});
	session.changed.on(({ kind }) => { changes.push(kind); });
});

describe("a turn", () => {
	it("is what the person says, what the model says and thinks, its calls, and its end", async () => {
		expect(await session.send("Hello", "m")).toBeNull();
		expect([session.running, session.title, session.model]).toEqual([true, "Hello", "m"]);
		session.heard(piece("Hm", { kind: "thinking" }));
		session.heard(piece("I "));
		session.heard(piece("look."));
		session.used(call("running"));
		session.used(call("done", { text: "Tea" }));
		session.heard(piece("Tea."));
		session.ended(done());
		expect(said()).toEqual(["user: Hello", "thinking: Hm", "model: I look.", "Read A.md: done Tea", "model: Tea."]);
		expect(session.running).toBe(false);
		expect(changes.filter((kind) => kind === "grown")).toHaveLength(2);
	});

	it("loses nothing that comes before the bridge has said which turn it is", async () => {
		let answer: (value: unknown) => void = () => undefined;
		answers["chat.send"] = async () => new Promise((resolve) => { answer = resolve; });
		const sending = session.send("Hello", null);
		session.heard(piece("At "));
		session.heard(piece("nobody", { conversationId: "f".repeat(16) }));
		session.heard(piece("once."));
		session.ended(done());
		expect(said()).toEqual(["user: Hello"]);
		answer({ conversationId: ID, turnId: "t1", model: "m" });
		await sending;
		expect([said(), session.running]).toEqual([["user: Hello", "model: At once."], false]);
	});

	it.each<[string, string | null, string]>([
		["denied", null, "notice: You said no, so the model stopped here."],
		["cancelled", null, "notice: Stopped."],
		["failed", "No server answers", "failure: No server answers"],
		["limit", "Stopped after 25 rounds", "failure: Stopped after 25 rounds"],
	])("that is %s says so", async (end, message, wanted) => {
		await session.send("Hello", null);
		session.ended(done(end, { message }));
		expect(said().at(-1)).toBe(wanted);
	});

	it("that cannot begin leaves everything as it was, and says why", async () => {
		await session.send("One", null);
		session.ended(done());
		answers["chat.send"] = async () => Promise.reject(new Error("The model is still at it"));
		expect(await session.send("Two", null, 0)).toBe("The model is still at it");
		expect([said(), session.running]).toEqual([["user: One"], false]);
	});

	it.each([
		["the bridge has said which turn it is", async () => Promise.resolve({ conversationId: ID, turnId: "t1", model: "m" }), ["chat.send", "chat.cancel"]],
		["the bridge has said that it cannot begin", async () => Promise.reject(new Error("No model")), ["chat.send"]],
	])("stopped while it is on its way waits until %s", async (_title, answered, methods) => {
		let answer: () => void = () => undefined;
		answers["chat.send"] = async () => new Promise<void>((resolve) => { answer = resolve; }).then(answered);
		const sending = session.send("Hello", "m");
		const stopping = session.stop();
		expect(asked.map(([method]) => method)).toEqual(["chat.send"]);
		answer();
		await Promise.all([sending, stopping]);
		expect(asked.map(([method]) => method)).toEqual(methods);
	});

	it("stopped while it is on its way stops no other that is opened meanwhile", async () => {
		let answer: (value: unknown) => void = () => undefined;
		answers["chat.send"] = async () => new Promise((resolve) => { answer = resolve; });
		const sending = session.send("Hello", "m");
		const stopping = session.stop();
		answers["chat.read"] = async () => Promise.resolve(kept(true, { role: "user", text: "Another" }));
		await session.open("ffffffffffffffff");
		answer({ conversationId: ID, turnId: "t1", model: "m" });
		await Promise.all([sending, stopping]);
		expect(asked.map(([method]) => method)).toEqual(["chat.send", "chat.read"]);
	});

	it("is not begun while another goes on", async () => {
		await session.send("One", null);
		expect(await session.send("Two", null)).toContain("still at the last message");
		expect(asked.filter(([method]) => method === "chat.send")).toHaveLength(1);
	});

	it("takes the place of an earlier one, with all that came after it", async () => {
		await session.send("One", null);
		session.heard(piece("Yes."));
		session.ended(done());
		answers["chat.send"] = async () => Promise.resolve({ conversationId: ID, turnId: "t2", model: "m" });
		await session.send("Other", "n", 0);
		session.heard(piece("late", { turnId: "t1" }));
		expect(said()).toEqual(["user: Other"]);
		expect(asked.at(-1)).toEqual(["chat.send", { text: "Other", model: "n", replaces: 0, conversationId: ID }]);
	});
});

describe("a kept conversation", () => {
	const history = [
		{ role: "user", text: "Which?" },
		{ role: "assistant", thinking: "Hm", calls: [{ callId: "c1", tool: "read" }, { callId: "c2", tool: "find" }] },
		{ role: "tool", text: "Tea", callId: "c1", tool: "read", summary: "Read A.md", state: "done" },
		{ role: "notice", text: "Long." },
		{ role: "assistant", text: "Tea." },
		{ role: "somebody", text: "?" },
	];

	it("is shown as it was", async () => {
		answers["chat.read"] = async () => Promise.resolve(kept(false, ...history));
		await session.open(ID);
		expect(said()).toEqual(["user: Which?", "thinking: Hm", "Read A.md: done Tea", "find: running ", "notice: Long.", "model: Tea."]);
		expect([session.title, session.running]).toEqual(["Tea", false]);
	});

	it("that the model is at is joined, and read whole when it has ended", async () => {
		answers["chat.read"] = async () => Promise.resolve(kept(true, { role: "user", text: "Which?" }));
		await session.open(ID);
		expect(session.running).toBe(true);
		session.heard(piece("the end of it.", { turnId: "t9" }));
		expect(said()).toEqual(["user: Which?", "model: the end of it."]);
		answers["chat.read"] = async () => Promise.resolve(kept(false, { role: "user", text: "Which?" }, { role: "assistant", text: "All, to the end of it." }));
		session.ended(done("answered", { turnId: "t9" }));
		await Promise.resolve();
		await expect.poll(said).toEqual(["user: Which?", "model: All, to the end of it."]);
	});

	it("in which another program has begun a turn is read anew", async () => {
		await session.send("One", null);
		session.ended(done());
		answers["chat.read"] = async () => Promise.resolve(kept(true, { role: "user", text: "One" }, { role: "user", text: "From the terminal" }));
		session.heard(piece("?", { turnId: "t7" }));
		await expect.poll(said).toEqual(["user: One", "user: From the terminal"]);
		expect(session.running).toBe(true);
	});

	it("is not shown when another was opened meanwhile", async () => {
		let late: (value: unknown) => void = () => undefined;
		answers["chat.read"] = async () => new Promise((resolve) => { late = resolve; });
		const opening = session.open(ID);
		session.clear();
		late(kept(false, ...history));
		await opening;
		expect([said(), session.conversationId]).toEqual([[], null]);
	});
});

describe("when the bridge goes", () => {
	it("the turn has ended here, and what was kept is read when it is back", async () => {
		await session.send("One", null);
		session.heard(piece("Half"));
		session.lost();
		expect([session.running, said().at(-1)]).toEqual([false, "failure: The bridge is gone. What it has kept is shown when it is back."]);
		answers["chat.read"] = async () => Promise.resolve(kept(false, { role: "user", text: "One" }, { role: "assistant", text: "Half and half" }));
		await session.refresh();
		expect(said()).toEqual(["user: One", "model: Half and half"]);
	});

	it("nothing is said where nothing was under way", () => {
		session.lost();
		expect(said()).toEqual([]);
	});
});
