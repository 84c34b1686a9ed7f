/** One connection to the bridge: requests out, answers, notifications and requests in. It does no I/O of its own. */

import { ShapeError, type JsonObject } from "../json";
import { errorFrame, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, parseFrame, requestFrame, resultFrame, RpcError } from "./messages";
import type { Id, Incoming } from "./messages";

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
	async request(method: string, params: JsonObject = {}): Promise<unknown> {
		if (!this.open) throw new Disconnected();
		const id = ++this.lastId;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.send(requestFrame(id, method, params));
		});
	}

	/** Hand in a frame that arrived. */
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
