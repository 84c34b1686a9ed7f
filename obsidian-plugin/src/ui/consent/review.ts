/** What is particular to the review of a draft: places where others changed the same, and comments on lines. */

import type { Hunk } from "../../core/diff/hunks";
import type { LineComment, MergePlace, PlaceChoice } from "../../core/wire/contract";
import { addButton, showLongText } from "../elements";

type Take = PlaceChoice["take"];

const TAKES: Readonly<Record<Take, string>> = { vault: "Keep what is there", draft: "Take the draft", both: "Take both" };
const MOST_COMMENT = "2000";

/** Draw the places, with what can be taken at each. */
export function drawPlaces(container: HTMLElement, places: readonly MergePlace[], resolve: (choice: PlaceChoice) => Promise<string | null>): void {
	for (const { placeId, path, why, line, vault, draft, offers, taken } of places) {
		const place = container.createDiv({ cls: `vault-bridge-note vault-bridge-place-note${taken === null ? " is-warning" : ""}`, attr: { role: "group", "aria-label": path } });
		showLongText(place.createDiv(), `${path}${line === null ? "" : `, line ${line}`} ${why}.`);
		for (const [name, text] of [["In the vault", vault], ["In the draft", draft]] as const) {
			place.createDiv({ cls: "vault-bridge-faint", text: name });
			showLongText(place.createEl("pre", { cls: "vault-bridge-request" }), text === "" ? "–" : text);
		}
		const bar = place.createDiv({ cls: "vault-bridge-editor-bar" });
		const problem = place.createDiv({ attr: { role: "alert" } });
		for (const take of offers) {
			const choose = (): void => void resolve({ placeId, take }).then((reason) => { problem.setText(reason ?? ""); });
			addButton(bar, TAKES[take], choose, taken === take ? "mod-cta" : "").setAttr("aria-pressed", taken === take);
		}
	}
}

/** What the person says about lines, by where they say it. */
export class Comments {
	private readonly said = new Map<string, LineComment>();

	get all(): LineComment[] {
		return [...this.said.values()];
	}

	/** Add the button that opens the field for a comment on a hunk: on its first changed line, or another one. */
	offer(header: HTMLElement, body: HTMLElement, hunk: Hunk, path: string): void {
		const key = `${path}\n${hunk.index}`;
		const first = hunk.rows.find((row) => row.kind === "added" && row.new !== null) ?? hunk.rows.find((row) => row.new !== null);
		const open = (): void => {
			const field = body.createDiv({ cls: "vault-bridge-editor" });
			const text = field.createEl("textarea", { attr: { "aria-label": `Comment on ${path}`, maxlength: MOST_COMMENT, rows: "2" } });
			const label = field.createEl("label", { cls: "vault-bridge-faint", text: "About line " });
			const line = label.createEl("input", { type: "number", attr: { min: "1" } });
			const known = this.said.get(key);
			text.value = known?.text ?? "";
			line.value = String(known ? (known.line ?? "") : (first?.new ?? ""));
			const keep = (): void => {
				const words = text.value.trim();
				if (words === "") this.said.delete(key);
				else this.said.set(key, { path, text: words, ...(line.value !== "" && { line: Number(line.value) }) });
			};
			text.addEventListener("input", keep);
			line.addEventListener("input", keep);
			if (!known) text.focus({ preventScroll: true });
		};
		const button = addButton(header, "Comment", () => {
			button.hide();
			open();
		}, "vault-bridge-link vault-bridge-edit");
		if (!this.said.has(key)) return;
		button.hide();
		open();
	}
}
