// The client of the TypeScript SDK's first line (2025-11-25), over stdio or HTTP: reads a note and prints what it saw.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [target, ...rest] = process.argv.slice(2);
const transport = target.startsWith("http")
	? new StreamableHTTPClientTransport(new URL(target), {
			requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
		})
	: new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client({ name: "sdk-one", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name: "read", arguments: { path: "Ideas.md" } });
const { prompts } = await client.listPrompts();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), result, prompts: prompts.length }));
await client.close();
