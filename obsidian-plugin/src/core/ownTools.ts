/** Tools of the user's own, in words; and the form in which the parameters of one are said. */

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

export interface FormField {
	name: string;
	kind: "text" | "number" | "toggle" | "choice" | "json";
	description: string;
	required: boolean;
	/** Of a choice. */
	choices: readonly unknown[];
	/** What the field says at first. */
	first: string;
}

/** The fields of a schema's properties. Whatever is none of the simple kinds is said as JSON. */
export function formFields(schema: JsonObject): FormField[] {
	const properties = isObject(schema["properties"]) ? schema["properties"] : {};
	const required: unknown = schema["required"];
	return Object.entries(properties).map(([name, one]) => {
		const property = isObject(one) ? one : {};
		const choices: readonly unknown[] = Array.isArray(property["enum"]) ? property["enum"] : [];
		const kind = choices.length > 0 ? "choice" : kindOf(property["type"]);
		const value = property["default"];
		const first = value === undefined ? "" : kind === "choice" ? String(choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value))) : typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
		const description = typeof property["description"] === "string" ? property["description"] : "";
		return { name, kind, description, required: Array.isArray(required) && required.includes(name), choices, first };
	});
}

function kindOf(type: unknown): FormField["kind"] {
	if (type === "string") return "text";
	if (type === "number" || type === "integer") return "number";
	return type === "boolean" ? "toggle" : "json";
}

/**
 * What a form says.
 *
 * @returns The parameters, and a sentence for each field that is not said as it must be. What is left empty is left out.
 */
export function formValues(fields: readonly FormField[], said: ReadonlyMap<string, string>): { values: JsonObject; faults: Map<string, string> } {
	const values: JsonObject = {};
	const faults = new Map<string, string>();
	for (const { name, kind, required, choices } of fields) {
		const text = said.get(name) ?? "";
		if (text === "" && (kind !== "text" || !required)) {
			if (required) faults.set(name, "This is needed.");
		} else if (kind === "text") values[name] = text;
		else if (kind === "choice") values[name] = choices[Number(text)];
		else {
			try {
				const value: unknown = JSON.parse(text);
				if (kind === "number" && typeof value !== "number") throw new SyntaxError("no number");
				values[name] = value;
			} catch {
				faults.set(name, kind === "number" ? "This must be a number." : "This must be JSON.");
			}
		}
	}
	return { values, faults };
}
