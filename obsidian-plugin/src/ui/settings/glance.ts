/** What a person wants to know first: who may do what, how much was asked, what reaches out, and how all of it ends. */

import type { SettingDefinition, SettingDefinitionItem } from "obsidian";
import { messageOf } from "../../core/settings/store";
import { sanitizePlain } from "../../core/text";
import { ask } from "../../core/wire/reading";
import { addAction } from "../controls";
import { addProblem } from "../elements";
import { tell } from "../notice";
import { confirm } from "../window";
import { valueOf, type Form } from "./form";

export function glanceGroup(form: Form, openActivity: () => void): SettingDefinitionItem {
	const { grants, asked } = form.settings.extras;
	return {
		type: "group",
		heading: "At a glance",
		items: [
			{ name: "Without asking", desc: sanitizePlain(allowedText(form, grants)), aliases: ["who may do what", "grants", "permissions"], searchable: true, render: () => undefined },
			{
				name: "Asked this week",
				desc: asked === null ? "Not known." : `${asked.toLocaleString()} ${asked === 1 ? "question" : "questions"} in seven days.`,
				aliases: ["how often", "activity", "statistics"],
				render: (setting) => { setting.addButton((button) => button.setButtonText("Show activity").onClick(openActivity)); },
			},
			{ name: "Beyond this vault", desc: sanitizePlain(beyondText(form)), aliases: ["internet", "commands", "network", "what is on"], render: () => undefined },
			endRow(form),
		],
	};
}

function allowedText(form: Form, grants: Form["settings"]["extras"]["grants"]): string {
	const allowed = grants.filter(({ decision }) => decision.startsWith("allow"));
	const first = allowed[0]?.sentence;
	const reads = valueOf(form, "developerMode") === true ? "Every program may read without asking. " : "";
	if (first === undefined) return `${reads}${reads === "" ? "Every program asks each time." : "They ask for everything else."}`;
	return allowed.length === 1 ? `${reads}${first}` : `${reads}${allowed.length} answers hold; see “Remembered answers”.`;
}

/** The switches that open something outside the notes, by their titles; the bridge says which those are. */
function beyondText({ settings }: Form): string {
	const on = settings.schema.fields.filter(({ section, key, risk }) => risk !== null && section === "network" && settings.values[key] === true).map(({ title }) => title);
	return on.length === 0 ? "No switch under Network is on." : `Switched on: ${on.join(", ")}.`;
}

function endRow(form: Form): SettingDefinition {
	return {
		name: "Stop everything",
		desc: "Ends every permission at once. Each program asks again from then on.",
		aliases: ["revoke all", "emergency", "panic", "take back"],
		render: (setting) => {
			addAction(setting, "Stop everything", async () => {
				const text = "Everything that you have allowed for longer than once ends, for every program. What you have denied stays denied. Nothing that was written is undone.";
				if (!(await confirm(form.app, { title: "End all permissions?", text, action: "Stop everything" }))) return;
				try {
					const { text: said, ended } = await ask(form.request, "consent.endAll");
					await form.reload();
					tell([said, ...ended.map(({ sentence }) => sentence)].join("\n"), 15_000);
				} catch (error) {
					addProblem(setting.descEl, messageOf(error));
				}
			}, "mod-warning");
		},
	};
}
