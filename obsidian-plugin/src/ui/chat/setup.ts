/** Where a chat cannot begin yet, or a model has to be chosen: what is missing, and what to do. */

import type { ChatModels } from "../../core/wire/contract";
import { addButton, showText } from "../elements";

export type Server = { kind: "away" } | { kind: "asking" } | { kind: "failed"; message: string } | { kind: "known"; models: ChatModels };

export interface SetupActions {
	again: () => void;
	/** Agree to the address, when the person says so once more. */
	allow: (models: ChatModels) => void;
}

/** The model that a message goes to: the one that was chosen, the conversation's, the one that is set, the only one. */
export function modelFor(server: Server, chosen: string | null, before: string): string | null {
	if (server.kind !== "known") return null;
	const { models, model } = server.models;
	const there = (name: string | null): name is string => name !== null && name !== "" && models.some((one) => one.name === name);
	const wanted = [chosen, before, model].find(there);
	if (wanted !== undefined) return wanted;
	return models.length === 1 ? (models[0]?.name ?? null) : null;
}

/** Why nothing can be sent now; null where it can. */
export function obstacle(server: Server, model: string | null): string | null {
	switch (server.kind) {
		case "away":
			return "The bridge is not connected.";
		case "asking":
			return "The model's server is being asked.";
		case "failed":
			return server.message;
		case "known":
			if (!server.models.allowed) return "You have not agreed to the address of the model's server yet.";
			if (server.models.models.length === 0) return "The server has no model yet.";
			return model === null ? "Choose a model above." : null;
	}
}

/** Draw what is missing, with what helps; nothing where nothing is. */
export function drawSetup(el: HTMLElement, server: Server, model: string | null, isEmpty: boolean, actions: SetupActions): void {
	el.empty();
	if (server.kind === "away") {
		el.createEl("p", { text: "The bridge is not connected. The shield in the status bar says why, and starts it where that is possible." });
	} else if (server.kind === "failed") {
		showText(el.createEl("p", { cls: "vault-bridge-problem" }), server.message);
		drawSteps(el, [["Install Ollama from ollama.com and start it.", null], ["Get a model that knows how to use tools:", "ollama pull qwen3:8b"]]);
		drawAgain(el, actions);
	} else if (server.kind === "known") drawKnown(el, server.models, model, isEmpty, actions);
	el.toggle(el.childElementCount > 0);
}

function drawKnown(el: HTMLElement, models: ChatModels, model: string | null, isEmpty: boolean, actions: SetupActions): void {
	if (!models.allowed) {
		showText(el.createEl("p"), models.sentence ?? `What is said here is sent to ${models.endpoint}.`);
		showText(addButton(el, "", () => { actions.allow(models); }, "mod-cta"), `Allow ${models.endpoint}…`);
	} else if (models.models.length === 0) {
		showText(el.createEl("p"), `The server at ${models.endpoint} has no model yet.`);
		drawSteps(el, [["Get one that knows how to use tools:", "ollama pull qwen3:8b"]]);
		drawAgain(el, actions);
	} else if (model === null) {
		el.createEl("p", { text: "There are several models. Choose one above, or one for good in the settings." });
	} else if (isEmpty) {
		el.createEl("p", { text: "Ask about your notes, or have something done. The model reads and changes them with tools, and you are asked as with any agent." });
		drawSteps(el, [["@ mentions a note. Enter sends, Shift+Enter begins a line, Escape stops, ↑ edits what you said last.", null]]);
	}
}

function drawSteps(el: HTMLElement, steps: readonly (readonly [string, string | null])[]): void {
	for (const [text, command] of steps) {
		const line = el.createEl("p", { text });
		if (command !== null) line.createEl("code", { text: command });
	}
}

function drawAgain(el: HTMLElement, actions: SetupActions): void {
	addButton(el, "Try again", actions.again);
}
