import { beforeEach, describe, expect, it } from "vitest";
import { DELAYS, LONGEST_START, STEADY, Supervisor } from "../../../src/core/program/supervisor";
import type { End } from "../../../src/core/program/trouble";
import { FakeClock, settled } from "../fakeClock";

const CRASH: End = { kind: "exited", code: 1, output: "boom" };

let clock: FakeClock;
let supervisor: Supervisor;
let started: string[];
let stops: number;
let end: (end: End) => void;
let states: string[];

beforeEach(() => {
	clock = new FakeClock();
	[started, stops, states] = [[], 0, []];
	supervisor = new Supervisor(clock, {
		start: (program, ended) => {
			started.push(program);
			end = ended;
			return { stop: () => { stops++; } };
		},
		isFile: async () => Promise.resolve(true),
	});
	supervisor.changed.on(({ kind }) => states.push(kind));
});

describe("the bridge's process", () => {
	it("is started once, and runs when the window has connected", () => {
		supervisor.start("/a");
		supervisor.start("/b");
		supervisor.connected();
		expect([started, states]).toEqual([["/a"], ["starting", "running"]]);
	});

	it("is stopped without being started again, and nothing is wrong then", async () => {
		supervisor.start("/a");
		supervisor.connected();
		supervisor.stop();
		supervisor.stop();
		expect([stops, supervisor.status.kind]).toEqual([1, "stopping"]);
		end({ kind: "exited", code: null, output: "" });
		await clock.pass(600_000);
		expect([started.length, supervisor.status]).toEqual([1, { kind: "off" }]);
	});

	it("is restarted when the old one has ended, not before", async () => {
		supervisor.start("/a");
		supervisor.connected();
		supervisor.restart();
		expect(started).toEqual(["/a"]);
		end({ kind: "exited", code: 0, output: "" });
		await settled();
		expect([started, supervisor.status.kind]).toEqual([["/a", "/a"], "starting"]);
	});

	it("is off, and stays so, when somebody outside has ended it in order", async () => {
		supervisor.start("/a");
		supervisor.connected();
		end({ kind: "exited", code: 0, output: "Stopping." });
		await clock.pass(600_000);
		expect([started.length, supervisor.status.kind]).toEqual([1, "off"]);
	});
});

describe("a bridge that fails", () => {
	it("is started again, each time later, and then no more", async () => {
		supervisor.start("/a");
		for (const [index, delay] of DELAYS.entries()) {
			end(CRASH);
			await clock.pass(delay - 1);
			expect([started.length, supervisor.status]).toMatchObject([index + 1, { kind: "waiting", attempt: index + 1, trouble: { said: "boom" } }]);
			await clock.pass(1);
			expect(started).toHaveLength(index + 2);
		}
		end(CRASH);
		await clock.pass(3_600_000);
		expect([started.length, supervisor.status]).toMatchObject([DELAYS.length + 1, { kind: "failed", trouble: { kind: "ended" } }]);
	});

	it("is counted anew after it ran for long", async () => {
		supervisor.start("/a");
		end(CRASH);
		await clock.pass(DELAYS[0]);
		supervisor.connected();
		await clock.pass(STEADY);
		end(CRASH);
		await settled();
		expect(supervisor.status).toMatchObject({ kind: "waiting", attempt: 1 });
	});

	it("is not started again where that changes nothing", async () => {
		supervisor.start("/a");
		end({ kind: "unstarted", code: "EACCES" });
		await clock.pass(600_000);
		expect([started.length, supervisor.status]).toMatchObject([1, { kind: "failed", trouble: { kind: "forbidden" } }]);
	});

	it("is no longer waited for when the person stops it", async () => {
		supervisor.start("/a");
		end(CRASH);
		await settled();
		expect(supervisor.active).toBe(true);
		supervisor.stop();
		await clock.pass(600_000);
		expect([started.length, supervisor.status.kind, supervisor.active]).toEqual([1, "off", false]);
	});

	it("is not started twice when the person starts it while it is waited for", async () => {
		supervisor.start("/a");
		end(CRASH);
		await settled();
		supervisor.start("/a");
		await clock.pass(30_000);
		expect(started).toHaveLength(2);
	});

	it("leaves alone what the person began while it was looked into", async () => {
		supervisor.start("/a");
		end(CRASH);
		supervisor.stop();
		await clock.pass(600_000);
		expect([started.length, supervisor.status.kind]).toEqual([1, "off"]);
	});

	it("is ended when it does not serve in time", async () => {
		supervisor.start("/a");
		await clock.pass(LONGEST_START);
		expect([stops, supervisor.status.kind]).toEqual([1, "stopping"]);
		end({ kind: "exited", code: null, output: "" });
		await settled();
		expect(supervisor.status).toMatchObject({ kind: "failed", trouble: { kind: "silent" } });
	});
});
