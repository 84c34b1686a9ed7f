/** The remembered answers, each with a button that takes it back; and what is approved for the session without asking. */

import { Setting, SettingPage, type App } from "obsidian";
import { readable } from "../../core/json";
import { messageOf } from "../../core/settings/store";
import type { Grant } from "../../core/wire/contract";
import { isForEveryone } from "../../core/wire/grants";
import { readClientInfo, readGrant } from "../../core/wire/readers";
import { confirm } from "../confirmModal";
import type { MethodName, MethodParams, Request } from "../../core/wire/request";
import { nameControls } from "./controlNames";
import { drawGrant } from "./grantRow";
import { tellFailure } from "../notice";

const OPERATIONS = { create: "Approve new files", update: "Approve edits" } as const;

export class GrantsPage extends SettingPage {
	override title = "Remembered answers";
	private unfollow: (() => void) | null = null;
	private drawing = 0;

	/** @param onChange - Calls back whenever an answer was given, used up or taken back. Returns the function that ends it. */
	constructor(
		private readonly app: App,
		private readonly request: Request,
		private readonly onChange: (listener: () => void) => () => void,
	) {
		super();
	}

	override display(): void {
		this.unfollow ??= this.onChange(() => {
			if (this.containerEl.isConnected) void this.draw();
			else this.hide();
		});
		void this.draw();
	}

	override hide(): void {
		this.unfollow?.();
		this.unfollow = null;
	}

	private async draw(): Promise<void> {
		const turn = ++this.drawing;
		let grants: Grant[] = [];
		let trouble: string | null = null;
		try {
			grants = await this.load();
		} catch (error) {
			trouble = messageOf(error);
		}
		if (turn !== this.drawing) return;
		this.containerEl.empty();
		if (trouble === null) {
			for (const operation of ["create", "update"] as const) this.drawAutoApprove(operation, grants);
		}
		const listed = grants.filter((grant) => grant.kind !== "auto" || !isForEveryone(grant));
		new Setting(this.containerEl).setName("Answers").setHeading();
		if (listed.length === 0) {
			this.containerEl.createDiv({ cls: "vault-bridge-empty", text: trouble ?? "Nothing is remembered. Answers for the session or for good appear here." });
		}
		for (const grant of listed) {
			drawGrant(this.containerEl, grant, async () => {
				await this.act("consent.revoke", { grantId: grant.grantId });
				await this.draw();
			});
		}
	}

	/** The answers, each with the name of the client that it holds for where it holds for one. */
	private async load(): Promise<Grant[]> {
		const grants = readable(readGrant)(await this.request("consent.grants"), "consent.grants");
		if (grants.every((grant) => grant.client !== null || grant.clientId === null)) return grants;
		const clients = readable(readClientInfo)(await this.request("clients.list"), "clients.list");
		return grants.map((grant) => ({ ...grant, client: grant.client ?? clients.find((one) => one.clientId === grant.clientId)?.name ?? null }));
	}

	/** Approving without asking: for every program, until the bridge stops. */
	private drawAutoApprove(operation: keyof typeof OPERATIONS, grants: readonly Grant[]): void {
		const on = grants.some((grant) => grant.kind === "auto" && isForEveryone(grant) && grant.operation === operation);
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
		nameControls(setting);
	}

	private async act<M extends MethodName>(method: M, params: MethodParams<M>): Promise<void> {
		try {
			await this.request(method, params);
		} catch (error) {
			tellFailure(error);
		}
	}
}
