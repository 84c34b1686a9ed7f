import { describe, expect, it } from "vitest";
import type { ServerInfo, ServerToolInfo } from "../../../src/core/wire/contract";
import { reader } from "../../../src/core/wire/reading";
import { differenceOf, entryOf, stateSentence, toolWords, trustSentence } from "../../../src/core/wire/servers";

const tool = (changes: object = {}): ServerToolInfo => reader("ServerToolInfo")({ name: "read", call: "mcp__papers__read", title: "", description: "", takes: "{}", readOnly: false, destructive: false, ...changes }, "");
const server = (changes: object = {}): ServerInfo => reader("ServerInfo")({ name: "papers", description: "", told: [], enabled: true, trusted: false, state: "off", reason: "", change: null, tools: [], faults: [], log: [], digest: "d", ...changes }, "");

describe("another server", () => {
	it.each([
		[{}, "Not connected. It is when an agent asks for it, or when you test it."],
		[{ state: "starting" }, "Is being connected."],
		[{ state: "ready", tools: [tool()] }, "Connected, with 1 tool."],
		[{ state: "ready", tools: [tool(), tool()] }, "Connected, with 2 tools."],
		[{ state: "failed", reason: "The program ended with 1" }, "The program ended with 1"],
		[{ state: "failed" }, "It cannot be used."],
		[{ enabled: false }, "Switched off: agents do not get its tools."],
		[{ enabled: false, state: "failed", reason: "The program ended with 1" }, "The program ended with 1"],
	])("with %o is said to be", (changes, sentence) => {
		expect(stateSentence(server(changes))).toBe(sentence);
	});

	it("is said to be trusted only when it is", () => {
		expect(trustSentence(server())).toBe("Not trusted: you are asked about its tools.");
		expect(trustSentence(server({ trusted: true }))).toMatch(/^Trusted: you are not asked .* has changed is asked about all the same\.$/u);
	});

	it.each([
		[null, null],
		["program: npx\n  -y\n", null],
		["@@ -1 +1 @@\n-old\n+new\n", "@@ -1 +1 @@\n-old\n+new\n"],
	])("with the change %j differs from what was allowed by %j", (change, difference) => {
		expect(differenceOf(change)).toBe(difference);
	});

	it.each([
		[{}, ""],
		[{ readOnly: true }, "Says of itself that it only reads."],
		[{ destructive: true }, "Says of itself that it destroys."],
		[{ readOnly: true, destructive: true }, "Says of itself that it only reads and destroys."],
	])("has tools that with %o say of themselves", (changes, words) => {
		expect(toolWords(tool(changes))).toBe(words);
	});
});

describe("a server that is entered", () => {
	it.each([
		["a program", { target: " npx ", args: "-y\n\n some server \n", description: " My papers " }, { command: "npx", args: ["-y", "some server"], description: "My papers" }],
		["a program alone", { target: "papers", args: "\n", description: "" }, { command: "papers" }],
		["an address", { target: "HTTPS://notes.example/mcp", args: "", description: "" }, { url: "HTTPS://notes.example/mcp" }],
		["an address with arguments, which the bridge refuses", { target: "http://localhost:1/mcp", args: "x", description: "" }, { url: "http://localhost:1/mcp", args: ["x"] }],
	])("is %s", (_, said, entry) => {
		expect(entryOf(said)).toEqual(entry);
	});
});
