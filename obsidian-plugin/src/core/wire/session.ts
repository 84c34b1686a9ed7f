/** What the bridge says about itself, and its tools. */

import { boolean, list, oneOf, optional, readable, record, string, unknown, type Reader } from "../json";
import { RiskLevel } from "./consent";

export interface SessionInfo {
	vault: string;
	version: string;
	role: string;
}

export const readSessionInfo = record<SessionInfo>({
	vault: string,
	version: string,
	role: optional(string, "host"),
});

export interface ToolInfo {
	name: string;
	title: string;
	description: string;
	risk: RiskLevel;
	provider: string;
	canBypass: boolean;
	consentClass: string | null;
	/** The mode in force. */
	consentMode: string | null;
}

const readTool: Reader<ToolInfo> = (value, path) => {
	const tool = record({
		name: string,
		title: optional(string, ""),
		description: optional(string, ""),
		risk: optional(oneOf(...RiskLevel), null),
		provider: optional(string, ""),
		canBypass: optional(boolean, false),
		consentClass: optional(string, null),
		consentMode: optional(string, null),
	})(value, path);
	return { ...tool, title: tool.title || tool.name, risk: tool.risk ?? "high" };
};

/** `tools.list` in its own format: a list, or an object that holds one. */
export const readTools: Reader<ToolInfo[]> = (value, path) => {
	if (Array.isArray(value)) return readable(readTool)(value, path);
	return record({ tools: readable(readTool) })(value, path).tools;
};

/** A result that is a list, or an object with the list under one of some names. */
export function listIn<T>(item: Reader<T>, ...names: string[]): Reader<T[]> {
	return (value, path) => {
		if (Array.isArray(value)) return readable(item)(value, path);
		const holder = record(Object.fromEntries(names.map((name) => [name, optional(list(unknown), null)])))(value, path);
		const found = names.map((name) => holder[name]).find((one) => one !== null && one !== undefined);
		return readable(item)(found ?? [], path);
	};
}
