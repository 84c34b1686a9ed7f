/** What the bridge says of other programs. */

import type { OutsideNotice } from "../../src/core/wire/contract";

export function noticed(more: Partial<OutsideNotice> = {}): OutsideNotice {
	const now = Date.now();
	return { entries: ["outside-1"], message: "17 notes changed, 3 deleted", began: new Date(now - 60_000).toISOString(), ended: new Date(now).toISOString(), unattended: false, ...more };
}
