import { describe, expect, it } from "vitest";
import { Questions } from "../../../src/core/consent/questions";
import type { ConsentRequest } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";
import { FakeClock } from "../fakeClock";
import { question } from "../samples";

const request = (id: string): ConsentRequest => reader("ConsentRequest")({ ...question, requestId: id }, "");
const ids = (questions: Questions): string[] => questions.all.map((one) => one.request.requestId);

function questions(): { list: Questions; gone: [string, string | null][] } {
	const list = new Questions(new FakeClock());
	const gone: [string, string | null][] = [];
	list.gone.on((end) => gone.push([end.question.request.requestId, end.outcome]));
	return { list, gone };
}

describe("waiting questions", () => {
	it("stay in the order in which they came, each once", () => {
		const { list } = questions();
		for (const id of ["a", "b", "a"]) list.add(request(id));
		expect(ids(list)).toEqual(["a", "b"]);
	});

	it("leave when they are answered anywhere", () => {
		const { list, gone } = questions();
		list.add(request("a"));
		list.resolve("a", "allow_once", "terminal");
		list.resolve("a", "deny_once", "late");
		expect([ids(list), gone]).toEqual([[], [["a", "allow_once"]]]);
	});

	it("are compared with what the bridge knows after a connection came back", () => {
		const { list, gone } = questions();
		for (const id of ["a", "b"]) list.add(request(id));
		list.reconcile([request("b"), request("c")]);
		expect([ids(list), gone]).toEqual([["b", "c"], [["a", null]]]);
	});

	it("do not change once they are shown, unless the bridge says that a person edited them", () => {
		const { list } = questions();
		const revised: string[] = [];
		list.revised.on((one) => revised.push(one.summary));
		list.add(request("a"));
		list.add({ ...request("a"), summary: "something else" });
		list.revise({ ...request("a"), summary: "the same plan" });
		expect(list.all[0]?.request.summary).toBe(question.summary);
		list.revise({ ...request("a"), summary: "another plan", planDigest: "sha256:9" });
		list.revise({ ...request("b"), planDigest: "sha256:9" });
		expect([list.all[0]?.request.summary, revised]).toEqual(["another plan", ["another plan"]]);
	});

	it("that were edited while the connection was away are found edited", () => {
		const { list } = questions();
		list.add(request("a"));
		list.reconcile([{ ...request("a"), planDigest: "sha256:9" }]);
		expect(list.all[0]?.request.planDigest).toBe("sha256:9");
	});

	it("wait for nobody while their denial can be taken back, and still end", () => {
		const { list, gone } = questions();
		for (const id of ["a", "b"]) list.add(request(id));
		list.setDenied(["a"], true);
		expect(ids(list)).toEqual(["b"]);
		list.setDenied(["a"], false);
		expect(ids(list)).toEqual(["a", "b"]);
		list.setDenied(["a"], true);
		list.resolve("a", "timed_out", null);
		expect([ids(list), gone]).toEqual([["b"], [["a", "timed_out"]]]);
	});

	it("belong together by client, and without a name by connection", () => {
		const { list } = questions();
		const shared = { clientId: "shared", verified: false };
		for (const one of [request("a"), { ...request("b"), clientId: "other" }, { ...request("c"), sessionId: "s-2" }, { ...request("d"), ...shared }, { ...request("e"), ...shared, sessionId: "s-2" }]) list.add(one);
		const group = (id: string): string[] => list.ofGroup(list.all.find((one) => one.request.requestId === id)?.request ?? request(id)).map((one) => one.requestId);
		expect([group("a"), group("b"), group("d"), group("e")]).toEqual([["a", "c"], ["b"], ["d"], ["e"]]);
	});
});
