/** Events of the bridge, read, for those who follow them. */

import { together } from "./emitter";
import { ShapeError, type JsonObject } from "./json";
import type { Connection } from "./rpc/connection";
import { warn } from "./warn";
import type { EventName, Events } from "./wire/contract";
import { reader } from "./wire/reading";
import { EVENTS } from "./wire/shapes";

/** The events that somebody here handles. */
export type Heard = keyof typeof EVENTS;

export type EventHandlers = { readonly [K in Heard]?: (event: Events[K]) => void };

function isHandled(handlers: EventHandlers, method: string): method is Heard {
	return Object.hasOwn(handlers, method);
}

function handle<K extends Heard>(handlers: Pick<EventHandlers, K>, name: K, params: JsonObject): void {
	handlers[name]?.(reader(EVENTS[name])(params, name) as Events[K]);
}

/** Hand the bridge's events to their handlers; one that cannot be read is passed over. Returns the function that ends it. */
export function hear(connection: Connection, handlers: EventHandlers, unreadable: (error: ShapeError) => void = warn): () => void {
	return connection.notified.on(({ method, params }) => {
		if (!isHandled(handlers, method)) return;
		try {
			handle(handlers, method, params);
		} catch (error) {
			if (!(error instanceof ShapeError)) throw error;
			unreadable(error);
		}
	});
}

/**
 * Call back when one of these events comes, or something of one of these kinds is written into the log.
 *
 * @returns The function that ends it.
 */
export function onEvents(connection: Connection, events: readonly EventName[], kinds: readonly string[], listener: () => void): () => void {
	return connection.notified.on(({ method, params }) => {
		const isRecord = method === ("audit.appended" satisfies EventName) && kinds.includes(String(params["kind"]));
		if (isRecord || events.some((one) => one === method)) listener();
	});
}

/** The same, and when the connection comes or goes. */
export function onNews(connection: Connection, events: readonly EventName[], listener: () => void): () => void {
	return together(connection.changed.on(listener), onEvents(connection, events, [], listener));
}
