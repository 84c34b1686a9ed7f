/** What some bridges offer beside settings: stored keys, a cache, figures of the log, search by meaning. A bridge that does not is not asked again. */

import { isObject, readable } from "../json";
import { METHOD_NOT_FOUND, RpcError } from "../rpc/messages";
import type { AllowedSite, Grant, KeyStatus, SandboxStatus, SearchServiceInfo, SemanticStatus } from "../wire/contract";
import { readAllowedSite, readAuditActivity, readGrant, readKeyStatus, readSandboxStatus, readSearchServiceInfo, readVaultStatus } from "../wire/readers";
import type { Request } from "../wire/request";

export interface Extras {
	/** The services that search the web; none where the bridge does not search. */
	services: SearchServiceInfo[];
	/** What of the web is allowed; none where the bridge does not say. */
	sites: AllowedSite[];
	/** What is known of the key of each service; none where the bridge keeps no keys. */
	keys: KeyStatus[];
	/** What confines programs here; null where the bridge does not say. */
	sandbox: SandboxStatus | null;
	/** Bytes of the cache. Null: there is none. */
	cacheBytes: number | null;
	/** Bytes of the log. Null: the bridge does not say. */
	logBytes: number | null;
	/** How far search by meaning is. Null: the bridge does not say. */
	semantic: SemanticStatus | null;
	/** What people have said and still holds. */
	grants: Grant[];
	/** Questions of the last seven days. Null: the bridge does not say. */
	asked: number | null;
}

export async function loadExtras(request: Request): Promise<Extras> {
	const ask = async (method: "keys.status" | "search.services" | "web.sites" | "sandbox.status" | "cache.stats" | "audit.stats" | "vault.status" | "consent.grants" | "audit.activity"): Promise<unknown> => {
		try {
			return await request(method);
		} catch (error) {
			if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return null;
			throw error;
		}
	};
	const [keys, services, sites, sandbox, cache, log, vault, grants, activity] = await Promise.all([ask("keys.status"), ask("search.services"), ask("web.sites"), ask("sandbox.status"), ask("cache.stats"), ask("audit.stats"), ask("vault.status"), ask("consent.grants"), ask("audit.activity")]);
	return {
		keys: keys === null ? [] : readable(readKeyStatus)(keys, "keys.status"),
		services: services === null ? [] : readable(readSearchServiceInfo)(services, "search.services"),
		sites: sites === null ? [] : readable(readAllowedSite)(sites, "web.sites"),
		sandbox: sandbox === null ? null : readSandboxStatus(sandbox, "sandbox.status"),
		cacheBytes: bytesOf(cache),
		logBytes: bytesOf(log),
		semantic: vault === null ? null : readVaultStatus(vault, "vault.status").semantic,
		grants: grants === null ? [] : readable(readGrant)(grants, "consent.grants"),
		asked: activity === null ? null : readAuditActivity(activity, "audit.activity").days.reduce((sum, { allowed, denied, timedOut, withdrawn }) => sum + allowed + denied + timedOut + withdrawn, 0),
	};
}

function bytesOf(value: unknown): number | null {
	if (!isObject(value)) return null;
	const bytes = value["size"] ?? value["bytes"];
	return typeof bytes === "number" ? bytes : null;
}
