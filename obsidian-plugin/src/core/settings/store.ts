/** The settings as this window knows them: loaded from the bridge, changed through the bridge, never decided here. */

import { Emitter } from "../emitter";
import { object, type JsonObject } from "../json";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../rpc/client";
import { ask, type MethodParams, type Request } from "../wire/reading";
import { loadExtras, type Extras } from "./extras";
import { readSettingsSchema, type Section, type SettingsSchema } from "./schema";

export interface Settings {
	values: JsonObject;
	schema: SettingsSchema;
	extras: Extras;
}

export type Outcome = { ok: true; warnings: string[] } | { ok: false; message: string };

export class SettingsStore {
	readonly changed = new Emitter<Settings | null>();
	/** A change has been accepted or refused, and who made it has been told. */
	readonly settled = new Emitter<null>();
	private pending = 0;
	/** Settled when every change so far has been answered; it never fails. */
	private latest: Promise<unknown> = Promise.resolve();
	private loaded: Settings | null = null;

	constructor(private readonly request: Request) {}

	get current(): Settings | null {
		return this.loaded;
	}

	get saving(): boolean {
		return this.pending > 0;
	}

	async load(): Promise<void> {
		const [values, schema, extras] = await Promise.all([
			this.request("settings.get"),
			this.request("settings.schema"),
			loadExtras(this.request),
		]);
		const fresh: Settings = {
			values: object(values, "the settings"),
			schema: readSettingsSchema(schema, "the settings"),
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

	/** Back to the defaults of a section, which may be one that only a later bridge has. */
	async reset(section: string): Promise<Outcome> {
		return this.commit("settings.reset", { section: section as Section }, true);
	}

	/** One change after the other: what was chosen last is what holds, and what is said last is about that. */
	private async commit<M extends "settings.update" | "settings.reset">(method: M, params: MethodParams<M>, announce: boolean): Promise<Outcome> {
		this.pending += 1;
		const turn = this.latest.then(async () => this.send(method, params, announce));
		this.latest = turn;
		return turn;
	}

	private async send<M extends "settings.update" | "settings.reset">(method: M, params: MethodParams<M>, announce: boolean): Promise<Outcome> {
		try {
			const { settings, warnings } = await ask(this.request, method, params);
			if (this.loaded) this.loaded = { ...this.loaded, values: settings };
			if (announce) this.changed.emit(this.loaded);
			return { ok: true, warnings };
		} catch (error) {
			return { ok: false, message: messageOf(error) };
		} finally {
			this.pending -= 1;
			queueMicrotask(() => { queueMicrotask(() => { this.settled.emit(null); }); });
		}
	}
}

/** What went wrong, in the bridge's own words where it has said some. */
export function messageOf(error: unknown): string {
	if (error instanceof RpcError && [INVALID_PARAMS, INTERNAL_ERROR].includes(error.code)) {
		const hint = typeof error.data === "object" && error.data !== null && "hint" in error.data ? error.data.hint : null;
		return typeof hint === "string" ? hint : error.message;
	}
	return error instanceof Error ? error.message : String(error);
}

/** The names in `enabledTools` that stand for no tool of this bridge. */
export function absentTools(settings: Settings): string[] {
	const known = new Set(settings.schema.tools.map((tool) => tool.name));
	return listOf(settings.values["enabledTools"]).filter((name) => name !== "*" && !known.has(name));
}

export function listOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
