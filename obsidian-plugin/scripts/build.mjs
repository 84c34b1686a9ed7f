/** Bundles the plugin into `main.js` and puts a copy of the root's manifest beside it. `--meta` prints what is in the bundle. */

import { copyFileSync, readFileSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { analyzeMetafile, build } from "esbuild";

const here = fileURLToPath(new URL("..", import.meta.url));
// A bound to notice growth by: Obsidian reads all of it at each start.
const MOST_BYTES = 300_000;

/** @type {{ repository?: { url: string } }} */
const { repository } = JSON.parse(readFileSync(`${here}/package.json`, "utf8"));

const result = await build({
	absWorkingDir: here,
	entryPoints: ["src/main.ts"],
	outfile: "main.js",
	bundle: true,
	format: "cjs",
	platform: "browser",
	target: "es2022",
	external: ["obsidian", "electron", "@codemirror/state", "@codemirror/view", ...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
	// As Obsidian's template for plugins does; whoever wants to read it builds the same bytes from the source.
	minify: true,
	legalComments: "none",
	charset: "utf8",
	metafile: true,
	// Nothing of the machine or of the moment goes in: whoever builds a tag again has the same bytes.
	define: { REPOSITORY: JSON.stringify(repository?.url.replace(/^git\+|\.git$/g, "") ?? "") },
	logLevel: "warning",
});

copyFileSync(`${here}/../manifest.json`, `${here}/manifest.json`);
if (process.argv.includes("--meta")) console.warn(await analyzeMetafile(result.metafile));
const size = statSync(`${here}/main.js`).size;
console.warn(`main.js: ${(size / 1000).toFixed(1)} kB of at most ${String(MOST_BYTES / 1000)} kB`);
if (size > MOST_BYTES) process.exitCode = 1;
