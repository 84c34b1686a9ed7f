import { describe, expect, it, vi } from "vitest";
import { reader } from "../../../src/core/wire/reading";
import { Disconnected, RpcClient, parseFrame, RpcError, type HostRequestHandler } from "../../../src/core/rpc/client";
import { settled } from "../fakeClock";

function connect(handlers: [string, HostRequestHandler][] = []) {
	const sent: unknown[] = [];
	const notified: unknown[] = [];
	const client = new RpcClient(
		(frame) => sent.push(JSON.parse(frame)),
		(method, params) => notified.push([method, params]),
		new Map(handlers),
	);
	const receive = (message: unknown): void => {
		client.receive(JSON.stringify(message));
	};
	return { client, sent, notified, receive };
}

describe("a connection's requests and answers", () => {
	it("match answers to requests by id, in whatever order they come", async () => {
		const { client, sent, receive } = connect();
		const answers = Promise.all([client.request("ping"), client.request("session.info", { a: 1 })]);
		expect(sent).toEqual([
			{ jsonrpc: "2.0", id: 1, method: "ping", params: {} },
			{ jsonrpc: "2.0", id: 2, method: "session.info", params: { a: 1 } },
		]);
		receive([{ jsonrpc: "2.0", id: 2, result: "second" }, { jsonrpc: "2.0", id: 1, result: null }]);
		expect(await answers).toEqual([null, "second"]);
	});

	it("reject with the bridge's own words", async () => {
		const { client, receive } = connect();
		const answer = client.request("settings.update");
		receive({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "Invalid params", data: { hint: "too big" } } });
		await expect(answer).rejects.toEqual(new RpcError(-32602, "Invalid params", { hint: "too big" }));
	});

	it("end with Disconnected when the connection does, and so do later ones", async () => {
		const { client } = connect();
		const answer = client.request("ping");
		client.close();
		await expect(answer).rejects.toBeInstanceOf(Disconnected);
		await expect(client.request("ping")).rejects.toBeInstanceOf(Disconnected);
	});

	it("outlive frames that are no messages", async () => {
		const { client, receive } = connect();
		const answer = client.request("ping");
		client.receive("{");
		receive([1, null, { jsonrpc: "1.0", id: 1, result: "old" }, { jsonrpc: "2.0", id: 99, result: "nobody asked" }]);
		receive({ jsonrpc: "2.0", id: 1, result: "pong" });
		expect(await answer).toBe("pong");
	});

	it("hand on notifications", () => {
		const { notified, receive } = connect();
		receive({ jsonrpc: "2.0", method: "consent.requested", params: { requestId: "c-1" } });
		expect(notified).toEqual([["consent.requested", { requestId: "c-1" }]]);
	});
});

describe("what the bridge asks of the plugin", () => {
	it("is answered with the handler's result", async () => {
		const { sent, receive } = connect([["host.dirty", async () => Promise.resolve({ open: [] })]]);
		receive({ jsonrpc: "2.0", id: "bridge-1", method: "host.dirty", params: {} });
		await settled();
		expect(sent).toEqual([{ jsonrpc: "2.0", id: "bridge-1", result: { open: [] } }]);
	});

	it.each([
		["a method we do not have", "host.format", {}, -32601],
		["parameters of the wrong shape", "host.trash", { paths: "all" }, -32602],
		["a fault of ours, without its details", "host.fail", {}, -32603],
	])("is refused for %s", async (_, method, params, code) => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const { sent, receive } = connect([
			["host.trash", async (given) => Promise.resolve(reader("TrashQuestion")(given, ""))],
			["host.fail", async () => Promise.reject(new Error("/home/me/secret"))],
		]);
		receive({ jsonrpc: "2.0", id: 7, method, params });
		await settled();
		expect(sent).toMatchObject([{ id: 7, error: { code } }]);
		expect(JSON.stringify(sent)).not.toContain("secret");
	});
});

describe("a frame", () => {
	it.each([
		["an error without an id", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', 1],
		["a request with a list for parameters", '{"jsonrpc":"2.0","id":1,"method":"a","params":[]}', 0],
		["a request whose id is an object", '{"jsonrpc":"2.0","id":{},"method":"a"}', 0],
		["a message without result and error", '{"jsonrpc":"2.0","id":1}', 0],
	])("with %s", (_, frame, messages) => {
		expect(parseFrame(frame)).toHaveLength(messages);
	});
});
