import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file of the plugin's folder. */
export function file(name: string): string {
	return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** An answer of the real bridge, as it was recorded. */
export function recorded(name: string): unknown {
	return JSON.parse(readFileSync(file(`tests/recorded/${name}.json`), "utf8"));
}
