/** JSON-RPC 2.0 on the plugin's side of the wire: requests out, answers, notifications and requests in. It does no I/O of its own. */

import { isObject, ShapeError, type JsonObject } from "../json";

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

export type Id = string | number;

export type Incoming =
	| { kind: "result"; id: Id; result: unknown }
	| { kind: "error"; id: Id | null; code: number; message: string; data: unknown }
	| { kind: "request"; id: Id; method: string; params: JsonObject }
	| { kind: "notification"; method: string; params: JsonObject };

/** The bridge answered with an error. */
export class RpcError extends Error {
	constructor(
		readonly code: number,
		message: string,
		readonly data?: unknown,
	) {
		super(message);
		this.name = "RpcError";
	}
}

/**
 * The messages in one text frame, a batch or a single one. What is not a message of JSON-RPC 2.0 is left out:
 * the connection outlives it, and nobody waits for it.
 */
export function parseFrame(frame: string): Incoming[] {
	let value: unknown;
	try {
		value = JSON.parse(frame);
	} catch {
		return [];
	}
	const items: unknown[] = Array.isArray(value) ? value : [value];
	return items.flatMap((item) => {
		const message = parseMessage(item);
		return message ? [message] : [];
	});
}

function requestFrame(id: Id, method: string, params: object): string {
	return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function resultFrame(id: Id, result: unknown): string {
	return JSON.stringify({ jsonrpc: "2.0", id, result: result ?? null });
}

export function errorFrame(id: Id, code: number, message: string): string {
	return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

function parseMessage(value: unknown): Incoming | null {
	if (!isObject(value) || value["jsonrpc"] !== "2.0") return null;
	const { id, method, params, error } = value;
	if (typeof method === "string") {
		if (params !== undefined && !isObject(params)) return null;
		if (id === undefined) return { kind: "notification", method, params: params ?? {} };
		return isId(id) ? { kind: "request", id, method, params: params ?? {} } : null;
	}
	if (isObject(error)) {
		const { code, message, data } = error;
		if (typeof code !== "number" || typeof message !== "string") return null;
		return isId(id) || id === null ? { kind: "error", id, code, message, data } : null;
	}
	return isId(id) && "result" in value ? { kind: "result", id, result: value["result"] } : null;
}

function isId(value: unknown): value is Id {
	return typeof value === "string" || typeof value === "number";
}

/** The connection ended before the answer came. What was asked may or may not have happened. */
export class Disconnected extends Error {
	constructor() {
		super("The connection to the bridge was lost before it answered.");
		this.name = "Disconnected";
	}
}

/** What the bridge may ask of the plugin. */
export type HostRequestHandler = (params: JsonObject) => Promise<unknown>;

interface Waiting {
	resolve: (result: unknown) => void;
	reject: (error: Error) => void;
}

export class RpcClient {
	private readonly waiting = new Map<Id, Waiting>();
	private lastId = 0;
	private open = true;

	/**
	 * @param send - Puts one text frame on the wire.
	 * @param notified - Called with every notification.
	 * @param handlers - What the bridge may ask of us, by method.
	 */
	constructor(
		private readonly send: (frame: string) => void,
		private readonly notified: (method: string, params: JsonObject) => void,
		private readonly handlers: ReadonlyMap<string, HostRequestHandler>,
	) {}

	/** Ask the bridge. Rejects with an RpcError when it says no, with Disconnected when it is gone. */
	async request(method: string, params: object = {}): Promise<unknown> {
		if (!this.open) throw new Disconnected();
		const id = ++this.lastId;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.send(requestFrame(id, method, params));
		});
	}

	receive(frame: string): void {
		for (const message of parseFrame(frame)) this.take(message);
	}

	/** The connection is gone: nobody will answer. */
	close(): void {
		this.open = false;
		for (const one of this.waiting.values()) one.reject(new Disconnected());
		this.waiting.clear();
	}

	private take(message: Incoming): void {
		switch (message.kind) {
			case "notification":
				this.notified(message.method, message.params);
				break;
			case "request":
				void this.serve(message.id, message.method, message.params);
				break;
			case "result":
				this.settle(message.id)?.resolve(message.result);
				break;
			case "error":
				if (message.id !== null) this.settle(message.id)?.reject(new RpcError(message.code, message.message, message.data));
		}
	}

	private settle(id: Id): Waiting | undefined {
		const found = this.waiting.get(id);
		this.waiting.delete(id);
		return found;
	}

	private async serve(id: Id, method: string, params: JsonObject): Promise<void> {
		let frame: string;
		const handler = this.handlers.get(method);
		try {
			frame = handler ? resultFrame(id, await handler(params)) : errorFrame(id, METHOD_NOT_FOUND, `No such method: ${method}`);
		} catch (error) {
			const shape = error instanceof ShapeError;
			console.error("Vault Bridge:", method, error);
			frame = errorFrame(id, shape ? INVALID_PARAMS : INTERNAL_ERROR, shape ? error.message : "The plugin could not do it.");
		}
		if (this.open) this.send(frame);
	}
}
