/** Clears the audit log, when the person says so once more. */

import type { Context } from "./context";
import { confirm } from "./window";

export async function clearLog({ app, request }: Pick<Context, "app" | "request">): Promise<void> {
	const sure = await confirm(app, {
		title: "Clear the audit log?",
		text: "What agents asked, read and were refused can then no longer be looked up; what they changed stays under “Changes”. Export it first if you may need it.",
		action: "Clear log",
	});
	if (sure) await request("audit.clear");
}
