import { beforeEach, describe, expect, it } from "vitest";
import { HeldDenials, type Denial } from "../../../src/core/consent/heldDenials";
import { reader } from "../../../src/core/wire/reading";
import { FakeClock } from "../fakeClock";
import { question } from "../samples";

let clock: FakeClock;
let connected: boolean;
let sent: string[][];
let over: number;
let held: HeldDenials;

beforeEach(() => {
	clock = new FakeClock();
	connected = true;
	sent = [];
	over = 0;
	held = new HeldDenials(clock, { connected: () => connected, send: (denials) => sent.push(idsOf(denials)), over: () => over++ });
});

const idsOf = (denials: readonly Denial[]): string[] => denials.map((one) => one.request.requestId);
const denial = (requestId: string, left = 300_000): Denial => ({
	request: reader("ConsentRequest")({ ...question, requestId, expiresAt: new Date(clock.now() + left).toISOString() }, ""),
	answer: { requestId, decision: "deny_once" },
});

describe("a denial by key", () => {
	it("is sent after ten seconds, once", async () => {
		held.hold([denial("a"), denial("b")]);
		await clock.pass(9_999);
		expect(sent).toEqual([]);
		await clock.pass(60_000);
		expect([sent, over]).toEqual([[["a", "b"]], 1]);
	});

	it("can be taken back until then, and not later", async () => {
		const batch = held.hold([denial("a")]);
		await clock.pass(9_000);
		expect(batch && held.undo(batch)).toBe(true);
		await clock.pass(60_000);
		expect([sent, over]).toEqual([[], 1]);
		expect(batch && held.undo(batch)).toBe(false);
	});

	it("is sent earlier where the question would end before, and at once where it is about to", async () => {
		held.hold([denial("a", 7_000)]);
		await clock.pass(5_000);
		expect(sent).toEqual([["a"]]);
		expect(held.hold([denial("b", 1_500)])).toBeNull();
		expect(sent).toEqual([["a"], ["b"]]);
	});

	it("waits for the connection where that is lost", async () => {
		held.hold([denial("a")]);
		connected = false;
		await clock.pass(20_000);
		expect([sent, over]).toEqual([[], 0]);
		connected = true;
		held.resume();
		expect([sent, over]).toEqual([[["a"]], 1]);
	});

	it("is not sent when the connection comes back before its time", async () => {
		held.hold([denial("a")]);
		held.resume();
		expect(sent).toEqual([]);
		await clock.pass(10_000);
		expect(sent).toEqual([["a"]]);
	});

	it("is not sent for a question that has ended otherwise", async () => {
		held.hold([denial("a"), denial("b")]);
		held.drop("a");
		await clock.pass(10_000);
		expect(sent).toEqual([["b"]]);
		held.hold([denial("c")]);
		held.drop("c");
		expect(over).toBe(2);
		await clock.pass(10_000);
		expect(sent).toEqual([["b"]]);
	});

	it("is sent at once when nobody will be here later", () => {
		held.hold([denial("a")]);
		held.hold([denial("b")]);
		held.flush();
		expect([sent, over]).toEqual([[["a"], ["b"]], 2]);
	});
});
