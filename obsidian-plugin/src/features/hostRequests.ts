/** What the bridge may ask of this plugin (`docs/protocol.md`, "Calls from the bridge to a host"). */

import type { App } from "obsidian";
import type { Clock } from "../core/clock";
import type { HostRequestHandler } from "../core/rpc/client";
import { reader } from "../core/wire/reading";
import { dirtyFiles } from "../platform/editors";
import type { ToolRuns } from "../platform/toolRuns";
import { trashFiles, writeFiles } from "../platform/writes";

/** What we say that we can do; the bridge asks nothing else of us. */
export const ABILITIES = ["consent", "write", "dirty", "runTool"] as const;

export function hostRequests(app: App, clock: Clock, runs: ToolRuns): ReadonlyMap<string, HostRequestHandler> {
	return new Map<string, HostRequestHandler>([
		["host.dirty", async (params) => dirtyFiles(app, reader("DirtyQuestion")(params, "host.dirty").paths)],
		["host.write", async (params) => writeFiles(app, reader("WriteQuestion")(params, "host.write"), clock)],
		["host.trash", async (params) => trashFiles(app, reader("TrashQuestion")(params, "host.trash"))],
		["host.runTool", async (params) => runs.run(reader("RunToolQuestion")(params, "host.runTool"))],
	]);
}
