/** The settings as this window knows them: loaded from the bridge, changed through the bridge, never decided here. */

import { Emitter } from "../emitter";
import { list, object, optional, record, string, type JsonObject } from "../json";
import { INVALID_PARAMS, RpcError } from "../rpc/messages";
import { readTools, type ToolInfo } from "../wire/session";
import { loadExtras, type Extras } from "./extras";
import { readSettingsSchema, type SettingsSchema } from "./schema";

export interface Settings {
	values: JsonObject;
	schema: SettingsSchema;
	tools: ToolInfo[];
	extras: Extras;
}

export type Outcome = { ok: true; warnings: string[] } | { ok: false; message: string };

type Request = (method: string, params?: JsonObject) => Promise<unknown>;

const readUpdate = record({ settings: object, warnings: optional(list(string), []) });

export class SettingsStore {
	readonly changed = new Emitter<Settings | null>();
	private loaded: Settings | null = null;

	constructor(private readonly request: Request) {}

	get current(): Settings | null {
		return this.loaded;
	}

	/** Read everything again. */
	async load(): Promise<void> {
		const [values, schema, tools, extras] = await Promise.all([
			this.request("settings.get"),
			this.request("settings.schema"),
			this.request("tools.list", { format: "bridge" }),
			loadExtras(this.request),
		]);
		const fresh: Settings = {
			values: object(values, "settings.get"),
			schema: readSettingsSchema(schema, "settings.schema"),
			tools: readTools(tools, "tools.list"),
			extras,
		};
		if (JSON.stringify(fresh) === JSON.stringify(this.loaded)) return;
		this.loaded = fresh;
		this.changed.emit(fresh);
	}

	/** The bridge is gone: what it said last is no longer shown as if it held. */
	forget(): void {
		if (!this.loaded) return;
		this.loaded = null;
		this.changed.emit(null);
	}

	/** Change settings. The bridge judges; its words come back. Listeners hear of it only when asked to. */
	async update(patch: JsonObject, announce = false): Promise<Outcome> {
		return this.commit("settings.update", { patch }, announce);
	}

	/** Back to the defaults of a section. */
	async reset(section: string): Promise<Outcome> {
		return this.commit("settings.reset", { section }, true);
	}

	private async commit(method: string, params: JsonObject, announce: boolean): Promise<Outcome> {
		try {
			const { settings, warnings } = readUpdate(await this.request(method, params), method);
			if (this.loaded) this.loaded = { ...this.loaded, values: settings };
			if (announce) this.changed.emit(this.loaded);
			return { ok: true, warnings };
		} catch (error) {
			return { ok: false, message: messageOf(error) };
		}
	}
}

/** What went wrong, in the bridge's own words where it has said some. */
export function messageOf(error: unknown): string {
	if (error instanceof RpcError && error.code === INVALID_PARAMS) {
		const hint = typeof error.data === "object" && error.data !== null && "hint" in error.data ? error.data.hint : null;
		return typeof hint === "string" ? hint : error.message;
	}
	return error instanceof Error ? error.message : String(error);
}

/** Every tool that this bridge has, enabled or not; if the bridge does not list the others, those that are enabled. */
export function knownTools({ schema, tools }: Settings): ToolInfo[] {
	return schema.tools?.map((tool) => tools.find((enabled) => enabled.name === tool.name) ?? tool) ?? tools;
}

/** The names in `enabledTools` that stand for no tool of this bridge. */
export function absentTools(settings: Settings): string[] {
	const known = new Set(knownTools(settings).map((tool) => tool.name));
	return listOf(settings.values["enabledTools"]).filter((name) => name !== "*" && !known.has(name));
}

export function listOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
