/** What axe-core finds wrong with what the plugin draws, in the real browser. */

import { readFileSync } from "node:fs";
import type { AxeResults, ElementContext, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { OURS } from "./contrast";
import { file } from "./files";

declare global {
	interface Window {
		axe: { run: (context: ElementContext, options: RunOptions) => Promise<AxeResults> };
	}
}

/** Obsidian's own, inside what the plugin draws. */
const THEIRS = [".modal-close-button"];
/** The landmarks of the whole page are Obsidian's to give. */
const OPTIONS: RunOptions = { rules: { region: { enabled: false } }, resultTypes: ["violations"] };

/** One line for each finding: the rule, what it says, and the elements. Contrast is measured by `paleTexts`, which knows more. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
	await page.evaluate(readFileSync(file("node_modules/axe-core/axe.min.js"), "utf8"));
	return page.evaluate(
		async ([roots, exclude, options]) => {
			const include = roots.filter((root) => document.querySelector(root));
			const { violations } = await window.axe.run({ include, exclude }, options);
			return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
		},
		[OURS, THEIRS, OPTIONS] as const,
	);
}
