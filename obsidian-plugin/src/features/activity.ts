/** What agents do at this moment, and when they are slowed down: told in passing, without asking for anything. */

import { Component, Notice } from "obsidian";
import { optional, record, ShapeError, string, type JsonObject } from "../core/json";
import { Emitter } from "../core/emitter";
import { inertPlain } from "../core/text/inert";
import type { Context } from "./context";

const readStart = record({ executionId: string, tool: optional(string, ""), client: optional(string, "") });
const readLimit = record({ message: optional(string, "An agent has to wait: a rate limit is reached."), tool: optional(string, "") });
/** Milliseconds in which the same limit is told once. */
const QUIET = 30_000;

export class Activity extends Component {
	/** The tools that run now, newest last. */
	readonly changed = new Emitter<readonly string[]>();
	private readonly running = new Map<string, string>();
	private readonly told = new Map<string, number>();

	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		const { connection } = this.context;
		this.register(connection.notified.on(({ method, params }) => { this.hear(method, params); }));
		this.register(connection.changed.on(() => {
			this.running.clear();
			this.changed.emit([]);
		}));
	}

	private hear(method: string, params: JsonObject): void {
		try {
			if (method === "tool.started") {
				const { executionId, tool } = readStart(params, method);
				this.running.set(executionId, tool);
			} else if (method === "tool.finished") {
				const { executionId, tool } = readStart(params, method);
				this.running.delete(executionId);
				this.tellDuration(tool, params["durationMs"]);
			} else if (method === "limits.hit") {
				this.tellLimit(readLimit(params, method));
				return;
			} else return;
			this.changed.emit([...this.running.values()]);
		} catch (error) {
			if (!(error instanceof ShapeError)) throw error;
			console.warn("Vault Bridge:", error);
		}
	}

	/** Developer mode shows on the console how long each tool took. */
	private tellDuration(tool: string, milliseconds: unknown): void {
		const { current } = this.context.settings;
		if (current?.values["developerMode"] === true && typeof milliseconds === "number") console.debug(`Vault Bridge: ${tool} took ${milliseconds} ms`);
	}

	private tellLimit({ tool, message }: { tool: string; message: string }): void {
		const now = this.context.clock.now();
		if (now - (this.told.get(tool) ?? -QUIET) < QUIET) return;
		this.told.set(tool, now);
		new Notice(inertPlain(message));
	}
}
