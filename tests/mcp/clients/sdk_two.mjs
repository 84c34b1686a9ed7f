// The client of the TypeScript SDK's second line, in the era it is told to use: reads a note and prints what it saw.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, target, ...rest] = process.argv.slice(2);
const transport = target.startsWith("http")
	? new StreamableHTTPClientTransport(new URL(target), {
			requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
		})
	: new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client({ name: "sdk-two", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
const { tools } = await client.listTools();
const result = await client.callTool({ name: "read", arguments: { path: "Ideas.md" } });
const { prompts } = await client.listPrompts();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), result, prompts: prompts.length }));
await client.close();
