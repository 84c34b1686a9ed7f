/** The machine that Obsidian runs on. */

import { Platform } from "obsidian";
import type { Machine } from "../core/program/places";

export function thisMachine(): Machine {
	const { env } = process;
	const home = (Platform.isWin ? env["USERPROFILE"] : env["HOME"]) ?? "";
	return { system: Platform.isWin ? "windows" : Platform.isMacOS ? "macos" : "linux", home, env };
}

/** Bytes of memory that this window has; 0 where the app does not say. */
export function memoryOfWindow(): number {
	try {
		return process.memoryUsage.rss();
	} catch {
		return 0;
	}
}
