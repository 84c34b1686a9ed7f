/** Controls for what only some bridges have: stored keys, the cache, the log's size. */

import { Notice, type SettingDefinition } from "obsidian";
import { isObject, type JsonObject } from "../../core/json";
import { sizeText } from "../../core/settings/labels";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import { confirm } from "../confirmModal";
import type { Form } from "./form";
import { showOutcome } from "./problem";

/** The rows that a section has beside its settings. */
export function extraRows(form: Form, section: string): SettingDefinition[] {
	const { keys, cacheBytes, logBytes } = form.settings.extras;
	if (section === "apis" && keys) return Object.entries(keys).map(([provider, isSet]) => keyRow(form, provider, isSet));
	if (section === "performance" && cacheBytes !== null) return [cacheRow(form, cacheBytes)];
	if (section === "privacy") return [logRow(form, logBytes)];
	return [];
}

function keyRow(form: Form, provider: string, isSet: boolean): SettingDefinition {
	return {
		name: `Key for ${sanitizePlain(provider)}`,
		desc: isSet ? "A key is stored, encrypted, by the bridge. It is never shown again." : "No key is stored. The bridge encrypts what you enter here.",
		aliases: ["api key"],
		render: (setting) => {
			setting.addText((input) => {
				input.inputEl.type = "password";
				input.inputEl.autocomplete = "off";
				input.setPlaceholder(isSet ? "••••••••" : "Key");
				input.inputEl.addEventListener("change", () => {
					const key = input.getValue().trim();
					input.setValue("");
					if (key) void run(form, "keys.set", { provider, key }).then(form.reload);
				});
			});
			setting.addButton((button) =>
				button.setButtonText("Test connection").onClick(async () => {
					button.setDisabled(true);
					const answer = await run(form, "keys.test", { provider });
					button.setDisabled(false);
					if (answer === undefined) return;
					const ok = isObject(answer) && (answer["ok"] === true || answer["success"] === true);
					const said = isObject(answer) ? (answer["message"] ?? answer["error"]) : null;
					const message = typeof said === "string" ? said : ok ? "It works." : "It does not work.";
					showOutcome(setting, ok ? { ok: true, warnings: [] } : { ok: false, message });
					if (ok) new Notice(sanitizePlain(message));
				}),
			);
			if (isSet) setting.addButton((button) => button.setButtonText("Clear key").onClick(() => void run(form, "keys.clear", { provider }).then(form.reload)));
		},
	};
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

/** Ask the bridge, and say so when it cannot. Undefined then. */
async function run(form: Form, method: string, params?: JsonObject): Promise<unknown> {
	try {
		return await form.request(method, params);
	} catch (error) {
		new Notice(sanitizePlain(messageOf(error)));
		return undefined;
	}
}
