import { describe, expect, it } from "vitest";
import { conditionOf } from "../../../src/core/program/wording";
import type { Status } from "../../../src/core/program/supervisor";
import type { Trouble } from "../../../src/core/program/trouble";
import type { State } from "../../../src/core/rpc/connection";

const connected: State = { kind: "connected", info: { version: "0.1.0" } };
const absent: State = { kind: "absent", reason: null };
const lost: State = { kind: "unreachable", reason: "It does not answer." };
const trouble: Trouble = { kind: "ended", text: "The bridge stopped with exit code 1.", said: "" };
const off: Status = { kind: "off" };

describe("how the bridge is", () => {
	it.each<[string, State, Status, Trouble | null, string, string, string]>([
		["connected", connected, off, null, "Bridge on", "is-connected", "version 0.1.0."],
		["ours", connected, { kind: "running" }, null, "Bridge on", "is-connected", "started by this window"],
		["connected although an earlier start failed", connected, { kind: "failed", trouble }, trouble, "Bridge on", "is-connected", "Connected"],
		["off", absent, off, null, "Bridge off", "is-off", "No bridge serves this vault."],
		["synced", { kind: "absent", reason: "It was synced." }, off, null, "Bridge off", "is-off", "It was synced."],
		["lost", lost, off, null, "Bridge lost", "is-trouble", "tries again by itself"],
		["starting", absent, { kind: "starting" }, null, "Bridge starts…", "is-off", "being started"],
		["stopping on purpose, which is no loss", lost, { kind: "stopping" }, null, "Bridge stops…", "is-off", "being stopped"],
		["restarting", absent, { kind: "waiting", trouble, attempt: 2 }, trouble, "Bridge restarts…", "is-trouble", "(attempt 2 of 5)"],
		["failed", absent, { kind: "failed", trouble }, trouble, "Bridge failed", "is-trouble", trouble.text],
		["not looked for yet", { kind: "connecting" }, off, null, "Bridge…", "is-off", "Looking"],
	])("%s", (_, state, status, why, short, tone, words) => {
		const condition = conditionOf(state, status, why, "0.1.0");
		expect([condition.short, condition.tone]).toEqual([short, tone]);
		expect(condition.sentence).toContain(words);
	});

	it("is said to be old where it is older than the plugin", () => {
		expect(conditionOf(connected, off, null, "0.2.0").sentence).toContain("older than this plugin (0.2.0)");
		expect(conditionOf(connected, off, null, "0.1.0").sentence).not.toContain("older");
	});
});
