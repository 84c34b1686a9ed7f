/** A part of the plugin that Obsidian loads and unloads with it. */

import { Component } from "obsidian";
import type { Emitter } from "../core/emitter";
import { hear, type EventHandlers } from "../core/hearing";
import type { Context } from "../ui/context";

export abstract class Feature extends Component {
	constructor(protected readonly context: Context) {
		super();
	}

	/** Call back with whatever is emitted, until it is unloaded. */
	protected on<T>(emitter: Emitter<T>, listener: (value: T) => void): void {
		this.register(emitter.on(listener));
	}

	protected hear(handlers: EventHandlers): void {
		this.register(hear(this.context.connection, handlers));
	}

	/** Do one thing whenever the bridge is there, and another whenever it is not. */
	protected follow(there: () => void, gone: () => void): void {
		this.on(this.context.connection.changed, ({ kind }) => {
			if (kind === "connected") there();
			else gone();
		});
	}

	/** Add a command; one that is not always possible is offered while it is. */
	protected command(id: string, name: string, run: () => void, possible?: () => boolean): void {
		const checkCallback = (checking: boolean): boolean => {
			const can = possible?.() ?? true;
			if (can && !checking) run();
			return can;
		};
		this.context.plugin.addCommand({ id, name, ...(possible ? { checkCallback } : { callback: run }) });
	}
}
