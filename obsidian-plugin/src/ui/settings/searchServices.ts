/** The services that search the web: which are asked, in which order, how each stands, and their keys. */

import type { ButtonComponent, Setting, SettingDefinition } from "obsidian";
import { plain } from "../../core/settings/labels";
import { listOf, messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import type { KeyStatus, Provider, SearchService, SearchServiceInfo } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { addAction, busy, showGood, showOutcome } from "../controls";
import { showText } from "../elements";
import { confirm } from "../window";
import { valueOf, type Form } from "./form";

const KEPT: Readonly<Record<string, string>> = { keyring: "in the system's keyring", file: "in a file outside the vault, for your eyes only" };

export function keyRow(form: Form, key: KeyStatus): SettingDefinition {
	const title = sanitizePlain(key.title);
	return {
		name: `Key for ${title}`,
		desc: `Encrypted by the bridge and never shown again. It is sent to ${sanitizePlain(key.server)} and nowhere else.`,
		aliases: ["api key"],
		render: (setting) => { new KeyControls(form, key, setting).draw(); },
	};
}

class KeyControls {
	private clearButton: ButtonComponent | null = null;
	private readonly provider: Provider;

	constructor(
		private readonly form: Form,
		private status: KeyStatus,
		private readonly setting: Setting,
	) {
		this.provider = status.provider as Provider; // one that only a later bridge has is sent back to it as it came
	}

	draw(): void {
		this.setting.addText((input) => {
			input.inputEl.type = "password";
			input.inputEl.autocomplete = "off";
			input.setPlaceholder(this.status.isSet ? "••••••••••••" : "Paste it here");
			input.inputEl.addEventListener("change", () => {
				const key = input.getValue().trim();
				input.setValue("");
				if (key) void this.take(async () => ask(this.form.request, "keys.set", { provider: this.provider, key }), () => { input.setPlaceholder("••••••••••••"); void this.form.reload(); });
			});
			this.setting.addButton((button) => {
				this.clearButton = button.setButtonText("Clear key").onClick(() => { void this.clear(() => { input.setPlaceholder("Paste it here"); void this.form.reload(); }); });
			});
		});
		this.show();
		if (this.status.isSet) void this.take(async () => this.opened());
	}

	private async clear(done: () => void): Promise<void> {
		const title = sanitizePlain(this.status.title);
		const sure = await confirm(this.form.app, { title: `Clear the key for ${title}?`, text: "The bridge forgets it. To use the service again, you need the key again.", action: "Clear key" });
		if (sure) await this.take(async () => ask(this.form.request, "keys.clear", { provider: this.provider }), done);
	}

	/** What the bridge says when it has tried to open the key. */
	private async opened(): Promise<KeyStatus> {
		const all = await ask(this.form.request, "keys.status", { open: true });
		return all.find((one) => one.provider === this.status.provider) ?? this.status;
	}

	private async take(work: () => Promise<KeyStatus>, done = (): void => undefined): Promise<void> {
		try {
			this.status = await work();
			done();
			this.show();
		} catch (error) {
			showOutcome(this.setting, { ok: false, message: messageOf(error) });
		}
	}

	private show(): void {
		const { isSet, keptIn, fault } = this.status;
		this.clearButton?.setDisabled(!isSet);
		if (fault !== null) showOutcome(this.setting, { ok: false, message: fault });
		else if (!isSet) showGood(this.setting, "No key is set.");
		else showGood(this.setting, keptIn === null ? "A key is set." : `A key is set. Its master key is ${KEPT[keptIn] ?? "outside the vault"}.`);
	}
}

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
			addAction(setting, "Test", busy(async () => test(form, service, setting)));
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
		const { outcome, message } = await ask(form.request, "keys.test", { provider: service.service as SearchService });
		if (outcome === "connected") showGood(setting, `Connected. ${message}`);
		else showOutcome(setting, { ok: false, message: `${outcome === "refused" ? "Refused" : "Unreachable"}. ${message}` });
	} catch (error) {
		showOutcome(setting, { ok: false, message: messageOf(error) });
	}
}
