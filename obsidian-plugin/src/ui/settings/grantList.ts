/** The remembered answers, each with a button that takes it back; and what is approved for the session without asking. */

import { Setting } from "obsidian";
import { grantSentence, isForEveryone } from "../../core/consent/grants";
import type { Grant } from "../../core/wire/contract";
import { ask } from "../../core/wire/reading";
import { addAction, addSwitch } from "../controls";
import { addEmpty, showText } from "../elements";
import { LiveList } from "../liveList";
import { confirm } from "../window";

const OPERATIONS = { create: "Approve new files", update: "Approve edits" } as const;

export class GrantList extends LiveList<Grant[]> {
	protected override readonly old = "remembers no answers";
	protected override readonly events = ["grants.changed"] as const;

	/** The answers, each with the name of the client that it holds for where it holds for one. */
	protected override async load(): Promise<Grant[]> {
		const grants = await ask(this.context.request, "consent.grants");
		if (grants.every((grant) => grant.client !== null || grant.clientId === null)) return grants;
		const clients = await ask(this.context.request, "clients.list");
		return grants.map((grant) => ({ ...grant, client: grant.client ?? clients.find((one) => one.clientId === grant.clientId)?.name ?? null }));
	}

	protected override drawAll(grants: Grant[]): void {
		for (const operation of ["create", "update"] as const) this.drawAutoApprove(operation, grants);
		const listed = grants.filter((grant) => grant.kind !== "auto" || !isForEveryone(grant));
		new Setting(this.el).setName("Answers").setHeading();
		if (listed.length === 0) addEmpty(this.el, "Nothing is remembered. Answers for the session or for good appear here.");
		for (const grant of listed) drawGrant(this.el, grant, async () => this.act("consent.revoke", { grantId: grant.grantId }));
	}

	/** Approving without asking: for every program, until the bridge stops. */
	private drawAutoApprove(operation: keyof typeof OPERATIONS, grants: readonly Grant[]): void {
		const on = grants.some((grant) => grant.kind === "auto" && isForEveryone(grant) && grant.operation === operation);
		const setting = new Setting(this.el)
			.setName(`${OPERATIONS[operation]} without asking`)
			.setDesc("Until the bridge stops, and only for tools that may be trusted for a session.");
		addSwitch(setting, `${OPERATIONS[operation]} without asking`, on, (wanted) => void this.approve(operation, wanted));
	}

	private async approve(operation: keyof typeof OPERATIONS, wanted: boolean): Promise<void> {
		const text = "Agents then change notes without a question until the bridge stops. “Changes” lists what they did, to be undone where backups are kept.";
		if (!wanted || (await confirm(this.context.app, { title: `${OPERATIONS[operation]} without asking?`, text, action: "Approve" }))) {
			await this.act("consent.autoApprove", { operation, enabled: wanted });
		}
		await this.draw();
	}
}

export function drawGrant(container: HTMLElement, grant: Grant, takeBack: () => Promise<void>): void {
	const { title, detail } = grantSentence(grant);
	const setting = new Setting(container);
	showText(setting.nameEl, title);
	showText(setting.descEl, detail);
	addAction(setting, "Take back", takeBack);
}
