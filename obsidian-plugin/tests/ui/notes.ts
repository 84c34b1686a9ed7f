/** Notes whose changes are asked about while they are open. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import type { FakeBridge } from "./fakeBridge";
import { edit, question } from "./questions";

/** What a diff was made of. */
export function oldSide(diff: string): string {
	const [, , ...lines] = diff.split("\n");
	return `${lines.filter((line) => /^[ -]/u.test(line)).map((line) => line.slice(1)).join("\n")}\n`;
}

export const GARDEN = edit.path;
export const OLD = oldSide(edit.diff);

/** Two changes, ninety lines apart, of which each can be left out. */
export const LONG = Array.from({ length: 100 }, (_, index) => ({ 2: "a", 3: "first old", 4: "b", 89: "c", 90: "second old", 91: "d" })[index] ?? `line ${index + 1}`).join("\n");
export const apart = (changes: object = {}): object & { requestId: string } =>
	question({
		requestId: "c-apart",
		hunksSupported: true,
		summary: "Edit Long.md: 2 lines changed",
		preview: { files: [{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, diff: "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first new\n b\n@@ -90,3 +90,3 @@ # Two\n c\n-second old\n+second new\n d\n" }], backup: null, warnings: [], request: null },
		...changes,
	});

/** The plain edit, of the one note alone. */
export const alone = (changes: object = {}): object & { requestId: string } => question({ requestId: "c-note", ...changes });

export function writeNotes({ vault }: FakeBridge, notes: Readonly<Record<string, string>> = { [GARDEN]: OLD, "Long.md": LONG, "Other.md": "Something else.\n" }): void {
	for (const [path, text] of Object.entries(notes)) {
		mkdirSync(dirname(join(vault, path)), { recursive: true });
		writeFileSync(join(vault, path), text);
	}
}

export type Mode = "source" | "live" | "preview";

/** Show the note that was opened last another way. */
export async function showAs(page: Page, mode: Mode): Promise<void> {
	await page.evaluate((wanted) => { (window.host.app.workspace.getMostRecentLeaf()?.view as import("../host/workspace").MarkdownView).show(wanted); }, mode);
}
