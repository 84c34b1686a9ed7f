/** Controls for what only some bridges have: services and their keys, allowed sites, the cache, the log's size, search by meaning. */

import type { SettingDefinition, SettingDefinitionItem } from "obsidian";
import { semanticText, sizeText } from "../../core/settings/labels";
import { listOf, messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import type { AllowedSite, SemanticStatus } from "../../core/wire/contract";
import type { MethodName, MethodParams } from "../../core/wire/reading";
import { clearLog } from "../clearLog";
import { addAction, showOutcome } from "../controls";
import { showText } from "../elements";
import { tellFailure } from "../notice";
import { confirm } from "../window";
import { valueOf, type Form } from "./form";
import { keyRow, serviceRow } from "./searchServices";

/** What stands above a section's settings. */
export function groupsBefore(form: Form, section: string): SettingDefinitionItem[] {
	const { services } = form.settings.extras;
	if (section !== "apis" || services.length === 0) return [];
	return [{ type: "group", heading: "Services for web searches", items: services.map((service) => serviceRow(form, service)) }];
}

/** Above the first of the settings that let programs be started: what confines those. */
export function rowsAbove(form: Form, key: string): SettingDefinition[] {
	const { sandbox } = form.settings.extras;
	if (key !== "allowTerminal" || sandbox === null) return [];
	const { sentence, lacks } = sandbox;
	return [
		{
			name: "Sandbox",
			desc: "",
			aliases: ["bubblewrap", "terminal", "custom tools", "other servers"],
			render: (setting) => {
				showText(setting.descEl, `${sentence}. This is about commands, tools of your own and other servers.`);
				showOutcome(setting, { ok: true, warnings: lacks });
			},
		},
	];
}

/** What stands below them. */
export function groupsAfter(form: Form, section: string): SettingDefinitionItem[] {
	const { keys, sites } = form.settings.extras;
	if (section === "apis" && keys.length > 0) return [{ type: "group", heading: "Keys", items: keys.map((key) => keyRow(form, key)) }];
	if (section === "network" && sites.length > 0) return [{ type: "group", heading: "Allowed sites", items: sites.map((site) => siteRow(form, site)) }];
	return [];
}

/** The rows that a section has beside its settings. */
export function extraRows(form: Form, section: string): SettingDefinition[] {
	const { cacheBytes, logBytes, semantic } = form.settings.extras;
	if (section === "performance" && cacheBytes !== null) return [cacheRow(form, cacheBytes)];
	if (section === "privacy") return [logRow(form, logBytes)];
	if (section === "toolSpecific" && semantic !== null) return [semanticRow(form, semantic)];
	return [];
}

function cacheRow(form: Form, bytes: number): SettingDefinition {
	return {
		name: "Cached answers",
		desc: `The cache holds ${sizeText(bytes)}.`,
		render: (setting) => {
			addAction(setting, "Clear cache", async () => run(form, "cache.clear"));
		},
	};
}

function logRow(form: Form, bytes: number | null): SettingDefinition {
	return {
		name: "Audit log",
		desc: bytes === null ? "Everything that was asked, decided and done." : `Everything that was asked, decided and done: ${sizeText(bytes)}.`,
		aliases: ["export log", "clear log"],
		render: (setting) => {
			addAction(setting, "View log", form.openLog);
			if (bytes !== null) addAction(setting, "Clear log", async () => clearLog(form).then(form.reload).catch(tellFailure));
		},
	};
}

function semanticRow(form: Form, semantic: SemanticStatus): SettingDefinition {
	return {
		name: "Notes prepared for search by meaning",
		desc: sanitizePlain(semanticText(semantic)),
		aliases: ["rebuild", "semantic", "vectors"],
		render: (setting) => {
			const { endpoint, sentence } = semantic;
			if (endpoint !== null) {
				addAction(setting, "Allow", async () => {
					const sure = await confirm(form.app, { title: "Send notes to another computer?", text: sentence ?? endpoint, action: "Allow" });
					if (sure) await run(form, "semantic.allow", { endpoint });
				});
			} else if (semantic.model !== "") addAction(setting, "Rebuild", async () => run(form, "semantic.rebuild"));
		},
	};
}

/** Ask the bridge, and show what is then; or say why it cannot. */
async function run<M extends MethodName>(form: Form, method: M, params?: MethodParams<M>): Promise<void> {
	await form.request(method, params).then(form.reload).catch(tellFailure);
}

function siteRow(form: Form, site: AllowedSite): SettingDefinition {
	const used = site.lastUsed === null ? "Not used since the bridge started." : `Last used ${new Date(site.lastUsed).toLocaleString()}.`;
	return {
		name: sanitizePlain(site.site),
		desc: "",
		aliases: ["allowed sites"],
		render: (setting) => {
			showText(setting.descEl, `${site.sentence}. ${used}`);
			addAction(setting, "Take back", async () => {
				const refusal = await takeBack(form, site);
				if (refusal === null) await form.reload();
				else showOutcome(setting, { ok: false, message: refusal });
			});
		},
	};
}

/** Null, or why it is still allowed. */
async function takeBack(form: Form, { allowedBy, site }: AllowedSite): Promise<string | null> {
	if (allowedBy === null) {
		const outcome = await form.store.update({ allowedDomains: listOf(valueOf(form, "allowedDomains")).filter((one) => one !== site) }, true);
		return outcome.ok ? null : outcome.message;
	}
	try {
		await form.request("consent.revoke", { grantId: allowedBy });
		return null;
	} catch (error) {
		return messageOf(error);
	}
}
