/** How much agents did: its view and its command. */

import { Component } from "obsidian";
import { readAuditActivity } from "../core/wire/readers";
import { ACTIVITY_VIEW, ActivityView } from "../ui/views/activityView";
import type { Context } from "./context";
import { showView } from "./views";

export class Statistics extends Component {
	constructor(
		private readonly context: Context,
		private readonly openLog: () => void,
	) {
		super();
	}

	override onload(): void {
		const { plugin, connection, request } = this.context;
		plugin.registerView(
			ACTIVITY_VIEW,
			(leaf) => new ActivityView(leaf, {
				activity: async (days) => readAuditActivity(await request("audit.activity", { days }), "audit.activity"),
				onConnection: (listener) => connection.changed.on(listener),
				openLog: this.openLog,
			}),
		);
		plugin.addCommand({ id: "agents-activity", name: "Show agents' activity", callback: () => { this.open(); } });
	}

	open(): void {
		void showView(this.context.app, ACTIVITY_VIEW);
	}
}
