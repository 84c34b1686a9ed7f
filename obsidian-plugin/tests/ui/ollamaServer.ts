/** A server that speaks Ollama's API as its documents describe it, streaming included, with a model that follows a script. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** What a reply is made of: a piece of text, calls, or a wait until somebody lets it go on. */
export type Step = string | { calls: { name: string; arguments: object }[] } | { wait: Promise<void> };

interface Asked {
	messages: { role: string; content: string }[];
	tools?: { function: { name: string } }[];
}

export class OllamaServer {
	/** The requests for replies. */
	readonly asked: Asked[] = [];
	/** How many replies were given up before their end because nobody listened any more. */
	abandoned = 0;
	private readonly server: Server;
	private script: readonly (readonly Step[])[] = [];

	private constructor() {
		this.server = createServer((request, response) => void this.answer(request, response));
	}

	static async start(): Promise<OllamaServer> {
		const one = new OllamaServer();
		await new Promise<void>((resolve) => one.server.listen(0, "127.0.0.1", resolve));
		return one;
	}

	get url(): string {
		const address = this.server.address();
		return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
	}

	/** What the model says from now on, reply by reply. */
	follow(...replies: (readonly Step[])[]): void {
		this.asked.length = 0;
		this.script = replies;
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		let body = "";
		request.setEncoding("utf8");
		for await (const part of request) body += String(part);
		const json = (value: object): void => {
			response.writeHead(200, { "content-type": "application/json" });
			response.end(JSON.stringify(value));
		};
		if (request.url === "/api/tags") json({ models: [{ name: "scripted", model: "scripted", size: 5 }] });
		else if (request.url === "/api/show") json({ capabilities: ["completion", "tools"], model_info: { "general.architecture": "test", "test.context_length": 131_072 }, details: { family: "test" } });
		else {
			this.asked.push(JSON.parse(body) as Asked);
			await this.reply(response, this.script[this.asked.length - 1] ?? ["The script is over."]);
		}
	}

	private async reply(response: ServerResponse, steps: readonly Step[]): Promise<void> {
		const gone = new Promise<void>((resolve) => response.once("close", resolve));
		response.writeHead(200, { "content-type": "application/x-ndjson" });
		const line = (message: object, more: object = { done: false }): void => { response.write(`${JSON.stringify({ model: "scripted", message: { role: "assistant", content: "", ...message }, ...more })}\n`); };
		for (const step of steps) {
			if (typeof step === "string") line({ content: step });
			else if ("calls" in step) line({ tool_calls: step.calls.map((call) => ({ function: call })) });
			else {
				await Promise.race([step.wait, gone]);
				if (response.destroyed) {
					this.abandoned += 1;
					return;
				}
			}
		}
		line({}, { done: true, done_reason: "stop", prompt_eval_count: 100, eval_count: 10 });
		response.end();
	}
}
