/** Builds what the page loads, once before all tests: the stand-in for Obsidian, and the plugin as it is shipped. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { file } from "./files";

export default async function setup(): Promise<void> {
	execFileSync(process.execPath, [file("scripts/build.mjs")], { stdio: "inherit" });
	mkdirSync(file(".ui"), { recursive: true });
	await build({ entryPoints: [file("tests/host/page.ts")], outfile: file(".ui/host.js"), bundle: true, format: "iife", logLevel: "warning" });
	writeFileSync(file(".ui/plugin.js"), `window.loadBundle = (require, module) => { const exports = module.exports;\n${readFileSync(file("main.js"), "utf8")}\n};`);
	writeFileSync(file(".ui/icons.js"), `window.hostIcons = ${JSON.stringify(icons())};`);
}

/** Those icons whose names stand in our sources, and those that the bridge may name. */
function icons(): Record<string, string> {
	const folder = file("node_modules/lucide-static/icons");
	const main = readFileSync(file("main.js"), "utf8");
	const wanted = readdirSync(folder).map((name) => name.replace(".svg", "")).filter((name) => main.includes(`"${name}"`) || ["search", "globe", "terminal", "file-text", "chevron-right", "chevron-left", "file-search", "text-search", "book-open", "x"].includes(name));
	return Object.fromEntries(wanted.map((name) => [name, readFileSync(`${folder}/${name}.svg`, "utf8")]));
}
