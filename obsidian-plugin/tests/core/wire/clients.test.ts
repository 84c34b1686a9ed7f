import { describe, expect, it } from "vitest";
import { capabilitySentence, presenceSentence } from "../../../src/core/wire/clients";
import type { ClientInfo, Grant } from "../../../src/core/wire/contract";
import { grantSentence } from "../../../src/core/wire/grants";
import { readClientInfo, readGrant } from "../../../src/core/wire/readers";

const client = (changes: object = {}): ClientInfo => readClientInfo({ clientId: "0a1b", name: "Claude", capabilities: ["call"], added: "2026-11-20T08:00:00Z", ...changes }, "");

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

const grant = (changes: object): Grant => readGrant({ grantId: "g", kind: "session", tool: "read", decision: "allow_session", ...changes }, "");
const nameless = "a program without a name of its own, calls itself 'X'";

describe("a remembered answer", () => {
	it.each<[string, object, string, string]>([
		["of a program with a name", { client: "Claude", clientId: "0a1b" }, "Allowed: read", "Claude, until the bridge stops"],
		["of a connection", { client: nameless, clientId: "shared" }, "Allowed: read", "A program without a name of its own, calls itself 'X', until it disconnects"],
		["that denies programs without a name", { client: nameless, clientId: "shared", decision: "deny_session" }, "Denied: read", "Every program without a name of its own, until the bridge stops"],
		["for good, of one program, in a folder", { kind: "client", client: "Claude", clientId: "0a1b", target: "Notes/", reach: "folder", decision: "allow_always" }, "Allowed: read on the folder Notes/", "Claude, until you take it back"],
		["for good, of programs without a name", { kind: "client", client: "shared", clientId: "shared", target: "/", reach: "vault", decision: "deny_always" }, "Denied: read on the whole vault", "Every program without a name of its own, until you take it back"],
		["for all", { kind: "file", tool: null, operation: "read", target: "/", decision: "allow_always", expires: "2026-12-20T00:00:00Z" }, "Allowed: read on the whole vault", "Every program, until 2026-12-20 if it is not used"],
		["for all, in a folder", { kind: "file", tool: null, operation: "read", target: "Diary/", decision: "deny_always" }, "Denied: read on the folder Diary/", "Every program, until you take it back"],
		["about a site", { client: "Claude", clientId: "0a1b", target: "https://example.org/", reach: "site" }, "Allowed: read on the site example.org", "Claude, until the bridge stops"],
		["about a page", { client: "Claude", clientId: "0a1b", target: "https://example.org/a", reach: "page" }, "Allowed: read on https://example.org/a", "Claude, until the bridge stops"],
		["about a server's tool", { client: "Claude", clientId: "0a1b", target: "mcp://git/log", reach: "tool" }, "Allowed: read on the tool log of the server git", "Claude, until the bridge stops"],
		["about a server", { client: "Claude", clientId: "0a1b", target: "mcp://git/", reach: "server" }, "Allowed: read on every tool of the server git", "Claude, until the bridge stops"],
		["about a command", { client: "Claude", clientId: "0a1b", target: "command:/bin/ls -l", reach: "command" }, "Allowed: read on /bin/ls -l", "Claude, until the bridge stops"],
		["with a reach of a later version", { client: "Claude", clientId: "0a1b", target: "x", reach: "galaxy" }, "Allowed: read on x", "Claude, until the bridge stops"],
	])("%s says who, where and until when", (_, changes, title, detail) => {
		expect(grantSentence(grant(changes))).toEqual({ title, detail });
	});
});
