/** The settings form, derived from `settings.schema`: the bridge says what there is; nothing here knows a setting by name. */

import { isObject, object, optional, readable, record, ShapeError, string, type Reader } from "../json";
import type { SettingsResetParams, SettingsSection, ToolSetting } from "../wire/contract";
import { reader } from "../wire/reading";
import { labelOf } from "./labels";

export type Section = NonNullable<SettingsResetParams["section"]>;

export interface Field {
	key: string;
	/** `opaque`: it has no control by its kind. */
	kind: "toggle" | "text" | "strings" | "number" | "choice" | "opaque";
	/** Of a choice. */
	options: (string | number)[];
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
	nullable: boolean;
	/** Whether few people change it. */
	rare: boolean;
	/** What people call it besides its title. */
	also: string[];
}

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
		sections: optional(readable(reader("SettingsSection")), []),
		tools: optional(readable(reader("ToolSetting")), []),
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

const KINDS: Readonly<Record<string, Field["kind"]>> = { boolean: "toggle", integer: "number", number: "number", string: "text", array: "strings" };

function readField(key: string, value: unknown): Field {
	const property = object(value, key);
	const options = Array.isArray(property["anyOf"]) ? property["anyOf"].filter(isObject) : [property];
	const shape = options.find((one) => one["type"] !== "null") ?? property;
	const choices = Array.isArray(shape["enum"]) ? shape["enum"].filter(isChoice) : null;
	return {
		key,
		kind: choices ? "choice" : (KINDS[String(shape["type"])] ?? "opaque"),
		options: choices ?? [],
		section: optional(string, "other")(property["section"], `${key}.section`),
		title: optional(string, labelOf(key))(property["title"], `${key}.title`),
		risk: optional(string, null)(property["risk"], `${key}.risk`),
		description: optional(string, "")(property["description"], `${key}.description`),
		default: property["default"],
		unit: optional(string, "")(property["unit"], `${key}.unit`),
		none: optional(string, "Any")(property["none"], `${key}.none`),
		nullable: options.some((one) => one["type"] === "null"),
		rare: property["rare"] === true,
		also: optional(readable(string), [])(property["also"], `${key}.also`),
	};
}

function isChoice(value: unknown): value is string | number {
	return typeof value === "string" || typeof value === "number";
}
