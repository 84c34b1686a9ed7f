/** How settings and their values are named and measured on the screen, beyond what the bridge says of them. */

/** What is named and measured: a setting, as far as that takes. */
interface Described {
	readonly description: string;
	readonly default: unknown;
}

export const SECTION_LABELS: Readonly<Record<string, string>> = {
	tools: "Tools and consent",
	apis: "External APIs",
	network: "Network security",
	performance: "Performance",
	privacy: "Privacy and audit",
	toolSpecific: "Limits of each tool",
};

export const SECTION_DESCRIPTIONS: Readonly<Record<string, string>> = {
	tools: "Which tools agents see, and when they ask.",
	apis: "Services on the network that tools may use.",
	network: "What may be reached, and who may connect.",
	performance: "Caching, and how many calls a minute are allowed.",
	privacy: "What is logged, and for how long.",
	toolSpecific: "How much each tool gives back, backups, and files to pass over.",
};

const MODE_LABELS: Readonly<Record<string, string>> = {
	always_ask: "Always ask",
	session_allow: "Session allow",
	always_allow: "Always allow",
	never_allow: "Never allow",
};

const CAPITALS: Readonly<Record<string, string>> = { https: "HTTPS", ttl: "TTL", mcp: "MCP", api: "API", url: "URL" };

/** A name of the wire for people: `session_allow` as `Session allow`, where nobody has written a title. */
export function labelOf(key: string): string {
	const words = key
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.split(/[\s_]+/)
		.map((word) => CAPITALS[word.toLowerCase()] ?? word.toLowerCase());
	const text = words.join(" ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A choice as a person reads it. */
export function choiceLabel(field: Described, option: string | number): string {
	if (typeof option === "number") return /^days\b/i.test(field.description) ? `${option} days` : String(option);
	return MODE_LABELS[option] ?? labelOf(option);
}

/** What null means, for the field that allows it: the bridge's description says so after `null:`. */
export function nullLabel(field: Described): string {
	const said = /null:\s*([^.;]+)/i.exec(field.description)?.[1]?.trim();
	return said ? said.charAt(0).toUpperCase() + said.slice(1) : "Any";
}

/** The description without what only the wire needs to know: what null means, and its unit, which stands at the field. */
export function descriptionOf(field: Described): string {
	const text = field.description.replace(/;?\s*null:\s*[^.;]+/i, "").replace(/, in bytes\b/i, "").replace(/`/g, "");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

export interface Unit {
	/** How many of the wire's units one of these is. */
	factor: number;
	name: string;
}

const KILO = 1024;

/** Bytes are shown in kB or MB, whichever the default is a whole number of; the rest as it is. */
export function unitOf(field: Described): Unit {
	if (/^seconds\b/i.test(field.description)) return { factor: 1, name: "seconds" };
	if (/^days\b/i.test(field.description)) return { factor: 1, name: "days" };
	if (!/\bbytes\b/i.test(field.description)) return { factor: 1, name: "" };
	const usual = typeof field.default === "number" ? field.default : 0;
	if (usual >= KILO * KILO && usual % (KILO * KILO) === 0) return { factor: KILO * KILO, name: "MB" };
	if (usual >= 1000 && usual % KILO === 0) return { factor: KILO, name: "kB" };
	return { factor: 1000, name: "kB" };
}

/** A size for people. */
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
