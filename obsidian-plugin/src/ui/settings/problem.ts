/** What the bridge says of a value, beside the control that holds it. */

import type { Setting } from "obsidian";
import type { Outcome } from "../../core/settings/store";
import { showText } from "../text";

export function showOutcome(setting: Setting, outcome: Outcome): void {
	setting.infoEl.findAll(".vault-bridge-problem").forEach((old) => {
		old.remove();
	});
	const messages = outcome.ok ? outcome.warnings : [outcome.message];
	for (const message of messages) {
		const el = setting.infoEl.createDiv({ cls: `vault-bridge-problem ${outcome.ok ? "is-warning" : "is-error"}`, attr: { role: "alert" } });
		showText(el, message);
	}
	setting.settingEl.toggleClass("is-invalid", !outcome.ok);
}

/** What is well, in the same place. */
export function showGood(setting: Setting, message: string): void {
	showOutcome(setting, { ok: true, warnings: [] });
	showText(setting.infoEl.createDiv({ cls: "vault-bridge-problem is-good", attr: { role: "status" } }), message);
}

/** The warnings that are about one setting: the bridge begins each with the setting's name. */
export function about(outcome: Outcome, ...names: string[]): Outcome {
	if (!outcome.ok) return outcome;
	return { ok: true, warnings: outcome.warnings.filter((one) => names.some((name) => one.startsWith(`${name}:`) || one.startsWith(`${name} `))) };
}
