/** The directory's review builds a release again from its tag and compares: nothing but the source may decide the bytes. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const own = fileURLToPath(new URL("..", import.meta.url));
const TAGGED = {
	CI: "true",
	GITHUB_ACTIONS: "true",
	GITHUB_REF_TYPE: "tag",
	GITHUB_REF_NAME: "0.1.0",
	GITHUB_SERVER_URL: "https://example.org",
	GITHUB_REPOSITORY: "ada/vault-bridge",
	GITHUB_SHA: "0123456789012345678901234567890123456789",
	NODE_ENV: "production",
	SOURCE_DATE_EPOCH: "1",
	TZ: "Pacific/Auckland",
	LANG: "tr_TR.UTF-8",
	VAULT_BRIDGE_INSTALL_FROM: "https://example.org/elsewhere",
};

function built(env: Readonly<Record<string, string>>): string[] {
	const checkout = mkdtempSync(join(tmpdir(), "vault-bridge-build-"));
	try {
		for (const name of ["src", "scripts", "package.json", "tsconfig.json", "styles.css"]) cpSync(join(own, name), join(checkout, "obsidian-plugin", name), { recursive: true });
		cpSync(join(own, "..", "manifest.json"), join(checkout, "manifest.json"));
		symlinkSync(join(own, "node_modules"), join(checkout, "obsidian-plugin", "node_modules"), "junction");
		execFileSync(process.execPath, [join(checkout, "obsidian-plugin", "scripts", "build.mjs")], { env: { PATH: process.env["PATH"], ...env }, stdio: "pipe" });
		return ["main.js", "manifest.json", "styles.css"].map((name) => readFileSync(join(checkout, "obsidian-plugin", name), "utf8"));
	} finally {
		rmSync(checkout, { recursive: true, force: true });
	}
}

it("a tag on a build server and a plain checkout in another folder have the same bytes", () => {
	expect(built(TAGGED)).toEqual(built({}));
}, 60_000);
