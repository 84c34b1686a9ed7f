/** The API key of one service: entered where it is not shown, never shown again, and where it stands. */

import type { ButtonComponent, Setting, SettingDefinition } from "obsidian";
import { readable } from "../../core/json";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { KeyStatus, Provider } from "../../core/wire/contract";
import { readKeyStatus } from "../../core/wire/readers";
import { confirm } from "../confirmModal";
import type { Form } from "./form";
import { showOutcome, showGood } from "./problem";

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
				if (key) void this.take(async () => readKeyStatus(await this.form.request("keys.set", { provider: this.provider, key }), "keys.set"), () => { input.setPlaceholder("••••••••••••"); void this.form.reload(); });
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
		if (sure) await this.take(async () => readKeyStatus(await this.form.request("keys.clear", { provider: this.provider }), "keys.clear"), done);
	}

	/** What the bridge says when it has tried to open the key. */
	private async opened(): Promise<KeyStatus> {
		const all = readable(readKeyStatus)(await this.form.request("keys.status", { open: true }), "keys.status");
		return all.find((one) => one.provider === this.status.provider) ?? this.status;
	}

	private async take(ask: () => Promise<KeyStatus>, done = (): void => undefined): Promise<void> {
		try {
			this.status = await ask();
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
