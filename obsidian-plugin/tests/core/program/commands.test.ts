import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { installCommands, installSource, quoted, typedProgram } from "../../../src/core/program/commands";

const HOSTILE = ["plain", "/home/ada/My Notes", "a'b", "$(touch x)", "`id`", "a;b&c|d", 'say "hi"', "*?[x]", "$HOME", "é ü 🎉", "-n", "a\nb", "\\"];

it.skipIf(process.platform === "win32").each(HOSTILE)("a shell takes %j as one word, as it is", (text) => {
	expect(execFileSync("/bin/sh", ["-c", `printf '%s' ${text.startsWith("-") ? "./" : ""}${quoted(text, "linux")}`], { encoding: "utf8" })).toBe(text.startsWith("-") ? `./${text}` : text);
});

it.each([
	["C:\\Users\\ada\\My Notes", '"C:\\Users\\ada\\My Notes"'],
	["C:\\$(calc)", "'C:\\$(calc)'"],
	["C:\\it`s $5", "'C:\\it`s $5'"],
	["C:\\a & b", '"C:\\a & b"'],
])("PowerShell takes %j as one word, as it is", (text, word) => {
	expect(quoted(text, "windows")).toBe(word);
});

describe("the command in a terminal", () => {
	const linux = { system: "linux", home: "/home/ada", env: { PATH: "/usr/bin" } } as const;

	it.each([
		[null, "vault-bridge"],
		["/usr/bin/vault-bridge", "vault-bridge"],
		["/home/ada/.local/bin/vault-bridge", "vault-bridge"],
		["/home/ada/src/vault-bridge/.venv/bin/vault-bridge", "/home/ada/src/vault-bridge/.venv/bin/vault-bridge"],
		["/opt/my tools/vault-bridge", "'/opt/my tools/vault-bridge'"],
	])("for %j is %s", (path, command) => {
		expect(typedProgram(linux, path)).toBe(command);
	});

	it("is called by PowerShell when it has to be quoted", () => {
		const windows = { system: "windows", home: "C:\\Users\\ada", env: {} } as const;
		expect(typedProgram(windows, "D:\\My tools\\vault-bridge.exe")).toBe('& "D:\\My tools\\vault-bridge.exe"');
	});
});

describe("it is installed", () => {
	const linux = { system: "linux", home: "/home/ada", env: { PATH: "/usr/bin" } } as const;
	const wheel = installSource("https://example.org/ada/bridge", "0.1.0");

	it("from the release's address, and else from the folder of the source; never by a bare name that somebody else may have", () => {
		expect(wheel).toBe("https://example.org/ada/bridge/releases/download/0.1.0/obsidian_vault_bridge-0.1.0-py3-none-any.whl");
		expect(installCommands(wheel, linux, [{ name: "pipx", path: "/usr/bin/pipx" }])[0]?.command).toBe(`pipx install ${wheel}`);
		expect(installCommands(installSource("", "0.1.0"), linux, [{ name: "pipx", path: "/usr/bin/pipx" }])[0]?.command).toBe("pipx install .");
	});

	it("by what is there, called by its whole path where a terminal may not find it; else uv is fetched first", () => {
		expect(installCommands("", linux, [{ name: "uv", path: "/opt/a b/uv" }]).map(({ command }) => command)).toEqual([
			"'/opt/a b/uv' tool install --python 3.13 .",
			"curl -LsSf https://astral.sh/uv/install.sh | sh && ~/.local/bin/uv tool install --python 3.13 .",
		]);
		const windows = { system: "windows", home: "C:\\Users\\ada", env: {} } as const;
		expect(installCommands("", windows, []).map(({ command }) => command)).toEqual(['irm https://astral.sh/uv/install.ps1 | iex; & "$HOME\\.local\\bin\\uv.exe" tool install --python 3.13 .']);
	});
});
