/** The remembered answers, each with a button that takes it back; and what is approved for the session without asking. */

import { Notice, Setting, SettingPage, type App } from "obsidian";
import { readable, type JsonObject } from "../../core/json";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text/sanitize";
import type { Grant } from "../../core/wire/contract";
import { grantSentence } from "../../core/wire/grants";
import { readGrant } from "../../core/wire/readers";
import { confirm } from "../confirmModal";
import { showText } from "../text";

type Request = (method: string, params?: JsonObject) => Promise<unknown>;

const OPERATIONS = { create: "Approve new files", update: "Approve edits" } as const;

export class GrantsPage extends SettingPage {
	override title = "Remembered answers";

	constructor(
		private readonly app: App,
		private readonly request: Request,
	) {
		super();
	}

	override display(): void {
		void this.draw();
	}

	private async draw(): Promise<void> {
		let grants: Grant[] = [];
		let trouble: string | null = null;
		try {
			grants = readable(readGrant)(await this.request("consent.grants"), "consent.grants");
		} catch (error) {
			trouble = messageOf(error);
		}
		this.containerEl.empty();
		if (trouble === null) {
			for (const operation of ["create", "update"] as const) this.drawAutoApprove(operation, grants);
		}
		const listed = grants.filter((grant) => grant.kind !== "auto" || grant.client !== null);
		new Setting(this.containerEl).setName("Answers").setHeading();
		if (listed.length === 0) {
			this.containerEl.createDiv({ cls: "vault-bridge-empty", text: trouble ?? "Nothing is remembered. Answers for the session or for good appear here." });
		}
		for (const grant of listed) this.drawGrant(grant);
	}

	/** C's auto-approve: for every client, until the bridge stops. */
	private drawAutoApprove(operation: keyof typeof OPERATIONS, grants: readonly Grant[]): void {
		const on = grants.some((grant) => grant.kind === "auto" && grant.client === null && grant.operation === operation);
		const setting = new Setting(this.containerEl)
			.setName(`${OPERATIONS[operation]} without asking`)
			.setDesc("Until the bridge stops, and only for tools that may be trusted for a session. Everything can still be undone.");
		setting.addToggle((toggle) =>
			toggle.setValue(on).onChange((wanted) => {
				if (wanted === on) return;
				void (async () => {
					const text = "Agents then change notes without a question until the bridge stops. What they do is logged and can be undone.";
					if (!wanted || (await confirm(this.app, { title: `${OPERATIONS[operation]} without asking?`, text, action: "Approve" }))) {
						await this.act("consent.autoApprove", { operation, enabled: wanted });
					}
					await this.draw();
				})();
			}),
		);
	}

	private drawGrant(grant: Grant): void {
		const { title, detail } = grantSentence(grant);
		const setting = new Setting(this.containerEl);
		showText(setting.nameEl, title);
		showText(setting.descEl, detail);
		setting.addButton((button) =>
			button.setButtonText("Take back").onClick(async () => {
				await this.act("consent.revoke", { grantId: grant.grantId });
				await this.draw();
			}),
		);
	}

	private async act(method: string, params: JsonObject): Promise<void> {
		try {
			await this.request(method, params);
		} catch (error) {
			new Notice(sanitizePlain(messageOf(error)));
		}
	}
}
