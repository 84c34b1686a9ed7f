/** The settings form, derived from `settings.schema`: the bridge says what there is; nothing here knows a setting by name. */

import { isObject, object, optional, readable, record, ShapeError, string, type JsonObject, type Reader } from "../json";
import type { SettingsResetParams, SettingsSection, ToolSetting } from "../wire/contract";
import { readSettingsSection, readToolSetting } from "../wire/readers";
import { labelOf } from "./labels";

export type Section = NonNullable<SettingsResetParams["section"]>;

interface FieldBase {
	key: string;
	section: string;
	title: string;
	description: string;
	/** What a person should know before they switch it on; null where nothing is risky. */
	risk: string | null;
	default: unknown;
	/** What a number is measured in; empty: in nothing. */
	unit: string;
	/** What null means, as a choice. */
	none: string;
	/** Whether null is a value. */
	nullable: boolean;
	/** Whether few people change it. */
	rare: boolean;
	/** What people call it besides its title. */
	also: string[];
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
	/** The pages of the form, in order. */
	sections: SettingsSection[];
	presets: Record<string, string[]>;
	/** All tools that there are, enabled or not. */
	tools: ToolSetting[];
}

export const readSettingsSchema: Reader<SettingsSchema> = (value, path) => {
	const schema = record({
		properties: object,
		presets: optional(object, {}),
		sections: optional(readable(readSettingsSection), []),
		tools: optional(readable(readToolSetting), []),
	})(value, path);
	const fields = Object.entries(schema.properties).flatMap(([key, property]) => {
		try {
			// What has no effect in this version is not offered.
			return isObject(property) && property["available"] === false ? [] : [readField(key, property)];
		} catch (error) {
			if (error instanceof ShapeError) return [];
			throw error;
		}
	});
	const presets = Object.fromEntries(
		Object.entries(schema.presets).map(([name, tools]) => [name, readable(string)(tools, `presets.${name}`)]),
	);
	return { fields, presets, sections: schema.sections, tools: schema.tools };
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
		unit: optional(string, "")(property["unit"], `${key}.unit`),
		none: optional(string, "Any")(property["none"], `${key}.none`),
		nullable,
		rare: property["rare"] === true,
		also: optional(readable(string), [])(property["also"], `${key}.also`),
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
