/** Commands for a person to paste into a terminal. */

import { programName, type Machine, type System } from "./places";

/** One word of a command line that its shell takes literally, whatever is in it. */
export function quoted(text: string, system: System): string {
	if (/^[\w@%+=:,./~-]+$/.test(text) && (system !== "windows" || !text.includes("%"))) return text;
	if (system !== "windows") return `'${text.replace(/'/g, "'\\''")}'`;
	// PowerShell reads `$` and backticks in double quotes; the old command prompt knows no single ones.
	return /[$`"]/.test(text) ? `'${text.replace(/'/g, "''")}'` : `"${text}"`;
}

/** The command as it is typed: its name where a terminal finds it, else its whole path. */
export function typedProgram(machine: Machine, path: string | null, command = "vault-bridge"): string {
	if (path === null) return command;
	const folders = [`${machine.home}/.local/bin`, `${machine.home}\\.local\\bin`, ...(machine.env["PATH"] ?? machine.env["Path"] ?? "").split(machine.system === "windows" ? ";" : ":")];
	const name = programName(machine, command);
	const folder = path.endsWith(name) ? path.slice(0, -name.length - 1) : null;
	if (folder !== null && folders.includes(folder)) return command;
	const whole = quoted(path, machine.system);
	// PowerShell takes a quoted word for a text unless it is called.
	return machine.system === "windows" && whole !== path ? `& ${whole}` : whole;
}

export interface InstallCommand {
	/** How, for people. */
	name: string;
	command: string;
}

/** The address of a release's wheel; empty where the repository is not known. */
export function installSource(repository: string, version: string): string {
	return repository === "" ? "" : `${repository}/releases/download/${version}/obsidian_vault_bridge-${version}-py3-none-any.whl`;
}

/** An installer that is on this machine already, and where. */
export interface Installer {
	name: "uv" | "pipx";
	path: string;
}

/** What uv's own makers say to type, and where it is then. */
const FETCH_UV: Readonly<Record<System, readonly [fetch: string, uv: string]>> = {
	linux: ["curl -LsSf https://astral.sh/uv/install.sh | sh && ", "~/.local/bin/uv"],
	macos: ["curl -LsSf https://astral.sh/uv/install.sh | sh && ", "~/.local/bin/uv"],
	windows: ["irm https://astral.sh/uv/install.ps1 | iex; & ", '"$HOME\\.local\\bin\\uv.exe"'],
};

/**
 * How the bridge is installed, the way that fits this machine first.
 *
 * @param source - What to install: an address, or nothing for the folder of the source, in which the command is then typed.
 * @param found - The installers that are there.
 */
export function installCommands(source: string, machine: Machine, found: readonly Installer[]): InstallCommand[] {
	const what = source === "" ? "." : quoted(source, machine.system);
	const arguments_ = { uv: `tool install --python 3.13 ${what}`, pipx: `install ${what}` };
	const ready = found.map(({ name, path }) => ({ name: `With ${name}, which is installed`, command: `${typedProgram(machine, path, name)} ${arguments_[name]}` }));
	const [fetch, uv] = FETCH_UV[machine.system];
	return [...ready, { name: "With uv, which this installs first, from astral.sh", command: `${fetch}${uv} ${arguments_.uv}` }];
}
