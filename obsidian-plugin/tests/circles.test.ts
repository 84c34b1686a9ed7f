/** No file imports itself, by whatever way, also not for types alone: each can be read and moved for itself. */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
const imports = new Map(files.map((name): [string, string[]] => {
	const path = join(src, name);
	const found = [...readFileSync(path, "utf8").matchAll(/\bfrom "(\.[^"]*)"/g)].map(([, target = ""]) => relative(src, `${join(dirname(path), target)}.ts`));
	return [name, found.filter((target) => files.includes(target))];
}));

/** The way from a file back to itself; null when there is none. */
function circleFrom(start: string): string[] | null {
	const seen = new Set<string>();
	const ways: string[][] = [[start]];
	for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
		for (const next of imports.get(way.at(-1) ?? "") ?? []) {
			if (next === start) return [...way, next];
			if (!seen.has(next)) ways.push([...way, next]);
			seen.add(next);
		}
	}
	return null;
}

it("there is no circle", () => {
	expect(files.length).toBeGreaterThan(100);
	expect([...imports.values()].flat().length).toBeGreaterThan(files.length);
	expect(files.map(circleFrom).filter((circle) => circle !== null)).toEqual([]);
});
