/** Claude Code itself, at work in a home as a user has it. Its model is a script. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { file } from "./files";

const python = file("../.venv/bin/python");

type Step = string | { tool: string; arguments: object };

interface Ended {
	/** Why it cannot be run here; empty where it has been. */
	why: string;
	code: number;
	said: string;
	/** What its model was shown as the answers to each call. */
	shown: string[];
}

/** Have it do what its model says. Null where the tests of the bridge are not set up. */
export async function claudeCode(home: string, vault: string, steps: Step[]): Promise<Ended | null> {
	if (!existsSync(python)) return null;
	const child = spawn(python, ["-m", "tests.programs.at_work"], { cwd: file(".."), stdio: ["pipe", "pipe", "inherit"] });
	child.stdin.end(JSON.stringify({ home, vault, steps }));
	let written = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => { written += text; });
	await new Promise((resolve) => child.once("close", resolve));
	return JSON.parse(written) as Ended;
}
