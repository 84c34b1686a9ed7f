/** What Obsidian's own review runs: the unmodified recommended rules. Run from the repository's root, where the manifest is. */

import { defineConfig } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

export default defineConfig([
	{ ignores: ["**/node_modules/**", "**/main.js", "**/screenshots/**", "**/.ui/**", "**/package-lock.json"] },
	...obsidianmd.configs.recommended,
	{ files: ["**/*.{ts,mjs}"], languageOptions: { parserOptions: { projectService: true } } },
]);
