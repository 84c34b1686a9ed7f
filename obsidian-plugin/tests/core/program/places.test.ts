import { describe, expect, it } from "vitest";
import { isAbsolute, readPath, insideFolder, programNote, usualPlaces, type Machine, type System } from "../../../src/core/program/places";

const HOMES: Record<System, string> = { linux: "/home/ada", macos: "/Users/ada", windows: "C:\\Users\\ada" };
const machine = (system: System, env: Machine["env"] = {}): Machine => ({ system, home: HOMES[system], env });
const local = "C:\\Users\\ada\\AppData\\Local";

describe("with the PATH that the system gives an app, the program is found where it was put by", () => {
	it.each<[string, System, string]>([
		["pipx or uv", "linux", "/home/ada/.local/bin/vault-bridge"],
		["pip --user", "linux", "/home/ada/.local/bin/vault-bridge"],
		["brew", "linux", "/home/linuxbrew/.linuxbrew/bin/vault-bridge"],
		["a checkout", "linux", "/home/ada/src/vault-bridge/.venv/bin/vault-bridge"],
		["pipx or uv", "macos", "/Users/ada/.local/bin/vault-bridge"],
		["pip --user", "macos", "/Users/ada/Library/Python/3.12/bin/vault-bridge"],
		["pip of python.org", "macos", "/Library/Frameworks/Python.framework/Versions/3.13/bin/vault-bridge"],
		["brew on Apple's processors", "macos", "/opt/homebrew/bin/vault-bridge"],
		["brew on Intel's", "macos", "/usr/local/bin/vault-bridge"],
		["a checkout", "macos", "/Users/ada/Developer/vault-bridge/.venv/bin/vault-bridge"],
		["pipx or uv", "windows", "C:\\Users\\ada\\.local\\bin\\vault-bridge.exe"],
		["pip --user", "windows", "C:\\Users\\ada\\AppData\\Roaming\\Python\\Python312\\Scripts\\vault-bridge.exe"],
		["pip of python.org", "windows", `${local}\\Programs\\Python\\Python311\\Scripts\\vault-bridge.exe`],
		["pip of the Store's Python", "windows", `${local}\\Packages\\PythonSoftwareFoundation.Python.3.13_qbz5n2kfra8p0\\LocalCache\\local-packages\\Python313\\Scripts\\vault-bridge.exe`],
		["a checkout", "windows", "C:\\Users\\ada\\Documents\\GitHub\\vault-bridge\\.venv\\Scripts\\vault-bridge.exe"],
	])("%s on %s: %s", (_, system, place) => {
		const PATH = system === "windows" ? "C:\\Windows\\system32;C:\\Windows" : "/usr/bin:/bin:/usr/sbin:/sbin";
		expect(usualPlaces(machine(system, { PATH }))).toContain(place);
	});

	it.each<[string, System, Machine["env"], string]>([
		["PATH", "linux", { PATH: "/opt/tools/bin:/usr/bin" }, "/opt/tools/bin/vault-bridge"],
		["PATH", "windows", { Path: "D:\\Tools;C:\\Windows" }, "D:\\Tools\\vault-bridge.exe"],
		["pipx's own variable", "macos", { PIPX_BIN_DIR: "/Users/ada/pipx" }, "/Users/ada/pipx/vault-bridge"],
		["uv's own variable", "linux", { UV_TOOL_BIN_DIR: "/data/uv" }, "/data/uv/vault-bridge"],
		["pip's own variable", "linux", { PYTHONUSERBASE: "/data/py" }, "/data/py/bin/vault-bridge"],
	])("%s says, on %s", (_, system, env, place) => {
		expect(usualPlaces(machine(system, env))).toContain(place);
	});
});

describe("the places", () => {
	it("are whole paths, each once, and never depend on where the app was started", () => {
		for (const system of ["linux", "macos", "windows"] as const) {
			const path = system === "windows" ? ".;bin;\\tools;C:\\Tools;C:\\Tools" : ".:bin::/tools:/tools";
			const places = usualPlaces(machine(system, { PATH: path, PIPX_BIN_DIR: "relative" }));
			expect(places.every((place) => isAbsolute({ system }, place))).toBe(true);
			expect(new Set(places).size).toBe(places.length);
		}
	});

	it("begin with PATH, as a terminal does", () => {
		expect(usualPlaces(machine("linux", { PATH: "/opt/tools" }))[0]).toBe("/opt/tools/vault-bridge");
	});

	it("in a folder that is named are those of a checkout, an environment and a folder of programs", () => {
		expect(insideFolder(machine("linux"), "/work/vb/")).toEqual(["/work/vb/.venv/bin/vault-bridge", "/work/vb/venv/bin/vault-bridge", "/work/vb/bin/vault-bridge", "/work/vb/vault-bridge"]);
		expect(insideFolder(machine("windows"), "D:\\vb")[0]).toBe("D:\\vb\\.venv\\Scripts\\vault-bridge.exe");
	});
});

it.each<[System, Machine["env"], string]>([
	["linux", {}, "/home/ada/.local/state/vault-bridge/program/last/program.json"],
	["linux", { XDG_STATE_HOME: "/data/state" }, "/data/state/vault-bridge/program/last/program.json"],
	["macos", {}, "/Users/ada/Library/Application Support/vault-bridge/program/last/program.json"],
	["windows", { LOCALAPPDATA: "E:\\Local" }, "E:\\Local\\vault-bridge\\vault-bridge\\program\\last\\program.json"],
	["linux", { VAULT_BRIDGE_STATE: "/elsewhere" }, "/elsewhere/program/last/program.json"],
])("the bridge's own note is where the bridge puts it on %s with %o", (system, env, place) => {
	expect(programNote(machine(system, env))).toBe(place);
});

it.each<[System, string, string]>([
	["linux", " ~/bin/vault-bridge ", "/home/ada/bin/vault-bridge"],
	["macos", '"/Users/ada/My Tools/vault-bridge"', "/Users/ada/My Tools/vault-bridge"],
	["windows", '"~\\bin\\vault-bridge.exe"', "C:\\Users\\ada\\bin\\vault-bridge.exe"],
	["linux", "~", "/home/ada"],
	["linux", "~bob/bin", "~bob/bin"],
	["linux", "", ""],
])("on %s, %j is read as %j", (system, typed, path) => {
	expect(readPath(machine(system), typed)).toBe(path);
});
