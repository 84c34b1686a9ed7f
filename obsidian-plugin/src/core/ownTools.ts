/** Tools of the user's own, in words. */

import { isObject, type JsonObject } from "./json";
import type { CustomToolInfo } from "./wire/contract";

export interface EnvironmentWords {
	/** On a badge. */
	name: string;
	/** As a choice. */
	label: string;
	/** What the code finds there. */
	help: string;
}

const OWN_PROCESS = "in a new process for each run, held by the sandbox where one works. It reads and writes no notes by itself: for those and for pages of the web it calls other tools with";
export const ENVIRONMENTS: Readonly<Record<string, EnvironmentWords>> = {
	node: {
		name: "Node",
		label: "Node.js (File system, child processes, etc.)",
		help: `The body of an async function, ${OWN_PROCESS} await bridge.call(tool, arguments). It is given parameters, bridge and require.`,
	},
	browser: {
		name: "Browser",
		label: "Browser (Fetch, localStorage, DOM, etc.)",
		help: "The body of an async function, in a Worker of its own in this app for each run. It is given parameters and bridge. As in every Worker there is no page, so no document. fetch reaches a page with your consent; localStorage is kept for this tool alone; sessionStorage lasts for one run; await bridge.call(tool, arguments) calls other tools.",
	},
	python: {
		name: "Python",
		label: "Python (File system, child processes, etc.)",
		help: `The body of a function, ${OWN_PROCESS} bridge.call(tool, name=value). It is given parameters and bridge.`,
	},
};

/** The environment of a tool in words, also of one that only a later bridge has. */
export function environmentWords(environment: string): EnvironmentWords {
	const words = Object.hasOwn(ENVIRONMENTS, environment) ? ENVIRONMENTS[environment] : undefined;
	return words ?? { name: environment, label: environment, help: "" };
}

export function metadataLine({ environment, timeout, createdAt }: CustomToolInfo): string {
	return `Environment: ${environment} • Timeout: ${timeout}ms • Created: ${new Date(createdAt).toLocaleString()}`;
}

export type EditorField = "name" | "description" | "environment" | "code" | "parameters" | "returns" | "timeout";

const ABOUT: readonly (readonly [EditorField, RegExp])[] = [
	["parameters", /The parameters|'parameters'/],
	["name", /tool's name|There is a tool|'name'/],
	["description", /description/],
	["returns", /return type|'returns'/],
	["timeout", /'timeout'/],
	["code", /The code|needs code|'code'/],
];

/** The field that a refusal of the bridge is about; null where it says none. */
export function fieldOf(refusal: string): EditorField | null {
	return ABOUT.find(([, pattern]) => pattern.test(refusal))?.[0] ?? null;
}

/** The object that somebody has written as JSON, or what is wrong with it. */
export function parseObject(text: string): { value: JsonObject } | { fault: string } {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? { value } : { fault: "This must be an object: { … }" };
	} catch (error) {
		return { fault: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
	}
}
