/** What some bridges offer beside settings: stored keys, a cache, figures of the log, search by meaning. A bridge that does not is not asked again. */

import type { AllowedSite, Grant, KeyStatus, SandboxStatus, SearchServiceInfo, SemanticStatus } from "../wire/contract";
import { askIfKnown, type Request } from "../wire/reading";

/** What is null, or has nothing in it, the bridge does not say or does not have. */
export interface Extras {
	/** The services that search the web. */
	services: SearchServiceInfo[];
	/** What of the web is allowed. */
	sites: AllowedSite[];
	keys: KeyStatus[];
	sandbox: SandboxStatus | null;
	cacheBytes: number | null;
	logBytes: number | null;
	semantic: SemanticStatus | null;
	grants: Grant[];
	/** Questions of the last seven days. */
	asked: number | null;
}

export async function loadExtras(request: Request): Promise<Extras> {
	const [keys, services, sites, sandbox, cache, log, vault, grants, activity] = await Promise.all([
		askIfKnown(request, "keys.status"),
		askIfKnown(request, "search.services"),
		askIfKnown(request, "web.sites"),
		askIfKnown(request, "sandbox.status"),
		askIfKnown(request, "cache.stats"),
		askIfKnown(request, "audit.stats"),
		askIfKnown(request, "vault.status"),
		askIfKnown(request, "consent.grants"),
		askIfKnown(request, "audit.activity"),
	]);
	return {
		keys: keys ?? [],
		services: services ?? [],
		sites: sites ?? [],
		sandbox,
		cacheBytes: cache?.size ?? null,
		logBytes: log?.size ?? null,
		semantic: vault?.semantic ?? null,
		grants: grants ?? [],
		asked: activity?.days.reduce((sum, { allowed, denied, timedOut, withdrawn }) => sum + allowed + denied + timedOut + withdrawn, 0) ?? null,
	};
}
