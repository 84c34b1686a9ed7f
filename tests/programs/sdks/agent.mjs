// What agent.py is, for the two lines of the TypeScript SDK: `node agent.mjs LINE COMMAND [ARGUMENT...]` or `... URL TOKEN`.
import { createInterface } from "node:readline";

const LONG = 120_000;
const [line, target, ...rest] = process.argv.slice(2);
const [base, stdio, http] =
	line === "1"
		? await Promise.all([
				import("@modelcontextprotocol/sdk/client/index.js"),
				import("@modelcontextprotocol/sdk/client/stdio.js"),
				import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
			])
		: await Promise.all([
				import("@modelcontextprotocol/client"),
				import("@modelcontextprotocol/client/stdio"),
				import("@modelcontextprotocol/client"),
			]);
const transport = target.startsWith("http")
	? new http.StreamableHTTPClientTransport(new URL(target), {
			requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
		})
	: new stdio.StdioClientTransport({ command: target, args: rest });
const options = line === "1" ? {} : { versionNegotiation: { mode: "auto" } };
const client = new base.Client({ name: "agent", version: "1" }, options);
await client.connect(transport);
const say = (said) => process.stdout.write(`${JSON.stringify(said)}\n`);
let call = Promise.resolve();
let stop = new AbortController();

for await (const text of createInterface({ input: process.stdin })) {
	const asked = JSON.parse(text);
	if (asked.do === "list") {
		const { tools } = await client.listTools();
		say({ tools: tools.map((tool) => tool.name) });
	} else if (asked.do === "call") {
		stop = new AbortController();
		const how = { timeout: LONG, signal: stop.signal, onprogress: () => say({ progress: true }) };
		const params = { name: asked.tool, arguments: asked.arguments };
		const asking = line === "1" ? client.callTool(params, undefined, how) : client.callTool(params, how);
		call = asking.then(
			(result) => say({ text: result.content.map((part) => part.text ?? "").join("\n") }),
			(error) => stop.signal.aborted || say({ failed: String(error) }),
		);
	} else {
		stop.abort();
		await call;
		say({ cancelled: true });
	}
}
await client.close();
