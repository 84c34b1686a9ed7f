/** The user's templates: the list as the bridge has it, and from the words of a form to the values of their parameters. */

import { Listing } from "./listing";
import type { TemplateInfo, TemplateParameter, ToolResult } from "./wire/contract";
import { readTemplateInfo, readToolResult } from "./wire/readers";
import type { Request } from "./wire/request";

/** What a form holds of one parameter: words, lines of words, or a switch. */
export type Said = string | boolean;

const DAY = 24 * 60 * 60 * 1000;
const DAYS: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };

export class Templates extends Listing<TemplateInfo> {
	constructor(request: Request) {
		super(request, "templates.list", readTemplateInfo);
	}

	/** Run one. It is asked about like any change, so this may take as long as a person does. */
	async run(name: string, values: Record<string, unknown>): Promise<ToolResult> {
		return readToolResult(await this.request("templates.run", { name, values }), "templates.run");
	}
}

/** What a form begins with. */
export function saidAtFirst({ type, default: value, choices }: TemplateParameter, now: number): Said {
	if (type === "boolean") return value === true;
	if (type === "list") return Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : "";
	if (type === "date") return typeof value === "string" ? dayOf(value, now) : "";
	if (typeof value === "string" || typeof value === "number") return String(value);
	return choices[0] ?? "";
}

/**
 * The values that a form says.
 *
 * @returns The values by their names, or a sentence for each parameter that is not said as it must be.
 */
export function valuesOf(parameters: readonly TemplateParameter[], said: ReadonlyMap<string, Said>): { values: Record<string, unknown>; faults: Map<string, string> } {
	const values: Record<string, unknown> = {};
	const faults = new Map<string, string>();
	for (const parameter of parameters) {
		const words = said.get(parameter.name) ?? "";
		const fault = faultOf(parameter, words);
		if (fault !== null) faults.set(parameter.name, fault);
		else if (words !== "" || parameter.type === "list") values[parameter.name] = valueOf(parameter, words);
		else if (parameter.type === "text" && typeof parameter.default === "string") values[parameter.name] = "";
	}
	return { values, faults };
}

function faultOf({ type, optional, default: value }: TemplateParameter, words: Said): string | null {
	if (typeof words === "boolean") return null;
	if (words.trim() === "") return optional || value !== null || type === "list" ? null : "This is needed.";
	if (type === "number" && !Number.isFinite(Number(words))) return "This must be a number.";
	return null;
}

function valueOf({ type }: TemplateParameter, words: Said): unknown {
	if (typeof words === "boolean") return words;
	if (type === "number") return Number(words);
	if (type === "list") return words.split("\n").map((line) => line.trim()).filter((line) => line !== "");
	return words;
}

/** `today` and the like as the day that it is here; what is no such word stays. */
function dayOf(word: string, now: number): string {
	const days = DAYS[word];
	if (days === undefined) return word;
	const day = new Date(now + days * DAY);
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
