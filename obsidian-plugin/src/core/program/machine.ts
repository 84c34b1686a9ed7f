/** The machine as far as it matters where programs lie, and the paths of its system. */

export type System = "linux" | "macos" | "windows";

export interface Machine {
	system: System;
	/** The user's home folder. */
	home: string;
	env: Readonly<Record<string, string | undefined>>;
}

/** The command that is looked for. */
export function programName({ system }: Pick<Machine, "system">, command = "vault-bridge"): string {
	return system === "windows" ? `${command}.exe` : command;
}

/** Path components in one, in the way of the system. */
export function joinPath({ system }: Pick<Machine, "system">, first: string, ...rest: string[]): string {
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
