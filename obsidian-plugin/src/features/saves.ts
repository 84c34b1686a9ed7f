/** Tells the bridge what Obsidian writes, so that it does not take it for another program's. */

import type { ObsidianWrite } from "../core/wire/contract";
import { isUnknown } from "../core/wire/reading";
import { followWrites } from "../platform/saves";
import { Feature } from "./feature";

/** What is told at a time, at most. */
const MOST = 500;

export class Saves extends Feature {
	private waiting: ObsidianWrite[] = [];
	private busy = false;
	/** An older bridge does not know what this is about. */
	private deaf = false;

	override onload(): void {
		const { app, connection } = this.context;
		this.register(followWrites(app, (write) => { this.take(write); }));
		this.on(connection.changed, () => {
			this.waiting = [];
			this.deaf = false;
		});
	}

	/** One request is under way at a time; what comes meanwhile goes together. */
	private take(write: ObsidianWrite): void {
		if (!this.context.connection.connected || this.deaf) return;
		this.waiting.push(write);
		if (!this.busy) void this.send();
	}

	private async send(): Promise<void> {
		this.busy = true;
		try {
			while (this.waiting.length > 0) await this.context.request("versions.wrote", { writes: this.waiting.splice(0, MOST) });
		} catch (error) {
			this.waiting = [];
			this.deaf = isUnknown(error);
		} finally {
			this.busy = false;
		}
	}
}
