/** The services that search the web: which are asked, in which order, and how each stands. */

import type { Setting, SettingDefinition } from "obsidian";
import { plain } from "../../core/settings/labels";
import { listOf, messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { SearchService, SearchServiceInfo } from "../../core/wire/contract";
import { readKeyTest } from "../../core/wire/readers";
import { showText } from "../text";
import { valueOf, type Form } from "./form";
import { showGood, showOutcome } from "./problem";

export const CHOSEN = "webSearchProviders";
const PLACES = ["Asked first.", "Asked second.", "Asked third.", "Asked fourth.", "Asked fifth."];

export function serviceRow(form: Form, service: SearchServiceInfo): SettingDefinition {
	const title = sanitizePlain(service.title);
	return {
		name: title,
		desc: "",
		aliases: ["web search", "search engine", "test connection"],
		render: (setting) => {
			describe(form, service, setting);
			if (chosen(form).indexOf(service.service) > 0) {
				setting.addExtraButton((button) => button.setIcon("arrow-up").setTooltip("Ask it earlier").onClick(() => void choose(form, setting, earlier(chosen(form), service.service))));
			}
			setting.addButton((button) =>
				button.setButtonText("Test").onClick(async () => {
					button.setDisabled(true);
					await test(form, service, setting);
					button.setDisabled(false);
				}),
			);
			setting.addToggle((toggle) => {
				toggle.setValue(chosen(form).includes(service.service)).onChange((wanted) => {
					const others = chosen(form).filter((one) => one !== service.service);
					void choose(form, setting, wanted ? [...others, service.service] : others);
				});
			});
		},
	};
}

/** Its terms, where it stands in the order, and what it still needs. */
function describe(form: Form, service: SearchServiceInfo, setting: Setting): void {
	showText(setting.descEl, service.terms);
	const link = setting.descEl.createEl("a", { text: "More", href: service.link });
	link.setAttr("aria-label", `More about ${sanitizePlain(service.title)}`);
	link.before(" ");
	const place = PLACES[chosen(form).indexOf(service.service)];
	if (place === undefined) return;
	if (service.missing === null) showGood(setting, place);
	else showOutcome(setting, { ok: false, message: plain(service.missing) });
}

const chosen = (form: Form): string[] => listOf(valueOf(form, CHOSEN));

function earlier(order: string[], service: string): string[] {
	const at = order.indexOf(service);
	return order.map((one, index) => (index === at - 1 ? service : index === at ? (order[at - 1] ?? one) : one));
}

async function choose(form: Form, setting: Setting, services: string[]): Promise<void> {
	const outcome = await form.store.update({ [CHOSEN]: services }, true);
	if (!outcome.ok) showOutcome(setting, outcome);
}

async function test(form: Form, service: SearchServiceInfo, setting: Setting): Promise<void> {
	try {
		// one that only a later bridge has is sent back to it as it came
		const { outcome, message } = readKeyTest(await form.request("keys.test", { provider: service.service as SearchService }), "keys.test");
		if (outcome === "connected") showGood(setting, `Connected. ${message}`);
		else showOutcome(setting, { ok: false, message: `${outcome === "refused" ? "Refused" : "Unreachable"}. ${message}` });
	} catch (error) {
		showOutcome(setting, { ok: false, message: messageOf(error) });
	}
}
