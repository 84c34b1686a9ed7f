/** Tells the bridge what Obsidian writes, so that it does not take it for another program's. */

import { Component } from "obsidian";
import { METHOD_NOT_FOUND, RpcError } from "../core/rpc/messages";
import type { ObsidianWrite } from "../core/wire/contract";
import { followWrites } from "../platform/saves";
import type { Context } from "./context";

/** What is told at a time, at most. */
const MOST = 500;

export class Saves extends Component {
	private waiting: ObsidianWrite[] = [];
	private busy = false;
	/** An older bridge does not know what this is about. */
	private deaf = false;

	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		const { app, connection } = this.context;
		this.register(followWrites(app, (write) => { this.take(write); }));
		this.register(connection.changed.on(() => {
			this.waiting = [];
			this.deaf = false;
		}));
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
			this.deaf = error instanceof RpcError && error.code === METHOD_NOT_FOUND;
		} finally {
			this.busy = false;
		}
	}
}
