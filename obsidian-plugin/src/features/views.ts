/** Opens a view of ours, or shows the one that is open. */

import type { App } from "obsidian";

/** @param place - Where it opens: in a tab among the notes, or in the sidebar on the right. */
export async function showView(app: App, type: string, place: "tab" | "right" = "tab"): Promise<void> {
	const { workspace } = app;
	const existing = workspace.getLeavesOfType(type)[0];
	const leaf = existing ?? (place === "right" ? workspace.getRightLeaf(false) : null) ?? workspace.getLeaf("tab");
	if (!existing) await leaf.setViewState({ type, active: true });
	await workspace.revealLeaf(leaf);
}
