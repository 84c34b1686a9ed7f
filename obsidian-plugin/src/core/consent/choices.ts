/** Which parts of each open question are wanted: one choice, wherever the question is shown. */

import { Selection } from "../diff/selection";
import { Emitter } from "../emitter";
import type { ConsentRequest } from "../wire/consent";

export class Choices {
	readonly changed = new Emitter<null>();
	private readonly known = new Map<string, { digest: string | null; selection: Selection }>();

	/** Parts can be left out only where the bridge says that it makes a new plan of the rest; else null. */
	of({ requestId, planDigest, hunksSupported, preview }: ConsentRequest): Selection | null {
		if (!hunksSupported || !preview) return null;
		const known = this.known.get(requestId);
		if (known?.digest === planDigest) return known.selection;
		const selection = new Selection(preview.files);
		selection.changed.on(() => { this.changed.emit(null); });
		this.known.set(requestId, { digest: planDigest, selection });
		return selection;
	}

	/** A question has ended. */
	forget(requestId: string): void {
		this.known.delete(requestId);
	}
}
