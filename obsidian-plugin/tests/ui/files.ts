import { fileURLToPath } from "node:url";

/** A file of the plugin's folder. */
export function file(name: string): string {
	return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}
