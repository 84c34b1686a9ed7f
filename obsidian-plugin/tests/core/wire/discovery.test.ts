import { describe, expect, it } from "vitest";
import { parseBridgeFile, parseHostFile } from "../../../src/core/wire/discovery";

const bridge = { url: "ws://127.0.0.1:49213/ws", pid: 1, version: "0.1.0", runDir: "/run/user/1000/vault-bridge/x" };
const host = { url: bridge.url, token: "abc-DEF_123", pid: 1, vault: "/home/ada/Notes" };

describe("the files of a running bridge", () => {
	it("are read", () => {
		expect(parseBridgeFile(JSON.stringify(bridge))).toEqual(bridge);
		expect(parseHostFile(JSON.stringify(host))).toEqual(host);
	});

	it.each(["ws://example.org/ws", "wss://127.0.0.1/ws", "http://127.0.0.1/ws", "ws://127.0.0.1.example.org/ws", "nonsense"])("never send the token to %s", (url) => {
		expect(() => parseHostFile(JSON.stringify({ ...host, url }))).toThrow("a ws: address on this machine");
	});

	it.each(["", "a b", "a,b", "a\r\nb"])("have no token like %o", (token) => {
		expect(() => parseHostFile(JSON.stringify({ ...host, token }))).toThrow("a token");
	});
});
