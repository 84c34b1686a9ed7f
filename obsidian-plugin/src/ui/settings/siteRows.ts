/** The sites of the web that are allowed, when each was used last, and the button that takes it back. */

import type { SettingDefinition } from "obsidian";
import { listOf, messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { AllowedSite } from "../../core/wire/contract";
import { showText } from "../text";
import { valueOf, type Form } from "./form";
import { showOutcome } from "./problem";

export function siteRow(form: Form, site: AllowedSite): SettingDefinition {
	const used = site.lastUsed === null ? "Not used since the bridge started." : `Last used ${new Date(site.lastUsed).toLocaleString()}.`;
	return {
		name: sanitizePlain(site.site),
		desc: "",
		aliases: ["allowed sites"],
		render: (setting) => {
			showText(setting.descEl, `${site.sentence}. ${used}`);
			setting.addButton((button) =>
				button.setButtonText("Take back").onClick(async () => {
					const refusal = await takeBack(form, site);
					if (refusal === null) await form.reload();
					else showOutcome(setting, { ok: false, message: refusal });
				}),
			);
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
