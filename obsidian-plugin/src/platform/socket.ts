/** The browser's WebSocket, as the connection wants it. */

import type { Socket, SocketHandlers } from "../core/rpc/connection";

/** The code with which a server that stops closes its connections (RFC 6455). */
const GOING_AWAY = 1001;

export function openSocket(url: string, protocols: string[], handlers: SocketHandlers): Socket {
	const socket = new WebSocket(url, protocols);
	let over = false;
	socket.onopen = () => {
		handlers.opened();
	};
	socket.onmessage = (event: MessageEvent<unknown>) => {
		if (typeof event.data === "string") handlers.received(event.data);
	};
	// An error is always followed by a close; a browser says no more than that about either.
	socket.onclose = (event) => {
		if (over) return;
		over = true;
		handlers.closed(event.reason || "It does not answer; it may be starting, or have crashed.", event.code === GOING_AWAY);
	};
	return {
		send: (frame) => {
			if (socket.readyState === WebSocket.OPEN) socket.send(frame);
		},
		close: () => {
			over = true;
			socket.close();
		},
	};
}
