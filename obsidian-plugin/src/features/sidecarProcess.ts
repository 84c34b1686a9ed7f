/** Starts the bridge with Obsidian and stops it with Obsidian, if the person wants that. It never installs or updates anything. */

import { Component, FileSystemAdapter, Notice } from "obsidian";
import { sanitizePlain } from "../core/text/sanitize";
import { Sidecar } from "../platform/sidecar";
import type { Context } from "./context";

/** Milliseconds in which a bridge that was started by someone else answers. */
const GRACE = 1_500;

export class SidecarProcess extends Component {
	private readonly sidecar = new Sidecar(({ output }) => {
		const said = sanitizePlain(output.slice(-400)) || "It said nothing.";
		new Notice(`The bridge stopped. ${said}`, 15_000);
	});

	constructor(private readonly context: Context) {
		super();
	}

	override onload(): void {
		const { connection, clock } = this.context;
		// Obsidian does not unload its plugins when it is closed.
		this.registerEvent(this.context.app.workspace.on("quit", () => { this.sidecar.stop(); }));
		this.registerDomEvent(window, "beforeunload", () => { this.sidecar.stop(); });
		this.register(
			clock.after(GRACE, () => {
				if (this.context.device.settings.startBridge && !connection.connected) this.start();
			}),
		);
	}

	override onunload(): void {
		this.sidecar.stop();
	}

	get running(): boolean {
		return this.sidecar.running;
	}

	/** Start the program that is set on this device. */
	start(): void {
		const { adapter } = this.context.app.vault;
		if (!(adapter instanceof FileSystemAdapter)) return;
		this.sidecar.start(this.context.device.settings.command, adapter.getBasePath());
		this.context.connection.retryNow();
	}

	stop(): void {
		this.sidecar.stop();
	}
}
