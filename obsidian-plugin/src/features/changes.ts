/** The commands that undo and redo. */

import { reverse, undoAll } from "../ui/reversing";
import { Feature } from "./feature";

export class Changes extends Feature {
	override onload(): void {
		const { context } = this;
		this.command("undo-change", "Undo last agent change", () => { reverse(context, "undo", null); });
		this.command("undo-last-hour", "Undo all agent changes of the last hour…", () => { undoAll(context, { clientId: "", hours: 1 }); });
		this.command("redo-change", "Redo last undone agent change", () => { reverse(context, "redo", null); });
	}
}
