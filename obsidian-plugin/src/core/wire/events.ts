/** The bridge's events, read, to those who handle them. */

import type { JsonObject } from "../json";
import type { EventName, Events } from "./contract";
import { EVENT_READERS } from "./readers";

export type EventHandlers = { readonly [K in EventName]?: (event: Events[K]) => void };

/**
 * Hand a notification to the handler of its event. What nobody handles is passed over.
 *
 * @throws ShapeError when the event is not what it should be.
 */
export function handleEvent(handlers: EventHandlers, method: string, params: JsonObject): void {
	if (isHandled(handlers, method)) handle(handlers, method, params);
}

function isHandled(handlers: EventHandlers, method: string): method is EventName {
	return Object.hasOwn(handlers, method);
}

function handle<K extends EventName>(handlers: Pick<EventHandlers, K>, name: K, params: JsonObject): void {
	handlers[name]?.(EVENT_READERS[name](params, name));
}
