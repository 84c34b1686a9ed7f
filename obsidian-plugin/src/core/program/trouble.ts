/** Why the bridge's program did not do what it should, in words, with what a person can do about it. */

/** How a process ended, or that there was none. */
export type End =
	/** It could not be started: the system's code, as `ENOENT`. */
	| { kind: "unstarted"; code: string }
	| { kind: "exited"; code: number | null; output: string }
	| { kind: "silent" };

export type TroubleKind = "missing" | "forbidden" | "no-python" | "wrong" | "old" | "served" | "port" | "other-user" | "silent" | "ended";

export interface Trouble {
	kind: TroubleKind;
	/** What happened and what to do, for the person. */
	text: string;
	/** The program's own last words; empty when it said nothing, or nothing that helps. */
	said: string;
}

const LONGEST_WORDS = 1_000;
const RECOGNIZED = /^vault-bridge (\d+(?:\.\d+)+\S*) \(Vault Bridge for Obsidian\)\s*$/;
const NO_PYTHON = /No Python at|Unable to create process|did not find executable|bad interpreter|No module named '?bridge\b/i;
const AGAIN = "Install the bridge again, as its readme says.";

/** What these kinds of trouble have in common is that trying again changes nothing. */
const LASTING: readonly TroubleKind[] = ["missing", "forbidden", "no-python", "wrong", "old", "served", "port", "other-user", "silent"];

/** Whether the same would happen again at once. */
export function isLasting({ kind }: Trouble): boolean {
	return LASTING.includes(kind);
}

export const NOT_INSTALLED: Trouble = {
	kind: "missing",
	text: "Vault Bridge is not installed, or not where Obsidian looks. Install it, or choose the program if it is somewhere else.",
	said: "",
};

/**
 * What became of `vault-bridge serve`.
 *
 * @param there - Whether the program's file exists.
 */
export function startTrouble(program: string, end: End, there: boolean): Trouble {
	if (end.kind === "silent") return { kind: "silent", text: "The program was started, but it does not serve this vault, and it said nothing. It was stopped. Test it in the settings.", said: "" };
	if (end.kind === "unstarted") return unstarted(program, end.code, there);
	const said = lastWords(end.output);
	if (NO_PYTHON.test(said)) return { kind: "no-python", text: `The program is there, but the Python that it needs is gone. ${AGAIN}`, said };
	if (said.includes("already served by process")) return { kind: "served", text: "Another bridge serves this vault already. If this window does not connect to it, stop that one first: it may belong to another user, or hang.", said };
	if (/Port \d+ cannot be used/.test(said)) return { kind: "port", text: "The port of the bridge is taken by another program. Close that program, or start the bridge without a fixed port.", said };
	if (said.includes("belongs to another user")) return { kind: "other-user", text: "The bridge's own folder belongs to another user of this computer, perhaps because the bridge once ran as administrator. Remove that folder, or give it back to yourself.", said };
	if (end.code === 2) return { kind: "wrong", text: "The program did not understand “serve”. It may be another program of this name, or an old version. Test it in the settings.", said };
	const how = end.code === null ? "The bridge was ended from outside" : `The bridge stopped with exit code ${end.code}`;
	return { kind: "ended", text: said === "" ? `${how}, and said nothing. Start it in a terminal to see more.` : `${how}.`, said };
}

export type Test = { ok: true; version: string } | { ok: false; trouble: Trouble };

/**
 * What became of `vault-bridge --version`.
 *
 * @param own - The version of the plugin: a bridge must not be older.
 */
export function testOutcome(program: string, end: End, there: boolean, own: string): Test {
	if (end.kind === "silent") return { ok: false, trouble: { kind: "wrong", text: "The program did not say its version in time. It is probably another program.", said: "" } };
	if (end.kind === "unstarted") return { ok: false, trouble: unstarted(program, end.code, there) };
	const version = RECOGNIZED.exec(end.output.trim())?.[1];
	const said = lastWords(end.output);
	if (NO_PYTHON.test(said)) return { ok: false, trouble: startTrouble(program, end, there) };
	if (version === undefined || end.code !== 0) {
		return { ok: false, trouble: { kind: "wrong", text: `${program} is not Vault Bridge: asked for its version, it answered something else. There are other programs of this name. Install or choose the right one.`, said } };
	}
	if (isOlder(version, own)) {
		return { ok: false, trouble: { kind: "old", text: `This is Vault Bridge ${version}, which is older than this plugin (${own}). Install the newer one in the same way as before.`, said: "" } };
	}
	return { ok: true, version };
}

/** Whether one version comes before another: by its numbers alone. */
export function isOlder(version: string, than: string): boolean {
	const [left, right] = [numbers(version), numbers(than)];
	for (let place = 0; place < Math.max(left.length, right.length); place++) {
		const difference = (left[place] ?? 0) - (right[place] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}

function numbers(version: string): number[] {
	return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function unstarted(program: string, code: string, there: boolean): Trouble {
	if (code === "ENOENT" && there) return { kind: "no-python", text: `The program is there, but the Python that it needs is gone. ${AGAIN}`, said: "" };
	if (code === "ENOENT" || code === "ENOTDIR") return { ...NOT_INSTALLED, text: `There is no program ${program} any more. ${NOT_INSTALLED.text}` };
	if (code === "EACCES" || code === "EPERM") return { kind: "forbidden", text: `The system does not let Obsidian start ${program}. Is it a program, may it be executed, and may Obsidian (a sandboxed one often may not) start programs?`, said: "" };
	return { kind: "wrong", text: `${program} is no program that can be started (${code}). Choose the program “vault-bridge” itself.`, said: "" };
}

/** Whether another program, or another version, has to be installed or chosen first. */
export function needsAnother({ kind }: Trouble): boolean {
	return ["missing", "no-python", "wrong", "old"].includes(kind);
}

/** The end of what it said, from the beginning of a line. */
function lastWords(output: string): string {
	const text = output.trim();
	if (text.length <= LONGEST_WORDS) return text;
	const cut = text.slice(-LONGEST_WORDS);
	return cut.slice(cut.indexOf("\n") + 1);
}
