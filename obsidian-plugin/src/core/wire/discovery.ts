/** The files in which a running bridge says where it is. */

import { ShapeError } from "../json";
import type { Discovery, Endpoint } from "./contract";
import { partReader } from "./reading";

/** `.vault-bridge/bridge.json` in the vault. */
export type BridgeFile = Pick<Discovery, "url" | "pid" | "version" | "runDir">;

/** `host.json` in the run folder, outside the vault. */
export type HostFile = Pick<Endpoint, "url" | "token" | "pid" | "vault">;

/** Vault-relative; the only file that the plugin reads through the vault to find the bridge. */
export const BRIDGE_FILE = ".vault-bridge/bridge.json";

const readBridge = partReader("Discovery", "url", "pid", "version", "runDir");
const readHost = partReader("Endpoint", "url", "token", "pid", "vault");

export function parseBridgeFile(text: string): BridgeFile {
	return checkUrl(readBridge(JSON.parse(text), ""));
}

export function parseHostFile(text: string): HostFile {
	const file = checkUrl(readHost(JSON.parse(text), ""));
	// The token becomes a WebSocket subprotocol, which is a token of HTTP (RFC 7230).
	if (!/^[\w!#$%&'*+.^`|~-]+$/.test(file.token)) throw new ShapeError("token", "a token");
	return file;
}

/** A synced vault could hold anyone's file: the token goes to this machine and nowhere else. */
function checkUrl<T extends { url: string }>(file: T): T {
	const url = URL.canParse(file.url) ? new URL(file.url) : null;
	const loopback = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
	if (url?.protocol !== "ws:" || !loopback) throw new ShapeError("url", "a ws: address on this machine");
	return file;
}
