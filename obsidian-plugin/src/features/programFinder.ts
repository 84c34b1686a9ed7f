/** Which program is started on this device: the one that was chosen, or the first that is found where installers put it. */

import { isObject } from "../core/json";
import type { Installer } from "../core/program/commands";
import { commandPlaces, insideFolder, isAbsolute, programNote, readPath, usualPlaces, type Machine } from "../core/program/places";
import { NOT_INSTALLED, testOutcome, type Test, type Trouble } from "../core/program/trouble";
import { isFile, isFolder, readOwnFile } from "../platform/outside";
import { askVersion } from "../platform/sidecar";
import type { Context } from "../ui/context";

export class ProgramFinder {
	/** What was found and turned out to be another program: the search passes it over. */
	private readonly others = new Set<string>();

	constructor(
		private readonly context: Context,
		readonly machine: Machine,
	) {}

	/** The program that is chosen, and else the first that is found; null when there is none. Starts nothing. */
	async find(): Promise<string | null> {
		const { program } = this.context.device.settings;
		if (program !== null) return (await isFile(program)) ? program : null;
		return firstFile([...(await this.noted()), ...usualPlaces(this.machine)].filter((path) => !this.others.has(path)));
	}

	/** The installers on this machine that can install the bridge, the one first that also brings the right Python. */
	async installers(): Promise<Installer[]> {
		const found: Installer[] = [];
		for (const name of ["uv", "pipx"] as const) {
			const path = await firstFile(commandPlaces(this.machine, name));
			if (path !== null) found.push({ name, path });
		}
		return found;
	}

	/** Search everything again: what was another program may have been replaced. */
	forget(): void {
		this.others.clear();
	}

	/**
	 * Take what a person typed or picked: a program, or a folder with one in it. It is kept for this device, and has to be
	 * confirmed before it is started.
	 *
	 * @returns Why it cannot be taken; null when it was. Nothing typed means: search the usual places again.
	 */
	async choose(typed: string): Promise<string | null> {
		const path = readPath(this.machine, typed);
		if (path === "") {
			this.keep(null);
			return null;
		}
		if (!isAbsolute(this.machine, path)) return "Give the whole path, from the root of the disk or from “~”.";
		const program = (await isFolder(path)) ? await firstFile(insideFolder(this.machine, path)) : path;
		if (program === null) return "There is no “vault-bridge” in this folder, nor in its .venv.";
		if (!(await isFile(program))) return "There is no such file.";
		this.keep(program);
		return null;
	}

	/** Ask a program for its version, which starts it for a moment. */
	async test(program: string): Promise<Test> {
		const end = await askVersion(program);
		const test = testOutcome(program, end, await isFile(program), this.context.plugin.manifest.version);
		if (!test.ok && test.trouble.kind === "wrong") this.others.add(program);
		return test;
	}

	/** What to say when nothing was found. */
	missing(): Trouble {
		const { program } = this.context.device.settings;
		return program === null ? NOT_INSTALLED : { ...NOT_INSTALLED, text: `There is no program ${program} any more. ${NOT_INSTALLED.text}` };
	}

	private keep(program: string | null): void {
		if (program !== this.context.device.settings.program) this.context.device.change({ program, confirmed: false });
	}

	/** What the bridge noted itself when it was last used in a terminal: it knows where it lies, as in a checkout. */
	private async noted(): Promise<string[]> {
		const text = await readOwnFile(programNote(this.machine));
		if (text === null) return [];
		try {
			const note: unknown = JSON.parse(text);
			const program = isObject(note) ? note["program"] : null;
			return typeof program === "string" && isAbsolute(this.machine, program) ? [program] : [];
		} catch {
			return [];
		}
	}
}

async function firstFile(paths: readonly string[]): Promise<string | null> {
	for (const path of paths) if (await isFile(path)) return path;
	return null;
}
