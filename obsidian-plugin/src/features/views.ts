/** Opens a view of ours in a tab, or shows the one that is open. */

import type { App } from "obsidian";

export async function showView(app: App, type: string): Promise<void> {
	const { workspace } = app;
	const existing = workspace.getLeavesOfType(type)[0];
	const leaf = existing ?? workspace.getLeaf("tab");
	if (!existing) await leaf.setViewState({ type, active: true });
	await workspace.revealLeaf(leaf);
}
