/** Controls for what only some bridges have: services and their keys, allowed sites, the cache, the log's size, search by meaning. */

import { type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import { semanticText, sizeText } from "../../core/settings/labels";
import { sanitizePlain } from "../../core/text/sanitize";
import { confirm } from "../confirmModal";
import type { Form } from "./form";
import { showText } from "../text";
import { keyRow } from "./keys";
import { showOutcome } from "./problem";
import { serviceRow } from "./searchServices";
import { siteRow } from "./siteRows";
import type { SemanticStatus } from "../../core/wire/contract";
import type { MethodName, MethodParams } from "../../core/wire/request";
import { tellFailure } from "../notice";

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
			setting.addButton((button) => button.setButtonText("Clear cache").onClick(() => void run(form, "cache.clear").then(form.reload)));
		},
	};
}

function logRow(form: Form, bytes: number | null): SettingDefinition {
	return {
		name: "Audit log",
		desc: bytes === null ? "Everything that was asked, decided and done." : `Everything that was asked, decided and done: ${sizeText(bytes)}.`,
		aliases: ["export log", "clear log"],
		render: (setting) => {
			setting.addButton((button) => button.setButtonText("View log").onClick(form.openLog));
			if (bytes === null) return;
			setting.addButton((button) =>
				button.setButtonText("Clear log").onClick(async () => {
					const sure = await confirm(form.app, { title: "Clear the audit log?", text: "What agents did in this vault can then no longer be looked up. Export it first if you may need it.", action: "Clear log" });
					if (sure) await run(form, "audit.clear").then(form.reload);
				}),
			);
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
				setting.addButton((button) =>
					button.setButtonText("Allow").onClick(async () => {
						const sure = await confirm(form.app, { title: "Send notes to another computer?", text: sentence ?? endpoint, action: "Allow" });
						if (sure) await run(form, "semantic.allow", { endpoint }).then(form.reload);
					}),
				);
			} else if (semantic.model !== "") {
				setting.addButton((button) => button.setButtonText("Rebuild").onClick(() => void run(form, "semantic.rebuild").then(form.reload)));
			}
		},
	};
}

/** Ask the bridge, and say so when it cannot. Undefined then. */
async function run<M extends MethodName>(form: Form, method: M, params?: MethodParams<M>): Promise<unknown> {
	try {
		return await form.request(method, params);
	} catch (error) {
		tellFailure(error);
		return undefined;
	}
}
