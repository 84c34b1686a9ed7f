/** What a change did, asked for and drawn when somebody looks. */

import type { History } from "../../core/history";
import { messageOf } from "../../core/settings/store";
import { drawFiles } from "../diff/fileList";
import { addProblem, showText } from "../elements";

/** Returns the function that ends the drawing early. */
export function drawChangeDiff(container: HTMLElement, history: History, executionId: string): () => void {
	let end = (): void => undefined;
	let ended = false;
	history.diff(executionId).then(
		({ files, lost }) => {
			if (ended) return;
			if (lost.length > 0) {
				const note = container.createDiv({ cls: "vault-bridge-note" });
				showText(note, `Not kept: what ${lost.join(", ")} held before or after this change.`);
			}
			end = drawFiles(container, files, null);
		},
		(error: unknown) => {
			addProblem(container, messageOf(error));
		},
	);
	return () => {
		ended = true;
		end();
	};
}
