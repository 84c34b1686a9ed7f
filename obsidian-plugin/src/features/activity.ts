/** What agents do at this moment, and what the bridge has to say in passing: nobody has to answer it. */

import { Emitter } from "../core/emitter";
import { warn } from "../core/warn";
import type { LimitHit, ToolFinished } from "../core/wire/contract";
import { ask } from "../core/wire/reading";
import { tell } from "../ui/notice";
import { Feature } from "./feature";

/** Milliseconds in which the same limit is shown once. */
const QUIET = 30_000;

export class Activity extends Feature {
	/** The tools that run now, newest last. */
	readonly changed = new Emitter<readonly string[]>();
	private readonly running = new Map<string, string>();
	/** When a limit was shown last, by its tool. */
	private readonly shown = new Map<string, number>();
	/** The sentences that were said, so that each is said once. */
	private readonly said = new Set<string>();

	override onload(): void {
		const { connection, request } = this.context;
		const changed = (): void => { this.changed.emit([...this.running.values()]); };
		this.hear({
			"tool.started": ({ executionId, tool }) => {
				this.running.set(executionId, tool);
				changed();
			},
			"tool.finished": (event) => {
				this.running.delete(event.executionId);
				this.showDuration(event);
				changed();
			},
			"limits.hit": (event) => { this.showLimit(event); },
			"clients.changed": ({ message }) => { tell(message); },
		});
		this.on(connection.changed, ({ kind }) => {
			this.running.clear();
			changed();
			if (kind === "connected") ask(request, "bridge.faults").then(({ unprotected }) => { this.say(unprotected); }).catch(warn);
		});
	}

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

	/** Programs that were told to ask before they edit the vault, and may do so without. */
	private say(sentences: readonly string[]): void {
		for (const sentence of sentences) {
			if (!this.said.has(sentence)) tell(sentence, 0);
			this.said.add(sentence);
		}
	}
}
