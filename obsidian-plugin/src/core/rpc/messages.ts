/** JSON-RPC 2.0 on the plugin's side of the wire: what may arrive, and what is sent. */

import { isObject, type JsonObject } from "../json";

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

export function requestFrame(id: Id, method: string, params: object): string {
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
