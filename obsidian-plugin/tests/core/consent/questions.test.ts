import { describe, expect, it } from "vitest";
import { Questions } from "../../../src/core/consent/questions";
import { readConsentRequest, type ConsentRequest } from "../../../src/core/wire/consent";
import { FakeClock } from "../fakeClock";
import { question } from "../samples";

const request = (id: string): ConsentRequest => readConsentRequest({ ...question, requestId: id }, "");
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

	it("do not change once they are shown", () => {
		const { list } = questions();
		list.add(request("a"));
		list.add({ ...request("a"), summary: "something else" });
		expect(list.all[0]?.request.summary).toBe(question.summary);
	});
});
