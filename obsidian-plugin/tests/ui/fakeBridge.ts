/** A bridge that says what a test wants it to say, over a real WebSocket, with answers recorded from the real one. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocketServer, type WebSocket } from "ws";
import { recorded } from "./files";

type Answer = (params: Record<string, unknown>) => unknown;

export class RpcFault extends Error {
	constructor(
		readonly code: number,
		message: string,
		readonly data?: unknown,
	) {
		super(message);
	}
}

export class FakeBridge {
	readonly vault = mkdtempSync(join(tmpdir(), "vault-bridge-vault-"));
	/** Outside the vault, as the real one's. */
	readonly runDir = mkdtempSync(join(tmpdir(), "vault-bridge-run-"));
	readonly asked: { method: string; params: Record<string, unknown> }[] = [];
	readonly answers = new Map<string, Answer>();
	private server: WebSocketServer | null = null;
	private readonly sockets = new Set<WebSocket>();
	private readonly waiting = new Map<string, (message: unknown) => void>();
	private event = (): void => undefined;
	pending: object[] = [];
	/** The programs that the person has added. */
	clients: object[] = [];
	/** What programs have staged. */
	drafts: object[] = [];

	/** What waits for the person. */
	inbox: object[] = [];

	/** The programs that may edit the vault without asking although they were told to ask. */
	unprotected: string[] = [];

	/** The programs that may see what the person looks at, by name. */
	lookers: string[] = [];

	/** The programs of this machine that can be connected. */
	agents: object[] = [];

	constructor() {
		const defaults: Record<string, Answer> = {
			ping: () => "pong",
			"bridge.faults": () => ({ faults: [], unprotected: this.unprotected }),
			"session.name": (params) => params,
			"session.info": () => ({ role: "host", vault: "Notes", version: "0.1.0" }),
			"consent.pending": () => this.pending,
			"settings.get": () => recorded("settings"),
			"settings.schema": () => recorded("settings-schema"),
			"tools.list": () => recorded("tools"),
			"consent.grants": () => recorded("grants"),
			"clients.list": () => this.clients,
			"agents.list": () => this.agents,
			"versions.notice": () => ({ entries: [], message: "", began: null, ended: null, unattended: false }),
			"versions.fine": () => ({ entries: [], message: "", began: null, ended: null, unattended: false }),
			"versions.wrote": ({ writes }) => ({ heard: (writes as object[]).length }),
			"screen.clients": () => ({ clients: this.lookers }),
			"screen.tell": () => ({ clients: this.lookers }),
			"drafts.list": () => this.drafts,
			"inbox.list": () => this.inbox,
			"templates.list": () => [],
			"chat.models": () => ({ endpoint: "http://localhost:11434", allowed: true, sentence: null, model: "qwen3:8b", models: [{ name: "qwen3:8b", size: 5_200_000_000 }, { name: "llama3.2", size: 2_000_000_000 }] }),
			"chat.list": () => [],
			"audit.query": ({ code }) => (code === undefined ? recorded("audit") : []),
			"history.list": () => recorded("history"),
			"history.diff": () => recorded("history-diff"),
			"history.undoAll": ({ preview }) => (preview === true ? recorded("history-undo-all") : { changes: [], undone: 1, skipped: 0, files: 1, text: "Undid 1 change in 1 file" }),
			"consent.respond": () => ({ accepted: true, outcome: "allowed", by: "Obsidian", reason: null }),
		};
		for (const [method, answer] of Object.entries(defaults)) this.answers.set(method, answer);
	}

	async start(): Promise<void> {
		const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "vault-bridge.v1" });
		this.server = server;
		await new Promise<void>((resolve) => server.once("listening", resolve));
		const { port } = server.address() as { port: number };
		server.on("connection", (socket) => {
			this.sockets.add(socket);
			socket.on("close", () => this.sockets.delete(socket));
			socket.on("message", (data: Buffer) => { this.take(socket, data.toString("utf8")); });
		});
		const url = `ws://127.0.0.1:${port}/ws`;
		mkdirSync(join(this.vault, ".vault-bridge"), { recursive: true });
		writeFileSync(join(this.vault, ".vault-bridge/bridge.json"), JSON.stringify({ url, pid: 1, version: "0.1.0", runDir: this.runDir }));
		writeFileSync(join(this.runDir, "host.json"), JSON.stringify({ url, pid: 1, token: "t0k", vault: this.vault }), { mode: 0o600 });
	}

	/** Gone at once, as after a crash. */
	stop(): void {
		for (const socket of this.sockets) socket.terminate();
		this.server?.close();
		this.server = null;
	}

	end(): void {
		this.stop();
		for (const folder of [this.vault, this.runDir]) rmSync(folder, { recursive: true, force: true });
	}

	/** Be gone and back. What was asked by this method before the next event is answered only when the test lets it be: with this, and until it is taken. */
	async delay(method: string, answer: unknown): Promise<() => Promise<void>> {
		const now = this.answers.get(method);
		if (!now) throw new Error(`nothing answers ${method}`);
		await this.request("nothing", {}); // what the first connection asks at once is answered
		const late: ((answer: unknown) => void)[] = [];
		const asked = new Promise<void>((resolve) => {
			this.answers.set(method, async () => new Promise((reply) => {
				late.push(reply);
				resolve();
			}));
		});
		this.event = () => { this.answers.set(method, now); };
		this.stop();
		await this.start();
		await asked;
		await this.request("nothing", {}); // all that is asked at once is here
		return async () => {
			for (const reply of late) reply(answer);
			await wait(0); // they are sent
			await this.request("nothing", {}); // and taken, before the plugin answers this
		};
	}

	notify(method: string, params: object): void {
		this.event();
		for (const socket of this.sockets) socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
	}

	/** Ask a question; it is also among those that a host finds when it connects. */
	ask(question: object): void {
		this.pending.push(question);
		this.notify("consent.requested", question);
	}

	/** Ask the plugin something and wait for its answer. */
	async request(method: string, params: object): Promise<unknown> {
		const id = `bridge-${this.waiting.size + 1}`;
		const answer = new Promise<unknown>((resolve) => this.waiting.set(id, resolve));
		for (const socket of this.sockets) socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		return answer;
	}

	async until(method: string): Promise<Record<string, unknown>> {
		return this.untilAsked((one) => one.method === method);
	}

	/** The parameters of the first request like this, once there is one. */
	async untilAsked(like: (one: { method: string; params: Record<string, unknown> }) => boolean): Promise<Record<string, unknown>> {
		for (let turn = 0; turn < 6_000; turn++) {
			const found = this.asked.find(like);
			if (found) return found.params;
			await wait(20);
		}
		throw new Error("nobody asked that");
	}

	private take(socket: WebSocket, frame: string): void {
		const message = JSON.parse(frame) as { id: string | number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };
		if (message.method === undefined) {
			this.waiting.get(String(message.id))?.(message.error ?? message.result);
			return;
		}
		const params = message.params ?? {};
		this.asked.push({ method: message.method, params });
		const answer = this.answers.get(message.method);
		const reply = (body: object): void => { socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body })); };
		if (!answer) {
			reply({ error: { code: -32601, message: "Method not found" } });
			return;
		}
		try {
			const result = answer(params);
			if (result instanceof Promise) void result.then((late: unknown) => { reply({ result: late }); });
			else reply({ result });
		} catch (fault) {
			if (!(fault instanceof RpcFault)) throw fault;
			reply({ error: { code: fault.code, message: fault.message, data: fault.data } });
		}
	}
}
