/** The settings form, derived from `settings.schema`: the bridge says what there is; nothing here knows a setting by name. */

import { isObject, object, optional, readable, record, ShapeError, string, type JsonObject, type Reader } from "../json";
import type { SettingsResetParams } from "../wire/contract";
import { labelOf } from "./labels";
import { readTools, type ToolInfo } from "../wire/session";

export type Section = NonNullable<SettingsResetParams["section"]>;

export const SECTIONS = ["tools", "apis", "network", "performance", "privacy", "toolSpecific"] as const satisfies Section[];

interface FieldBase {
	key: string;
	section: string;
	title: string;
	description: string;
	/** What a person should know before they switch it on; null where nothing is risky. */
	risk: string | null;
	default: unknown;
	/** Whether null is a value. */
	nullable: boolean;
}

export interface NumberField extends FieldBase {
	kind: "number";
	minimum: number | null;
	maximum: number | null;
}
export interface ChoiceField extends FieldBase {
	kind: "choice";
	options: (string | number)[];
}
export interface TableField extends FieldBase {
	/** An object with a value for each tool. */
	kind: "table";
	options: string[];
	minimum: number | null;
	maximum: number | null;
}
export interface PlainField extends FieldBase {
	kind: "toggle" | "text" | "strings" | "opaque";
}
export type Field = NumberField | ChoiceField | TableField | PlainField;

export interface SettingsSchema {
	fields: Field[];
	presets: Record<string, string[]>;
	/** All tools that there are, enabled or not; null where the bridge does not list them. */
	tools: ToolInfo[] | null;
}

export const readSettingsSchema: Reader<SettingsSchema> = (value, path) => {
	const schema = record({ properties: object, presets: optional(object, {}), tools: optional(readTools, null) })(value, path);
	const fields = Object.entries(schema.properties).flatMap(([key, property]) => {
		try {
			return [readField(key, property)];
		} catch (error) {
			if (error instanceof ShapeError) return [];
			throw error;
		}
	});
	const presets = Object.fromEntries(
		Object.entries(schema.presets).map(([name, tools]) => [name, readable(string)(tools, `presets.${name}`)]),
	);
	return { fields, presets, tools: schema.tools };
};

function readField(key: string, value: unknown): Field {
	const property = object(value, key);
	const options = Array.isArray(property["anyOf"]) ? property["anyOf"].filter(isObject) : [property];
	const nullable = options.some((one) => one["type"] === "null");
	const shape = options.find((one) => one["type"] !== "null") ?? property;
	const base: FieldBase = {
		key,
		section: optional(string, "other")(property["section"], `${key}.section`),
		title: optional(string, labelOf(key))(property["title"], `${key}.title`),
		risk: optional(string, null)(property["risk"], `${key}.risk`),
		description: optional(string, "")(property["description"], `${key}.description`),
		default: property["default"],
		nullable,
	};
	const choices = Array.isArray(shape["enum"]) ? shape["enum"].filter(isChoice) : null;
	if (choices) return { ...base, kind: "choice", options: choices };
	const values = shape["additionalProperties"];
	if (shape["type"] === "object" && isObject(values)) return table(base, values);
	switch (shape["type"]) {
		case "boolean":
			return { ...base, kind: "toggle" };
		case "integer":
		case "number":
			return { ...base, kind: "number", ...boundsOf(shape) };
		case "string":
			return { ...base, kind: "text" };
		case "array":
			return { ...base, kind: "strings" };
		default:
			return { ...base, kind: "opaque" };
	}
}

function table(base: FieldBase, values: JsonObject): Field {
	const options = Array.isArray(values["enum"]) ? values["enum"].filter((one): one is string => typeof one === "string") : [];
	if (options.length === 0 && values["type"] !== "integer") return { ...base, kind: "opaque" };
	return { ...base, kind: "table", options, ...boundsOf(values) };
}

function boundsOf(shape: JsonObject): { minimum: number | null; maximum: number | null } {
	const bound = (name: string): number | null => (typeof shape[name] === "number" ? shape[name] : null);
	return { minimum: bound("minimum"), maximum: bound("maximum") };
}

function isChoice(value: unknown): value is string | number {
	return typeof value === "string" || typeof value === "number";
}
