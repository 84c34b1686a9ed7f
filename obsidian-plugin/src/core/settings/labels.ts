/** How the values of settings are measured and named on the screen. What a setting is called, the bridge says. */

import type { ConsentMode, SemanticStatus } from "../wire/contract";

const CAPITALS: Readonly<Record<string, string>> = { https: "HTTPS", ttl: "TTL", mcp: "MCP", api: "API", url: "URL" };

/** A name of the wire for people, where nobody has written a title: `everything` as `Everything`. */
export function labelOf(key: string): string {
	const words = key
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.split(/[\s_]+/)
		.map((word) => CAPITALS[word.toLowerCase()] ?? word.toLowerCase());
	const text = words.join(" ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

export const MODE_LABELS: Readonly<Record<ConsentMode, string>> = {
	never_allow: "Never",
	always_ask: "Ask every time",
	session_allow: "Ask once a session",
	always_allow: "Always allow",
};

export function choiceLabel(unit: string, option: string | number): string {
	return typeof option === "number" ? `${option} ${unit}`.trim() : labelOf(option);
}

/** The description without the marks that stand for code elsewhere. */
export function plain(description: string): string {
	return description.replace(/`/g, "");
}

export interface Unit {
	/** How many of the wire's units one of these is. */
	factor: number;
	name: string;
}

const KILO = 1024;

/** Bytes are shown in kB or MB, whichever the default is a whole number of; the rest in the bridge's own unit. */
export function unitOf(field: { readonly unit: string; readonly default: unknown }): Unit {
	if (field.unit !== "bytes") return { factor: 1, name: field.unit };
	const usual = typeof field.default === "number" ? field.default : 0;
	if (usual >= KILO * KILO && usual % (KILO * KILO) === 0) return { factor: KILO * KILO, name: "MB" };
	if (usual >= 1000 && usual % KILO === 0) return { factor: KILO, name: "kB" };
	return { factor: 1000, name: "kB" };
}

export function sizeText(bytes: number): string {
	if (bytes < KILO) return `${bytes} bytes`;
	const units = ["kB", "MB", "GB"];
	let value = bytes / KILO;
	let unit = 0;
	while (value >= KILO && unit < units.length - 1) {
		value /= KILO;
		unit++;
	}
	return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ""}`;
}

export function semanticText({ state, reason, model, done, total, size, endpoint }: SemanticStatus): string {
	const counts = `${done} of ${total} notes are prepared`;
	const said: Record<SemanticStatus["state"], string> = {
		off: "Search by meaning is off.",
		missing: "No model for it is installed: notes are found by their words.",
		waiting: "Waits until the notes are read.",
		embedding: `${counts}.`,
		paused: `${counts}. It goes on when this computer is ${reason === "battery" ? "plugged in" : "less busy"}.`,
		ready: `${counts}.`,
		failed: `It does not work: ${reason.replace(/\.$/, "")}. It is tried again.`,
		not_allowed: `The model that is set runs on another computer${endpoint === null ? "" : ` (${endpoint})`}, and nothing is sent there before you allow it.`,
	};
	return model === "" ? said[state] : `${said[state]} Model: ${model}, ${sizeText(size)}.`;
}
