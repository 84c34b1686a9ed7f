import { describe, expect, it } from "vitest";
import { capabilitySentence, presenceSentence, webReaderSentence } from "../../../src/core/wire/clients";
import type { ClientInfo, Grant } from "../../../src/core/wire/contract";
import { grantSentence } from "../../../src/core/consent/grants";
import { reader } from "../../../src/core/wire/reading";

const client = (changes: object = {}): ClientInfo => reader("ClientInfo")({ clientId: "0a1b", name: "Claude", capabilities: ["call"], added: "2026-11-20T08:00:00Z", ...changes }, "");

describe("a connected program", () => {
	it("may do what is said, and nothing that this plugin does not know", () => {
		expect(capabilitySentence(client().capabilities)).toBe("Call tools.");
		expect(capabilitySentence(client({ capabilities: ["administer", "answer", "call", "fly"] }).capabilities)).toBe("Call tools, answer the questions of other programs and administer the bridge: its settings, its log and these programs.");
		expect(capabilitySentence([])).toBe("Nothing.");
	});

	it.each([
		[{}, "Added 2026-11-20. Never connected."],
		[{ lastSeen: "2026-11-21T09:00:00Z" }, "Added 2026-11-20. Last seen 2026-11-21."],
		[{ lastSeen: "2026-11-21T09:00:00Z", connected: 2 }, "Added 2026-11-20. Connected now."],
	])("with %o was last here", (changes, sentence) => {
		expect(presenceSentence(client(changes), (iso) => iso.slice(0, 10))).toBe(sentence);
	});
});

describe("a program that has read from the web", () => {
	it("has read from another server, which is called by its name", () => {
		expect(webReaderSentence({ clientId: "0a1b", client: "Claude", since: "2026-11-20T10:00:00Z", sites: ["mcp://papers/"] }, (iso) => iso.slice(0, 10))).toBe("Since 2026-11-20: the server papers.");
	});

	const site = (index: number): string => `https://${index}.example/`;
	const day = (iso: string): string => iso.slice(0, 10);

	it.each<[string, number, string]>([
		["no site that is known", 0, "Since 2026-11-20."],
		["two sites, the latest first", 2, "Since 2026-11-20: https://1.example/, https://0.example/."],
		["many sites, of which eight are named", 10, `Since 2026-11-20: ${[9, 8, 7, 6, 5, 4, 3, 2].map((index) => site(index)).join(", ")} and 2 more.`],
	])("has read %s", (_, count, sentence) => {
		const sites = Array.from({ length: count }, (_one, index) => site(index));
		expect(webReaderSentence({ clientId: "0a1b", client: "Claude", since: "2026-11-20T10:00:00Z", sites }, day)).toBe(sentence);
	});
});

const grant = (changes: object): Grant => reader("Grant")({ grantId: "g", kind: "session", who: "client", what: "tool", until: "stop", sentence: "Claude may use Read without asking, until the bridge stops.", decision: "allow_session", ...changes }, "");

describe("a remembered answer", () => {
	it.each<[string, object, string]>([
		["nothing", {}, ""],
		["since when it holds", { since: "2026-11-20T10:00:00Z" }, "Since 2026-11-20"],
		["what was said with it", { decision: "deny_session", feedback: "not now", since: "2026-11-20T10:00:00Z" }, "You said: not now. Since 2026-11-20"],
		["that it is about one call", { kind: "call" }, "This very call"],
	])("is the bridge's sentence, and below it %s", (_, changes, detail) => {
		expect(grantSentence(grant(changes))).toEqual({ title: "Claude may use Read without asking, until the bridge stops.", detail });
	});
});
