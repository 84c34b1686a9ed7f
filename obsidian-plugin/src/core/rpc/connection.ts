/** Stays connected to the bridge of this vault: finds it, connects, says who we are, and tries again when it goes. */

import type { Clock } from "../clock";
import { Emitter } from "../emitter";
import type { JsonObject } from "../json";
import type { SessionInfo } from "../wire/contract";
import { partReader } from "../wire/reading";
import { Disconnected, RpcClient, type HostRequestHandler } from "./client";

/** Where the bridge listens, and what opens its door. */
export interface Endpoint {
	url: string;
	token: string;
}

export interface SocketHandlers {
	opened: () => void;
	received: (frame: string) => void;
	/** `planned`: the other side said that it stops. */
	closed: (reason: string, planned?: boolean) => void;
}

export interface Socket {
	send(frame: string): void;
	close(): void;
}

export interface Wiring {
	clock: Clock;
	random: () => number;
	/** Where the bridge is; null when none says that it runs. Rejects with NotHere, or with what is wrong. */
	locate: () => Promise<Endpoint | null>;
	open: (url: string, protocols: string[], handlers: SocketHandlers) => Socket;
}

export type State =
	| { kind: "stopped" }
	| { kind: "connecting" }
	/** No bridge serves this vault here; the reason, where there is more to say. */
	| { kind: "absent"; reason: string | null }
	/** One says so, and cannot be reached. */
	| { kind: "unreachable"; reason: string }
	| { kind: "connected"; info: Pick<SessionInfo, "version"> };

/** What there is speaks of a bridge that does not run here. The message is for the person. */
export class NotHere extends Error {}

const PROTOCOL = "vault-bridge.v1";
const readInfo = partReader("SessionInfo", "version");
const HEARTBEAT = 20_000;
const MOST_SILENCE = 10_000;
const LONGEST_ABSENCE_CHECK = 4_000;

export class Connection {
	readonly changed = new Emitter<State>();
	readonly notified = new Emitter<{ method: string; params: JsonObject }>();
	private current: State = { kind: "stopped" };
	private client: RpcClient | null = null;
	private socket: Socket | null = null;
	private attempt = 0;
	private generation = 0;
	private cancelTimer: (() => void) | null = null;

	/**
	 * @param client - The name that the bridge shows for us.
	 * @param handlers - What the bridge may ask of us.
	 * @param can - What we say that we can do.
	 */
	constructor(
		private readonly wiring: Wiring,
		private readonly client_name: string,
		private readonly handlers: ReadonlyMap<string, HostRequestHandler>,
		private readonly can: readonly string[],
	) {}

	get state(): State {
		return this.current;
	}

	get connected(): boolean {
		return this.current.kind === "connected";
	}

	start(): void {
		this.attempt = 0;
		this.moveTo({ kind: "connecting" });
		void this.connect(++this.generation);
	}

	/** Do not wait for the next attempt. Does nothing while connected. */
	retryNow(): void {
		if (this.current.kind === "connected" || this.current.kind === "stopped") return;
		this.cancelTimer?.();
		this.attempt = 0;
		void this.connect(++this.generation);
	}

	stop(): void {
		this.generation++;
		this.drop();
		this.moveTo({ kind: "stopped" });
	}

	/** Ask the bridge. Rejects with Disconnected while there is none. */
	async request(method: string, params: object = {}): Promise<unknown> {
		if (!this.client) throw new Disconnected();
		return this.client.request(method, params);
	}

	private async connect(generation: number): Promise<void> {
		this.drop();
		const found = await this.locate();
		if (generation !== this.generation) return;
		if ("kind" in found) {
			this.retryLater(generation, found, LONGEST_ABSENCE_CHECK);
			return;
		}
		const endpoint = found;
		const socket = this.wiring.open(endpoint.url, [PROTOCOL, `bearer.${endpoint.token}`], {
			opened: () => {
				if (generation === this.generation) void this.greet(generation, socket);
			},
			received: (frame) => {
				if (generation === this.generation) this.client?.receive(frame);
			},
			closed: (reason, planned = false) => {
				if (generation === this.generation) this.retryLater(generation, planned ? { kind: "absent", reason: null } : { kind: "unreachable", reason });
			},
		});
		this.socket = socket;
	}

	/** Where the bridge is, or the state that we are in without one. */
	private async locate(): Promise<Endpoint | State> {
		try {
			return (await this.wiring.locate()) ?? { kind: "absent", reason: null };
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			return { kind: error instanceof NotHere ? "absent" : "unreachable", reason };
		}
	}

	private async greet(generation: number, socket: Socket): Promise<void> {
		const client = new RpcClient(
			(frame) => {
				socket.send(frame);
			},
			(method, params) => {
				this.notified.emit({ method, params });
			},
			this.handlers,
		);
		this.client = client;
		try {
			await client.request("session.name", { client: this.client_name, can: this.can });
			const info = readInfo(await client.request("session.info"), "session.info");
			if (generation !== this.generation) return;
			this.attempt = 0;
			this.moveTo({ kind: "connected", info });
			this.listenForSilence(generation, client);
		} catch (error) {
			if (generation !== this.generation || error instanceof Disconnected) return;
			const reason = error instanceof Error ? error.message : String(error);
			this.retryLater(generation, { kind: "unreachable", reason });
		}
	}

	/** A bridge that hangs or a machine that slept leave a socket that looks open and is not. */
	private listenForSilence(generation: number, client: RpcClient): void {
		this.cancelTimer = this.wiring.clock.after(HEARTBEAT, () => {
			let answered = false;
			this.cancelTimer = this.wiring.clock.after(MOST_SILENCE, () => {
				if (!answered) this.retryLater(generation, { kind: "unreachable", reason: "The bridge no longer answers." });
			});
			void client.request("ping").then(
				() => {
					answered = true;
					if (generation !== this.generation) return;
					this.cancelTimer?.();
					this.listenForSilence(generation, client);
				},
				() => undefined,
			);
		});
	}

	/** @param longest - The most milliseconds to wait: a look at some files may come more often than a knock. */
	private retryLater(generation: number, state: State, longest = Infinity): void {
		this.drop();
		this.moveTo(state);
		if (generation !== this.generation) return;
		const next = ++this.generation;
		const delay = Math.min(delayBefore(this.attempt++, this.wiring.random), longest);
		this.cancelTimer = this.wiring.clock.after(delay, () => {
			if (next === this.generation) void this.connect(next);
		});
	}

	private drop(): void {
		this.cancelTimer?.();
		this.cancelTimer = null;
		this.client?.close();
		this.client = null;
		const socket = this.socket;
		this.socket = null;
		socket?.close();
	}

	/** The same state again is no news: what is drawn of it stays, with the focus in it. */
	private moveTo(state: State): void {
		const same = state.kind !== "connected" && JSON.stringify(state) === JSON.stringify(this.current);
		this.current = state;
		if (same) return;
		this.changed.emit(state);
	}
}

const FIRST_DELAY = 250;
const LONGEST_DELAY = 15_000;

/**
 * Milliseconds before attempt number `attempt` (from 0): doubling, with up to a fifth taken off at random, so that
 * several windows do not knock at the same moment.
 */
function delayBefore(attempt: number, random: () => number): number {
	const full = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 30));
	return Math.round(full * (1 - 0.2 * random()));
}
