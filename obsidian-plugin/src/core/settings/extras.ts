/** What some bridges offer beside settings: stored keys, a cache, figures of the log. A bridge that does not is not asked again. */

import { isObject } from "../json";
import { METHOD_NOT_FOUND, RpcError } from "../rpc/messages";
import type { Request } from "../wire/request";

export interface Extras {
	/** Of `keys.status`: whether each provider has a key. Null: the bridge stores no keys. */
	keys: Record<string, boolean> | null;
	/** Bytes of the cache. Null: there is none. */
	cacheBytes: number | null;
	/** Bytes of the log. Null: the bridge does not say. */
	logBytes: number | null;
}

export async function loadExtras(request: Request): Promise<Extras> {
	const ask = async (method: "keys.status" | "cache.stats" | "audit.stats"): Promise<unknown> => {
		try {
			return await request(method);
		} catch (error) {
			if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return null;
			throw error;
		}
	};
	const [keys, cache, log] = await Promise.all([ask("keys.status"), ask("cache.stats"), ask("audit.stats")]);
	return { keys: keysOf(keys), cacheBytes: bytesOf(cache), logBytes: bytesOf(log) };
}

function keysOf(value: unknown): Record<string, boolean> | null {
	if (!isObject(value)) return null;
	const holder = isObject(value["keys"]) ? value["keys"] : isObject(value["providers"]) ? value["providers"] : value;
	return Object.fromEntries(Object.entries(holder).map(([name, one]) => [name, isObject(one) ? one["set"] === true : one === true]));
}

function bytesOf(value: unknown): number | null {
	if (!isObject(value)) return null;
	const bytes = value["size"] ?? value["bytes"];
	return typeof bytes === "number" ? bytes : null;
}
