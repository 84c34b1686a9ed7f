/** A field with the new side of one hunk, in which a person writes what they want instead. */

import { asLines, newSideOf, type Hunk } from "../../core/diff/hunks";
import { addButton, showText } from "../elements";

export interface Revising {
	/** Ask for a plan with this text. Returns why it was not taken; null when it was. */
	revise: (path: string, hunk: number, text: string) => Promise<string | null>;
	/** A field is open, which this closes; or none is any more. */
	editing: (close: (() => void) | null) => void;
}

const MOST_ROWS = 16;

export function offerEdit(header: HTMLElement, body: HTMLElement, hunk: Hunk, path: string, revising: Revising): void {
	const text = newSideOf(hunk);
	const button = header.createEl("button", { cls: "vault-bridge-link vault-bridge-edit", text: "Edit", type: "button", attr: { "aria-label": `Edit change ${hunk.index + 1}` } });
	let draft = text;
	button.addEventListener("click", () => {
		if (body.hasClass("is-edited")) return;
		body.addClass("is-edited");
		const editor = body.createDiv({ cls: "vault-bridge-editor" });
		const close = (): void => {
			editor.remove();
			body.removeClass("is-edited");
			revising.editing(null);
			button.focus({ preventScroll: true });
		};
		revising.editing(close);
		drawEditor(editor, draft, {
			changed: (value) => { draft = value; },
			cancel: () => {
				draft = text;
				close();
			},
			use: async (value) => revising.revise(path, hunk.index, asLines(hunk, value)),
		});
	});
}

interface EditorEvents {
	changed: (value: string) => void;
	cancel: () => void;
	use: (value: string) => Promise<string | null>;
}

function drawEditor(editor: HTMLElement, text: string, events: EditorEvents): void {
	const field = editor.createEl("textarea", { cls: "vault-bridge-editor-text", attr: { "aria-label": "The lines as they will be", rows: String(Math.min(MOST_ROWS, text.split("\n").length + 1)), spellcheck: "false" } });
	field.value = text;
	field.addEventListener("input", () => { events.changed(field.value); });
	const problem = editor.createDiv({ cls: "vault-bridge-note is-warning", attr: { role: "alert" } });
	problem.hide();
	const bar = editor.createDiv({ cls: "vault-bridge-editor-bar" });
	const use = bar.createEl("button", { text: "Use this text", type: "button" });
	addButton(bar, "Cancel", events.cancel);
	bar.createSpan({ cls: "vault-bridge-faint", text: "Nothing is written before you allow it." });
	use.addEventListener("click", () => {
		use.disabled = true;
		void events.use(field.value).then((reason) => {
			use.disabled = false;
			problem.empty();
			showText(problem, reason ?? "");
			problem.toggle(reason !== null);
		});
	});
	field.focus({ preventScroll: true });
}
