/** The machine as far as it matters where programs lie, and the paths of its system. */

export type System = "linux" | "macos" | "windows";

export interface Machine {
	system: System;
	home: string;
	env: Readonly<Record<string, string | undefined>>;
}

export function programName({ system }: Pick<Machine, "system">, command = "vault-bridge"): string {
	return system === "windows" ? `${command}.exe` : command;
}

function joinPath({ system }: Pick<Machine, "system">, first: string, ...rest: string[]): string {
	const separator = system === "windows" ? "\\" : "/";
	return [first.replace(system === "windows" ? /[\\/]+$/ : /\/+$/, ""), ...rest].join(separator);
}

export function isAbsolute({ system }: Pick<Machine, "system">, path: string): boolean {
	return system === "windows" ? /^([a-z]:[\\/]|\\\\)/i.test(path) : path.startsWith("/");
}

/** What a person typed or pasted as a path: without quotes and blanks around it, and with `~` as the home folder. */
export function readPath(machine: Machine, typed: string): string {
	const path = typed.trim().replace(/^(["'])(.*)\1$/, "$2");
	const below = machine.system === "windows" ? /^~[\\/](.*)$/ : /^~\/(.*)$/;
	if (path === "~") return machine.home;
	const rest = below.exec(path)?.[1];
	return rest === undefined ? path : joinPath(machine, machine.home, rest);
}

/** The versions of Python that the bridge runs with; some installers name a folder after each. */
const PYTHONS = ["3.13", "3.12", "3.11"] as const;
/** Where people keep what they have cloned, below their home folder. */
const CLONES = [[], ["src"], ["code"], ["dev"], ["git"], ["repos"], ["projects"], ["Projects"], ["Documents"], ["Developer"], ["Documents", "GitHub"]] as const;
const STORE = "qbz5n2kfra8p0";

/** Every place in which the command may lie, the likeliest first, each once. */
export function usualPlaces(machine: Machine): string[] {
	const clones = CLONES.flatMap((below) => insideFolder(machine, joinPath(machine, machine.home, ...below, "vault-bridge")));
	return [...new Set([...commandPlaces(machine, "vault-bridge"), ...clones])];
}

export function commandPlaces(machine: Machine, command: string): string[] {
	const folders = [...pathFolders(machine), ...chosenFolders(machine), ...systemFolders(machine)];
	return [...new Set(folders)].map((folder) => joinPath(machine, folder, programName(machine, command)));
}

/** Where the command lies in a folder that a person names: a checkout, an environment, or a folder of programs. */
export function insideFolder(machine: Machine, folder: string): string[] {
	const name = programName(machine);
	const scripts = machine.system === "windows" ? "Scripts" : "bin";
	return [[".venv", scripts, name], ["venv", scripts, name], [scripts, name], [name]].map((parts) => joinPath(machine, folder, ...parts));
}

/** Where the bridge notes the command that served a vault last: outside every vault, in the user's own state. */
export function programNote(machine: Machine): string {
	return joinPath(machine, stateFolder(machine), "program", "last", "program.json");
}

/** The user's folder for the bridge's state, as the bridge itself finds it. */
function stateFolder(machine: Machine): string {
	const { env, home, system } = machine;
	const named = env["VAULT_BRIDGE_STATE"];
	if (named) return named;
	switch (system) {
		case "linux":
			return joinPath(machine, env["XDG_STATE_HOME"]?.trim() || joinPath(machine, home, ".local", "state"), "vault-bridge");
		case "macos":
			return joinPath(machine, home, "Library", "Application Support", "vault-bridge");
		case "windows":
			return joinPath(machine, localData(machine), "vault-bridge", "vault-bridge");
	}
}

/** The folders of PATH; a relative one would depend on where the app was started. */
function pathFolders(machine: Machine): string[] {
	const path = machine.env["PATH"] ?? machine.env["Path"] ?? "";
	return path.split(machine.system === "windows" ? ";" : ":").filter((folder) => isAbsolute(machine, folder));
}

/** Where the person told an installer to put commands. */
function chosenFolders(machine: Machine): string[] {
	const { env } = machine;
	const base = env["PYTHONUSERBASE"];
	const scripts = machine.system === "windows" ? "Scripts" : "bin";
	const named = [env["PIPX_BIN_DIR"], env["UV_TOOL_BIN_DIR"], env["XDG_BIN_HOME"], base && joinPath(machine, base, scripts)];
	return named.filter((folder): folder is string => folder !== undefined && isAbsolute(machine, folder));
}

function systemFolders(machine: Machine): string[] {
	const home = (...parts: string[]): string => joinPath(machine, machine.home, ...parts);
	// pipx and uv agree on this one, on all three systems.
	const tools = home(".local", "bin");
	switch (machine.system) {
		case "linux":
			return [tools, "/usr/local/bin", "/usr/bin", "/home/linuxbrew/.linuxbrew/bin", home(".linuxbrew", "bin"), "/opt/pipx_bin", home(".pyenv", "shims")];
		case "macos":
			return [
				tools,
				"/opt/homebrew/bin",
				"/usr/local/bin",
				...PYTHONS.map((version) => home("Library", "Python", version, "bin")),
				...PYTHONS.map((version) => `/Library/Frameworks/Python.framework/Versions/${version}/bin`),
				home(".pyenv", "shims"),
			];
		case "windows": {
			const roaming = machine.env["APPDATA"] ?? home("AppData", "Roaming");
			const local = localData(machine);
			return [
				tools,
				...PYTHONS.flatMap((version) => {
					const python = `Python${version.replace(".", "")}`;
					return [
						joinPath(machine, roaming, "Python", python, "Scripts"),
						joinPath(machine, local, "Programs", "Python", python, "Scripts"),
						joinPath(machine, local, "Packages", `PythonSoftwareFoundation.Python.${version}_${STORE}`, "LocalCache", "local-packages", python, "Scripts"),
					];
				}),
			];
		}
	}
}

function localData(machine: Machine): string {
	return machine.env["LOCALAPPDATA"] ?? joinPath(machine, machine.home, "AppData", "Local");
}
