/** What agents do at this moment, and when they are slowed down: shown in passing, without asking for anything. */

import { Component } from "obsidian";
import { Emitter } from "../core/emitter";
import type { LimitHit, ToolFinished } from "../core/wire/contract";
import type { EventHandlers } from "../core/wire/events";
import type { Context } from "./context";
import { hear } from "./hearing";
import { tell } from "../ui/notice";

/** Milliseconds in which the same limit is shown once. */
const QUIET = 30_000;

export class Activity extends Component {
	/** The tools that run now, newest last. */
	readonly changed = new Emitter<readonly string[]>();
	private readonly running = new Map<string, string>();
	private readonly shown = new Map<string, number>();

	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		const { connection } = this.context;
		this.register(hear(connection, this.handlers));
		this.register(connection.changed.on(() => {
			this.running.clear();
			this.changed.emit([]);
		}));
	}

	private readonly handlers: EventHandlers = {
		"tool.started": ({ executionId, tool }) => {
			this.running.set(executionId, tool);
			this.changed.emit([...this.running.values()]);
		},
		"tool.finished": (event) => {
			this.running.delete(event.executionId);
			this.showDuration(event);
			this.changed.emit([...this.running.values()]);
		},
		"limits.hit": (event) => { this.showLimit(event); },
		"clients.changed": ({ message }) => { tell(message); },
	};

	/** Developer mode shows on the console how long each tool took. */
	private showDuration({ tool, durationMs }: ToolFinished): void {
		const { current } = this.context.settings;
		if (current?.values["developerMode"] === true) console.debug(`Vault Bridge: ${tool} took ${durationMs} ms`);
	}

	private showLimit({ tool, message }: LimitHit): void {
		const now = this.context.clock.now();
		if (now - (this.shown.get(tool) ?? -QUIET) < QUIET) return;
		this.shown.set(tool, now);
		tell(message);
	}
}
