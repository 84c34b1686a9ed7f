/** The house rules on top of Obsidian's review rules: strict types, and which layer may import which. */

import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import review from "./eslint.review.config.mjs";

/**
 * The imports that the files of one layer may not have.
 *
 * @param {string} layer - A folder below `src`.
 * @param {string[]} forbidden - Import patterns.
 * @returns {import("eslint").Linter.Config} The rule for that layer.
 */
const layer = (layer, forbidden) => ({
	files: [`**/src/${layer}/**/*.ts`],
	rules: {
		"no-restricted-imports": [
			"error",
			{ patterns: [{ group: forbidden, message: "The layers are main, features, ui | platform, core; see docs." }] },
		],
	},
});

const NODE = ["node:*", "fs", "path", "child_process", "electron"];

export default defineConfig([
	...review,
	{ files: ["**/src/**/*.ts", "**/tests/**/*.ts"], extends: [tseslint.configs.strictTypeChecked] },
	{
		files: ["**/src/**/*.ts", "**/tests/**/*.ts"],
		rules: {
			// Numbers read well in templates; everything else must be made a string on purpose.
			"@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
		},
	},
	{
		files: ["**/src/**/*.ts"],
		rules: {
			"max-lines": ["error", 300],
			"@typescript-eslint/explicit-module-boundary-types": "error",
		},
	},
	// Generated: as long as the contract is.
	{ files: ["**/src/core/wire/{contract,shapes}.ts"], rules: { "max-lines": "off" } },
	layer("core", ["obsidian", "**/ui/**", "**/platform/**", "**/features/**", "**/main", ...NODE]),
	layer("ui", ["**/platform/**", "**/features/**", "**/main", ...NODE]),
	layer("platform", ["**/ui/**", "**/features/**", "**/main"]),
	layer("features", ["**/main", ...NODE]),
]);
