/** The user's own tools: the window in which they are kept, and the runs of those that run in this window. */

import { Component } from "obsidian";
import type { EventHandlers } from "../core/wire/events";
import type { ToolRuns } from "../platform/toolRuns";
import { ToolsModal } from "../ui/ownTools/toolsModal";
import type { Context } from "./context";
import { hear, onRecord } from "./hearing";

export class OwnTools extends Component {
	constructor(
		private readonly context: Context,
		private readonly runs: ToolRuns,
	) {
		super();
	}

	override onload(): void {
		const { plugin, app, connection, request } = this.context;
		plugin.addCommand({ id: "own-tools", name: "Your own tools", callback: () => { new ToolsModal(app, request, onRecord(connection, "custom", "settings")).open(); } });
		this.register(hear(connection, this.handlers));
		this.register(connection.changed.on((state) => {
			if (state.kind !== "connected") this.runs.endAll();
		}));
		this.register(() => { this.runs.endAll(); });
	}

	private readonly handlers: EventHandlers = {
		"custom.ended": ({ run }) => { this.runs.end(run); },
	};
}
