/** Events of the bridge for a feature. */

import { ShapeError } from "../core/json";
import type { Connection } from "../core/rpc/connection";
import type { EventName } from "../core/wire/contract";
import { handleEvent, type EventHandlers } from "../core/wire/events";

/** Hand the bridge's events to their handlers; one that cannot be read is passed over. Returns the function that ends it. */
export function hear(connection: Connection, handlers: EventHandlers): () => void {
	return connection.notified.on(({ method, params }) => {
		try {
			handleEvent(handlers, method, params);
		} catch (error) {
			if (!(error instanceof ShapeError)) throw error;
			console.warn("Vault Bridge:", error);
		}
	});
}

/** What calls a listener back whenever something of one of these kinds was written into the log. */
export function onRecord(connection: Connection, ...kinds: readonly string[]): (listener: () => void) => () => void {
	return (listener) =>
		connection.notified.on(({ method, params }) => {
			if (method === ("audit.appended" satisfies EventName) && kinds.includes(String(params["kind"]))) listener();
		});
}
