/** Parameters as fields of a form, of a template or of a tool of the user's own, and what the form says as their values. */

import { isObject, type JsonObject } from "./json";
import type { TemplateParameter } from "./wire/contract";

export interface FormField {
	name: string;
	/** What it is called for those who hear it; others also see whether it is needed. */
	label: string;
	title: string;
	description: string;
	kind: "text" | "number" | "date" | "lines" | "switch" | "choice" | "json";
	required: boolean;
	choices: readonly { name: string; value: unknown }[];
	/** Whether nothing may be said of a choice. */
	silent: boolean;
	/** What the field says at first; of a choice, its place. */
	first: string;
	/** The value where it is left empty; undefined: it has none then. */
	empty?: unknown;
}

const DAY = 24 * 60 * 60 * 1000;
const DAYS: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };
const TOGGLE = [{ name: "Yes", value: true }, { name: "No", value: false }] as const;
const KINDS: Readonly<Record<string, FormField["kind"]>> = { string: "text", number: "number", integer: "number", boolean: "choice" };
const TEMPLATE_KINDS: Readonly<Record<TemplateParameter["type"], FormField["kind"]>> = { text: "text", number: "number", boolean: "switch", list: "lines", date: "date" };

/** The fields of a schema's properties. Whatever is none of the simple kinds is said as JSON. */
export function schemaFields(schema: JsonObject): FormField[] {
	const properties = isObject(schema["properties"]) ? schema["properties"] : {};
	const needed: unknown = schema["required"];
	return Object.entries(properties).map(([name, one]) => {
		const property = isObject(one) ? one : {};
		const { type, default: value } = property;
		const options: readonly unknown[] = Array.isArray(property["enum"]) ? property["enum"] : [];
		const choices = options.length > 0 ? options.map((option) => ({ name: asWritten(option), value: option })) : type === "boolean" ? TOGGLE : [];
		const kind = choices.length > 0 ? "choice" : (KINDS[String(type)] ?? "json");
		const place = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
		const first = value === undefined ? "" : kind === "choice" ? String(place) : kind === "json" ? JSON.stringify(value) : asWritten(value);
		const description = typeof property["description"] === "string" ? property["description"] : "";
		const required = Array.isArray(needed) && needed.includes(name);
		return { name, label: name, title: required ? `${name} (needed)` : name, description, kind, required, choices, silent: true, first, ...(required && kind === "text" && { empty: "" }) };
	});
}

export function templateFields(parameters: readonly TemplateParameter[], now: number): FormField[] {
	return parameters.map(({ name, title, description, type, optional, default: value, choices }) => {
		const kind = choices.length > 0 ? "choice" : TEMPLATE_KINDS[type];
		const label = title || name;
		const options = choices.map((choice) => ({ name: choice, value: choice }));
		const required = type !== "list" && type !== "boolean" && !optional && value === null;
		return { name, label, title: label, description, kind, required, choices: options, silent: false, first: firstOf(kind, value, choices, now), ...(type === "text" && typeof value === "string" && { empty: "" }) };
	});
}

function firstOf(kind: FormField["kind"], value: unknown, choices: readonly unknown[], now: number): string {
	if (kind === "choice") return String(Math.max(0, choices.indexOf(value)));
	if (kind === "switch") return String(value === true);
	if (kind === "lines") return Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : "";
	if (kind === "date") return typeof value === "string" ? dayOf(value, now) : "";
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/**
 * What a form says.
 *
 * @returns The values by their names, and a sentence for each field that is not said as it must be.
 */
export function formValues(fields: readonly FormField[], said: ReadonlyMap<string, string>): { values: JsonObject; faults: Map<string, string> } {
	const values: JsonObject = {};
	const faults = new Map<string, string>();
	for (const field of fields) {
		const { name, required, empty } = field;
		const text = said.get(name) ?? "";
		if (required && text.trim() === "" && empty === undefined) {
			faults.set(name, "This is needed.");
			continue;
		}
		try {
			const value = valueOf(field, text);
			if (value !== undefined) values[name] = value;
		} catch {
			faults.set(name, field.kind === "number" ? "This must be a number." : "This must be JSON.");
		}
	}
	return { values, faults };
}

/** @throws SyntaxError when it is not said as it must be. */
function valueOf({ kind, choices, empty }: FormField, text: string): unknown {
	if (kind === "switch") return text === "true";
	if (kind === "lines") return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
	if (text === "") return empty;
	if (kind === "choice") return choices[Number(text)]?.value;
	if (kind === "json") return JSON.parse(text);
	if (kind !== "number") return text;
	const value = Number(text);
	if (!Number.isFinite(value)) throw new SyntaxError("no number");
	return value;
}

function asWritten(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}

/** `today` and the like as the day that it is here; what is no such word stays. */
function dayOf(word: string, now: number): string {
	const days = DAYS[word];
	if (days === undefined) return word;
	const day = new Date(now + days * DAY);
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
