/** The window in which a tool is tried: a form of its parameters, and what a run came to. */

import type { App } from "obsidian";
import type { JsonObject } from "../../core/json";
import { schemaFields } from "../../core/parameters";
import { messageOf } from "../../core/settings/store";
import type { CustomResult, CustomTestParams } from "../../core/wire/contract";
import { ask, type Request } from "../../core/wire/reading";
import { addButton, addLines, badge, showText } from "../elements";
import { drawParameterForm } from "../parameterForm";
import { openWindow } from "../window";

/**
 * @param tool - What is shown.
 * @param which - What is run: a stored tool, or one as it is written.
 */
export function tryTool(app: App, request: Request, { name, description, parameters }: { name: string; description: string; parameters: JsonObject }, which: CustomTestParams): void {
	openWindow(app, `Test ${name}`, "wide", (window) => {
		window.addText(description);
		const fields = schemaFields(parameters);
		const read = drawParameterForm(window.contentEl, fields);
		if (fields.length === 0) window.addText("It takes no parameters.", "vault-bridge-faint");
		window.addText("It really runs, as you: what its calls of other tools change, they change.", "vault-bridge-faint");
		const results = window.contentEl.createDiv({ cls: "vault-bridge-result", attr: { role: "status" } });
		const bar = window.addBar();
		let running = false;
		const run = async (): Promise<void> => {
			if (running) return;
			const values = read();
			results.empty();
			if (!values) return;
			running = true;
			button.setText("Running…");
			try {
				drawResult(results, await ask(request, "custom.test", { ...which, parameters: values }));
			} catch (error) {
				badge(results, "is-high", "Not run");
				showText(results.createDiv({ cls: "vault-bridge-problem is-error" }), messageOf(error));
			}
			running = false;
			button.setText("Run");
		};
		const button = addButton(bar, "Run", () => void run(), "mod-cta");
		window.addCloser(bar, "Close");
		window.onModEnter(() => void run());
	});
}

function drawResult(el: HTMLElement, { success, result, error, executionTime, output }: CustomResult): void {
	badge(el, success ? "is-safe" : "is-high", success ? "Done" : "Failed");
	el.createSpan({ cls: "vault-bridge-faint", text: ` Execution time: ${Math.round(executionTime)} ms` });
	if (success) addLines(el, JSON.stringify(result, null, 2), "Result");
	else showText(el.createDiv({ cls: "vault-bridge-problem is-error" }), error ?? "It failed.");
	if (output === "") return;
	el.createDiv({ cls: "vault-bridge-label", text: "It printed" });
	addLines(el, output, "What it printed");
}
