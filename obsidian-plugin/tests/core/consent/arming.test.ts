import { describe, expect, it } from "vitest";
import { Arming } from "../../../src/core/consent/keys";
import { FakeClock } from "../fakeClock";

describe("a yes", () => {
	it("does not count before 600 ms have passed", async () => {
		const clock = new FakeClock();
		const arming = new Arming(clock);
		await clock.pass(599);
		expect(arming.armed).toBe(false);
		await clock.pass(1);
		expect(arming.armed).toBe(true);
	});

	it("has to wait again after a restart, and whoever waits hears of it only then", async () => {
		const clock = new FakeClock();
		const arming = new Arming(clock);
		const heard: string[] = [];
		arming.whenArmed(() => heard.push("first"));
		await clock.pass(500);
		arming.restart();
		arming.whenArmed(() => heard.push("second"));
		await clock.pass(200);
		expect([arming.armed, heard]).toEqual([false, []]);
		await clock.pass(400);
		expect([arming.armed, heard]).toEqual([true, ["second"]]);
	});

	it.each([1, 5, 3_600_000])("counts all the same where the clock is %i ms behind when the time is over", async (behind) => {
		const clock = new FakeClock();
		const real = clock.now.bind(clock);
		const arming = new Arming(clock);
		const heard: boolean[] = [];
		arming.whenArmed(() => heard.push(arming.armed));
		await clock.pass(599);
		clock.now = () => real() - behind;
		await clock.pass(1);
		expect(heard).toEqual([]);
		await clock.pass(600);
		expect(heard).toEqual([true]);
	});
});
