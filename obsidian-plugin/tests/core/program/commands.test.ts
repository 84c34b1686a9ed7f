import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { installCommands, quoted, typedProgram } from "../../../src/core/program/commands";

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

it("is installed from the release's address, and else from the folder of the source; never by a bare name that somebody else may have", () => {
	expect(installCommands("https://example.org/obsidian_vault_bridge-0.1.0-py3-none-any.whl", "linux").map(({ command }) => command)).toEqual([
		"uv tool install --python 3.13 https://example.org/obsidian_vault_bridge-0.1.0-py3-none-any.whl",
		"pipx install https://example.org/obsidian_vault_bridge-0.1.0-py3-none-any.whl",
	]);
	expect(installCommands("", "macos").map(({ command }) => command)).toEqual(["uv tool install --python 3.13 .", "pipx install ."]);
});
