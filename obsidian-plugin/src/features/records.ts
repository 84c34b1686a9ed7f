/** What was written into the log, as a sign that something has changed. */

import type { Connection } from "../core/rpc/connection";
import type { EventName } from "../core/wire/contract";

/** What calls a listener back whenever something of one of these kinds was written into the log. */
export function onRecord(connection: Connection, ...kinds: readonly string[]): (listener: () => void) => () => void {
	return (listener) =>
		connection.notified.on(({ method, params }) => {
			if (method === ("audit.appended" satisfies EventName) && kinds.includes(String(params["kind"]))) listener();
		});
}
