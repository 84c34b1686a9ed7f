/** A question that nobody sits and waits for says who goes on when it is answered, and until when that can be. */

import { describe, expect, it } from "vitest";
import { isNews, patienceOf, untilWords } from "../../../src/core/consent/countdown";
import { Questions } from "../../../src/core/consent/questions";
import type { ConsentRequest } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";
import { FakeClock } from "../fakeClock";
import { question as sample } from "../samples";

const now = new Date(2026, 10, 22, 18, 20).getTime();
const at = (days: number): string => new Date(2026, 10, 22 + days, 18, 20).toISOString();
const time = new Date(now).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });

describe("until when", () => {
	it("is said as people say it", () => {
		expect(untilWords(at(0), now)).toBe(time);
		expect(untilWords(at(1), now)).toBe(`tomorrow ${time}`);
		expect(untilWords(at(3), now)).toContain(time);
		expect(untilWords(at(3), now)).not.toContain("tomorrow");
		expect(untilWords("never", now)).toBe("never");
	});
});

describe("a question with a ticket", () => {
	const asked = (changes: object = {}): ConsentRequest => reader("ConsentRequest")({ ...sample, ...changes }, "question");

	it("says who goes on, and any other says nothing", () => {
		expect(patienceOf(asked({ waiting: true, expiresAt: at(1), verified: true, client: "Claude Code" }), now)).toBe(`Claude Code goes on when you answer; until tomorrow ${time}`);
		expect(patienceOf(asked(), now)).toBeNull();
	});

	it("is news for a moment", () => {
		expect(isNews(asked({ createdAt: new Date(now - 1_000).toISOString() }), now)).toBe(true);
		expect(isNews(asked({ createdAt: new Date(now - 60_000).toISOString() }), now)).toBe(false);
	});

	it("waits from the moment it gets it, also where that is heard later, and is said to once", () => {
		const questions = new Questions(new FakeClock());
		const heard: string[] = [];
		questions.waits.on((one) => { heard.push(one.expiresAt); });
		const question = asked();
		questions.add(question);
		questions.wait(question.requestId, at(1));
		questions.wait(question.requestId, at(2));
		questions.wait("another", at(1));
		questions.reconcile([{ ...question, waiting: true, expiresAt: at(1) }]);
		expect(heard).toEqual([at(1)]);
		expect(questions.all.map((one) => one.request)).toEqual([{ ...question, waiting: true, expiresAt: at(1) }]);
		questions.reconcile([]);
		questions.add(question);
		questions.reconcile([{ ...question, waiting: true, expiresAt: at(3) }]);
		expect(heard).toEqual([at(1), at(3)]);
	});
});
