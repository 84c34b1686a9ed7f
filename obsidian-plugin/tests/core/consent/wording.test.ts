import { describe, expect, it } from "vitest";
import { extentOf, reachesOf, whomOf } from "../../../src/core/consent/extent";
import { extentSentence, outcomeSentence, reachLabel, whomLabel } from "../../../src/core/consent/wording";
import { readConsentRequest, type ConsentRequest } from "../../../src/core/wire/consent";
import type { Decision, Reach } from "../../../src/core/wire/contract";
import { question } from "../samples";

it.each([
	["allow_once", "vault-bridge approve", "It was allowed in vault-bridge approve."],
	["denied", null, "It was denied."],
	["timed_out", null, "Nobody answered in time, so it was refused."],
	["cancelled", "x", "The client withdrew it."],
	[null, null, "The bridge stopped before it was answered, so nothing was done."],
	["vanished", null, "It ended: vanished."],
])("a question that ended with %s", (outcome, by, sentence) => {
	expect(outcomeSentence(outcome, by)).toBe(sentence);
});

const ALL: readonly Decision[] = ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"];
const asked = (changes: object): ConsentRequest => readConsentRequest({ ...question, choices: ALL, ...changes }, "");

const tool = { name: "read", title: "Read", description: "", icon: "file" };
const ladder = [
	{ reach: "file", keys: ["Notes/a.md"], label: "Notes/a.md" },
	{ reach: "folder", keys: ["Notes/"], label: "the folder Notes/" },
	{ reach: "vault", keys: ["/"], label: "the whole vault" },
];
const named = asked({ tool, operation: "read", covers: "tool", client: "Claude", clientId: "0a1b", verified: true, targets: ["Notes/a.md"], ladder });
const unnamed = asked({ tool, operation: "read", covers: "tool", client: "a program without a name of its own", clientId: "shared", targets: ["Notes/a.md"], ladder });
const ours = asked({ tool, operation: "read", covers: "tool", client: "Obsidian", clientId: "host", verified: true, targets: [], ladder: [] });
const older = asked({ tool, operation: "read", covers: "tool", targets: ["a"] });
const olderTargets = asked({ covers: "target", targets: ["a", "b", "c", "d", "e"] });
const edit = asked({ operation: "update", covers: "target", client: "Claude", clientId: "0a1b", verified: true, targets: ["a", "b", "c", "d"], ladder: [{ reach: "file", keys: ["a", "b", "c", "d"], label: "these 4" }, { reach: "vault", keys: ["/"], label: "the whole vault" }] });
const fetched = asked({ tool: { ...tool, title: "Web fetch" }, operation: "network", covers: "target", client: "Claude", clientId: "0a1b", verified: true, targets: ["https://example.org/a"], ladder: [{ reach: "page", keys: ["https://example.org/a"], label: "https://example.org/a" }, { reach: "site", keys: ["https://example.org/"], label: "the site example.org" }] });
const run = asked({ tool: { ...tool, title: "Run" }, operation: "execute", covers: "target", client: "Claude", clientId: "0a1b", verified: true, targets: ["/bin/ls -l"], ladder: [{ reach: "command", keys: ["command:/bin/ls -l"], label: "command:/bin/ls -l" }, { reach: "executable", keys: ["/bin/ls"], label: "every use of /bin/ls" }] });

describe("what an answer does, to whom, where and until when", () => {
	it.each<[string, ConsentRequest, Decision, Reach | null, boolean | null, string]>([
		["a yes for once", named, "allow_once", null, null, "This call alone."],
		["a no for once", named, "deny_once", null, null, "This call, which is then not asked about again until the bridge stops."],
		["the session of a program with a name", named, "allow_session", null, null, "every use of Read by Claude until the bridge stops."],
		["one note of it", named, "allow_session", "file", null, "Read for Notes/a.md by Claude until the bridge stops."],
		["its denial", named, "deny_session", "folder", null, "Read for the folder Notes/ by Claude until the bridge stops."],
		["a connection", unnamed, "allow_session", null, null, "every use of Read by this program until it disconnects."],
		["a denial of programs without names", unnamed, "deny_session", null, null, "every use of Read by programs without a name of their own until the bridge stops."],
		["always, for one", named, "allow_always", null, false, "every use of Read by Claude until you take it back, or it lapses unused."],
		["always, for those without a name", unnamed, "allow_always", "folder", false, "Read for the folder Notes/ by programs without a name of their own until you take it back, or it lapses unused."],
		["always, for all", named, "allow_always", null, true, "every use of Read by every program until you take it back, or it lapses unused."],
		["always, for all in a folder", named, "allow_always", "folder", true, "reading the folder Notes/ with any tool by every program until you take it back, or it lapses unused."],
		["never, for all", named, "deny_always", null, true, "every use of Read by every program until you take it back."],
		["never, for all in the vault", named, "deny_always", "vault", true, "reading the whole vault with any tool by every program until you take it back."],
		["never, for one", named, "deny_always", "file", false, "Read for Notes/a.md by Claude until you take it back."],
		["the person's own programs", ours, "allow_session", null, null, "every use of Read by your own programs until the bridge stops."],
		["several files", edit, "deny_session", "file", null, "Apply Patch for a, b, c and 1 more by Claude until the bridge stops."],
		["several files, for all", edit, "deny_always", "file", true, "changing a, b, c and 1 more with any tool by every program until you take it back."],
		["a site, for all", fetched, "allow_always", "site", true, "requests to the site example.org with any tool by every program until you take it back, or it lapses unused."],
		["a program of the machine, for all", run, "deny_always", "executable", true, "running /bin/ls with any tool by every program until you take it back."],
		["a program of the machine", run, "allow_session", "executable", null, "Run for every use of /bin/ls by Claude until the bridge stops."],
		["an older bridge", older, "allow_session", null, null, "every use of Read by this client until the bridge stops."],
		["an older bridge, always", older, "allow_always", null, null, "every use of Read by every program until you take it back, or it lapses unused."],
		["an older bridge with targets", olderTargets, "deny_session", null, null, "Apply Patch for a, b, c and 2 more by this client until the bridge stops."],
	])("%s", (_, request, decision, reach, everyone, sentence) => {
		expect(extentSentence(request, decision, { reach, everyone })).toBe(sentence);
	});

	it("shows the end of a very long name, by which it is known", () => {
		const label = `${"x".repeat(500)}/end.md`;
		const long = asked({ covers: "target", clientId: "0a1b", verified: true, client: "Claude", ladder: [{ reach: "file", keys: [label], label }] });
		const sentence = extentSentence(long, "deny_session", { reach: "file", everyone: null });
		expect([sentence.length < 250, sentence.includes("/end.md")]).toEqual([true, true]);
	});
});

describe("what can be chosen", () => {
	it("begins with the narrowest, and with every use where the tool is what counts", () => {
		expect(reachesOf(named).map((one) => reachLabel(named, one))).toEqual(["Every use of Read", "Notes/a.md", "The folder Notes/", "The whole vault"]);
		expect(reachesOf(edit).map((one) => reachLabel(edit, one))).toEqual(["These 4", "The whole vault"]);
		expect([reachesOf(older), reachesOf(ours)]).toEqual([[null], [null]]);
	});

	it("is for whom always and never hold, where the bridge knows programs and offers such an answer", () => {
		expect(whomOf(named).map((one) => whomLabel(named, one))).toEqual(["Allow this program, deny all", "Only Claude", "Every program"]);
		expect(whomOf(unnamed).map((one) => whomLabel(unnamed, one))[1]).toBe("Only programs without a name of their own");
		expect(whomOf({ ...named, choices: ["allow_once", "deny_always"] })).toEqual(["all", "one"]);
		expect([whomOf({ ...named, choices: ["allow_once", "deny_once"] }), whomOf(older)]).toEqual([[], []]);
	});

	it.each<[Decision, "usual" | "one" | "all" | undefined, boolean | null]>([
		["allow_always", "usual", false],
		["deny_always", "usual", true],
		["allow_always", "all", true],
		["deny_always", "one", false],
		["allow_session", "all", null],
		["deny_session", "one", null],
		["allow_always", undefined, null],
	])("makes of %s for %s: everyone %s", (decision, whom, everyone) => {
		expect(extentOf(decision, "file", whom)).toEqual({ reach: "file", everyone });
	});

	it("is nothing for an answer for once", () => {
		expect([extentOf("allow_once", "file", "all"), extentOf("deny_once", "vault", "one")]).toEqual([{ reach: null, everyone: null }, { reach: null, everyone: null }]);
	});
});
