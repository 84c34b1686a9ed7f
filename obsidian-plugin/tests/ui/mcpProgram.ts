/** A program that speaks MCP, as an agent's does: it starts the command of its configuration and talks with it by lines. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

interface Reply {
	id?: number;
	result?: { content?: { text?: string }[] };
	error?: { message: string };
}

export class McpProgram {
	private readonly child: ChildProcessWithoutNullStreams;
	private readonly waiting = new Map<number, (reply: Reply) => void>();
	private last = 0;

	constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
		this.child = spawn(command, args, { env });
		createInterface(this.child.stdout).on("line", (line) => {
			const reply = JSON.parse(line) as Reply;
			if (reply.id !== undefined) this.waiting.get(reply.id)?.(reply);
		});
	}

	async begin(): Promise<void> {
		await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "claude-code", version: "2" } });
		this.send({ method: "notifications/initialized" });
	}

	/** The text of a tool's answer. */
	async call(name: string, args: object): Promise<string> {
		const { result, error } = await this.ask("tools/call", { name, arguments: args });
		if (error) throw new Error(error.message);
		return (result?.content ?? []).map(({ text }) => text ?? "").join("\n");
	}

	end(): void {
		this.child.kill();
	}

	private async ask(method: string, params: object): Promise<Reply> {
		const id = ++this.last;
		const reply = new Promise<Reply>((resolve) => this.waiting.set(id, resolve));
		this.send({ id, method, params });
		return reply;
	}

	private send(message: object): void {
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}
}
