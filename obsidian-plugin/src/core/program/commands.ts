/** Commands for a person to paste into a terminal. */

import { programName, type Machine, type System } from "./machine";

/** One word of a command line that its shell takes literally, whatever is in it. */
export function quoted(text: string, system: System): string {
	if (/^[\w@%+=:,./~-]+$/.test(text) && (system !== "windows" || !text.includes("%"))) return text;
	if (system !== "windows") return `'${text.replace(/'/g, "'\\''")}'`;
	// PowerShell reads `$` and backticks in double quotes; the old command prompt knows no single ones.
	return /[$`"]/.test(text) ? `'${text.replace(/'/g, "''")}'` : `"${text}"`;
}

/** The command as it is typed: its name where a terminal finds it, else its whole path. */
export function typedProgram(machine: Machine, path: string | null): string {
	if (path === null) return "vault-bridge";
	const folders = [`${machine.home}/.local/bin`, `${machine.home}\\.local\\bin`, ...(machine.env["PATH"] ?? machine.env["Path"] ?? "").split(machine.system === "windows" ? ";" : ":")];
	const name = programName(machine);
	const folder = path.endsWith(name) ? path.slice(0, -name.length - 1) : null;
	if (folder !== null && folders.includes(folder)) return "vault-bridge";
	const whole = quoted(path, machine.system);
	// PowerShell takes a quoted word for a text unless it is called.
	return machine.system === "windows" && whole !== path ? `& ${whole}` : whole;
}

export interface InstallCommand {
	/** The installer. */
	name: string;
	command: string;
}

/**
 * How the bridge is installed, by either of two installers.
 *
 * @param source - What to install: an address, or nothing for the folder of the source, in which the command is then typed.
 */
export function installCommands(source: string, system: System): InstallCommand[] {
	const what = source === "" ? "." : quoted(source, system);
	return [
		{ name: "uv", command: `uv tool install --python 3.13 ${what}` },
		{ name: "pipx", command: `pipx install ${what}` },
	];
}
