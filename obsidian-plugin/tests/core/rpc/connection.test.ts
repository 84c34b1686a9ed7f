import { describe, expect, it } from "vitest";
import { Connection, NotHere, type Endpoint, type SocketHandlers, type State } from "../../../src/core/rpc/connection";
import { FakeClock, settled } from "../fakeClock";

/** A bridge as the connection sees it: sockets that open, answer, and close when told to. */
class FakeBridge {
	readonly clock = new FakeClock();
	readonly states: State["kind"][] = [];
	readonly opened: { url: string; protocols: string[] }[] = [];
	readonly asked: string[] = [];
	/** What is wrong with what says where the bridge is. */
	fault: () => Error | null = () => null;
	endpoint: Endpoint | null = { url: "ws://127.0.0.1:1/ws", token: "t0k" };
	accepts = true;
	answers = true;
	handlers: SocketHandlers | null = null;
	readonly connection = new Connection(
		{
			clock: this.clock,
			random: () => 0,
			locate: async () => {
				const fault = this.fault();
				if (fault) throw fault;
				return Promise.resolve(this.endpoint);
			},
			open: (url, protocols, handlers) => {
				this.opened.push({ url, protocols });
				this.handlers = handlers;
				queueMicrotask(() => {
					if (this.accepts) handlers.opened();
					else handlers.closed("refused");
				});
				return { send: (frame) => { this.answer(frame, handlers); }, close: () => undefined };
			},
		},
		"Obsidian",
		new Map(),
		["consent"],
	);

	constructor() {
		this.connection.changed.on((state) => this.states.push(state.kind));
	}

	private answer(frame: string, handlers: SocketHandlers): void {
		const { id, method, params } = JSON.parse(frame) as { id: number; method: string; params: unknown };
		this.asked.push(method === "session.name" ? `${method} ${JSON.stringify(params)}` : method);
		if (!this.answers) return;
		const result = method === "session.info" ? { vault: "Notes", version: "0.1.0", role: "host" } : "ok";
		queueMicrotask(() => { handlers.received(JSON.stringify({ jsonrpc: "2.0", id, result })); });
	}
}

describe("staying connected", () => {
	it("finds the bridge, brings the token as a subprotocol, and says who it is and what it can", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await settled();
		expect(bridge.states).toEqual(["connecting", "connected"]);
		expect(bridge.opened).toEqual([{ url: "ws://127.0.0.1:1/ws", protocols: ["vault-bridge.v1", "bearer.t0k"] }]);
		expect(bridge.asked).toEqual(['session.name {"client":"Obsidian","can":["consent"]}', "session.info"]);
	});

	it("says that there is none, looks again, and connects when one comes", async () => {
		const bridge = new FakeBridge();
		const endpoint = bridge.endpoint;
		bridge.endpoint = null;
		bridge.connection.start();
		await bridge.clock.pass(10_000);
		expect(new Set(bridge.states)).toEqual(new Set(["connecting", "absent"]));
		expect(bridge.opened).toEqual([]);
		bridge.endpoint = endpoint;
		await bridge.clock.pass(5_000);
		expect(bridge.connection.connected).toBe(true);
	});

	it.each([
		["absent", (): Error => new NotHere("Why it is so.")],
		["unreachable", (): Error => new Error("Why it is so.")],
	])("says why it is %s, once, and looks again", async (kind, fault) => {
		const bridge = new FakeBridge();
		bridge.fault = fault;
		bridge.connection.start();
		await bridge.clock.pass(60_000);
		expect(bridge.states).toEqual(["connecting", kind]);
		expect(bridge.connection.state).toEqual({ kind, reason: "Why it is so." });
		bridge.fault = () => null;
		await bridge.clock.pass(5_000);
		expect(bridge.connection.connected).toBe(true);
	});

	it("takes a bridge that says goodbye for stopped, not for lost", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await settled();
		bridge.endpoint = null;
		bridge.handlers?.closed("The bridge stops", true);
		await bridge.clock.pass(10_000);
		expect(bridge.states).toEqual(["connecting", "connected", "absent"]);
	});

	it("waits longer after each failure, up to 15 seconds", async () => {
		const bridge = new FakeBridge();
		bridge.accepts = false;
		bridge.connection.start();
		await bridge.clock.pass(60_000);
		// 0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 30.75, 45.75
		expect(bridge.opened).toHaveLength(9);
		expect(bridge.connection.state).toEqual({ kind: "unreachable", reason: "refused" });
	});

	it("connects again soon after the bridge went, with the token it has then", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await settled();
		bridge.endpoint = { url: "ws://127.0.0.1:2/ws", token: "new" };
		bridge.handlers?.closed("gone");
		await bridge.clock.pass(300);
		expect(bridge.connection.connected).toBe(true);
		expect(bridge.opened[1]?.protocols).toContain("bearer.new");
	});

	it("gives up a connection on which the bridge no longer answers", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await settled();
		bridge.answers = false;
		await bridge.clock.pass(30_001);
		expect(bridge.states).toContain("unreachable");
	});

	it("keeps a connection that is only quiet", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await bridge.clock.pass(120_000);
		expect(bridge.states).toEqual(["connecting", "connected"]);
	});

	it("tries at once when asked to", async () => {
		const bridge = new FakeBridge();
		bridge.accepts = false;
		bridge.connection.start();
		await bridge.clock.pass(20_000);
		bridge.accepts = true;
		bridge.connection.retryNow();
		await settled();
		expect(bridge.connection.connected).toBe(true);
	});

	it("is silent after it was stopped", async () => {
		const bridge = new FakeBridge();
		bridge.connection.start();
		await settled();
		bridge.connection.stop();
		const before = bridge.opened.length;
		bridge.handlers?.closed("late");
		await bridge.clock.pass(60_000);
		expect([bridge.opened.length, bridge.connection.state.kind]).toEqual([before, "stopped"]);
	});
});
