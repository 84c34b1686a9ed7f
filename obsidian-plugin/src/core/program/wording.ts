/** How the bridge is, in words: from the connection and from the process that was started here. */

import type { State } from "../rpc/connection";
import { DELAYS, type Status } from "./supervisor";
import { isOlder, type Trouble } from "./trouble";

export type Tone = "is-connected" | "is-off" | "is-trouble";

export interface Condition {
	/** Two words for the status bar. */
	short: string;
	/** One sentence or some more. */
	sentence: string;
	tone: Tone;
}

/** @param own - The version of the plugin. */
export function conditionOf(state: State, status: Status, trouble: Trouble | null, own: string): Condition {
	if (state.kind === "connected") {
		const { version } = state.info;
		const ours = status.kind === "running" ? " It was started by this window." : "";
		const old = isOlder(version, own) ? ` It is older than this plugin (${own}), so some things may not work: install the newer one in the same way as before.` : "";
		return { short: "Bridge on", sentence: `Connected to the bridge of this vault, version ${version}.${ours}${old}`, tone: "is-connected" };
	}
	switch (status.kind) {
		case "starting":
		case "running":
			return { short: "Bridge starts…", sentence: "The bridge is being started.", tone: "is-off" };
		case "stopping":
			return { short: "Bridge stops…", sentence: "The bridge is being stopped.", tone: "is-off" };
		case "waiting":
			return { short: "Bridge restarts…", sentence: `${status.trouble.text} It is started again by itself (attempt ${status.attempt} of ${DELAYS.length}).`, tone: "is-trouble" };
		case "failed":
			return { short: "Bridge failed", sentence: status.trouble.text, tone: "is-trouble" };
		case "off":
			return offCondition(state, trouble);
	}
}

function offCondition(state: State, trouble: Trouble | null): Condition {
	switch (state.kind) {
		case "unreachable":
			return { short: "Bridge lost", sentence: `${state.reason} The plugin tries again by itself.`, tone: "is-trouble" };
		case "absent":
			return { short: "Bridge off", sentence: trouble?.text ?? state.reason ?? "No bridge serves this vault.", tone: "is-off" };
		default:
			return { short: "Bridge…", sentence: "Looking for the bridge of this vault.", tone: "is-off" };
	}
}
