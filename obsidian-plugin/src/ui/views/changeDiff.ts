/** What a change did, asked for and drawn when somebody looks. */

import type { ChangeDiff } from "../../core/wire/contract";
import { drawFiles } from "../diff/fileList";
import { showText } from "../text";

/** Returns the function that ends the drawing early. */
export function drawChangeDiff(container: HTMLElement, load: () => Promise<ChangeDiff>): () => void {
	let end = (): void => undefined;
	let ended = false;
	load().then(
		({ files, lost }) => {
			if (ended) return;
			if (lost.length > 0) {
				const note = container.createDiv({ cls: "vault-bridge-note" });
				showText(note, `Not kept: what ${lost.join(", ")} held before or after this change.`);
			}
			end = drawFiles(container, files, null);
		},
		(error: unknown) => {
			const problem = container.createDiv({ cls: "vault-bridge-problem is-error", attr: { role: "alert" } });
			showText(problem, error instanceof Error ? error.message : String(error));
		},
	);
	return () => {
		ended = true;
		end();
	};
}
