/** The remembered answers, each with a button that takes it back. */

import { Notice, Setting, SettingPage } from "obsidian";
import type { JsonObject } from "../../core/json";
import { messageOf } from "../../core/settings/store";
import { inertPlain } from "../../core/text/inert";
import { grantSentence, readGrant, type Grant } from "../../core/wire/grants";
import { listIn } from "../../core/wire/session";
import { showText } from "../text";

type Request = (method: string, params?: JsonObject) => Promise<unknown>;

export class GrantsPage extends SettingPage {
	override title = "Remembered answers";

	constructor(private readonly request: Request) {
		super();
	}

	override display(): void {
		void this.draw();
	}

	private async draw(): Promise<void> {
		let grants: Grant[] = [];
		let trouble: string | null = null;
		try {
			grants = listIn(readGrant, "grants")(await this.request("consent.grants"), "consent.grants");
		} catch (error) {
			trouble = messageOf(error);
		}
		this.containerEl.empty();
		if (grants.length === 0) {
			this.containerEl.createDiv({ cls: "vault-bridge-empty", text: trouble ?? "Nothing is remembered. Answers for the session or for good appear here." });
		}
		for (const grant of grants) this.drawGrant(grant);
	}

	private drawGrant(grant: Grant): void {
		const { title, detail } = grantSentence(grant);
		const setting = new Setting(this.containerEl);
		showText(setting.nameEl, title);
		showText(setting.descEl, detail);
		setting.addButton((button) =>
			button.setButtonText("Take back").onClick(async () => {
				try {
					await this.request("consent.revoke", { grantId: grant.grantId });
				} catch (error) {
					new Notice(inertPlain(messageOf(error)));
				}
				await this.draw();
			}),
		);
	}
}
