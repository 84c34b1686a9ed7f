/** Questions for the screen, one for each thing that it has to show. */

const HOUR = 3_600_000;
const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

const tool = { name: "apply_patch", title: "Apply patch", description: "Changes lines of one file, or applies a unified diff.", icon: "file-diff" };

export function question(changes: Record<string, unknown> = {}): Record<string, unknown> & { requestId: string } {
	return {
		requestId: "c-1",
		client: "Claude Code",
		sessionId: "s-1",
		tool,
		riskLevel: "high",
		operation: "update",
		summary: "Edit Projects/Balcony garden.md: 3 lines changed",
		reason: "You asked me to bring the plan up to date with what you bought on Saturday.",
		parameters: { path: "Projects/Balcony garden.md", patches: [{ startLine: 3, endLine: 3, newContent: "status: planted" }] },
		targets: ["Projects/Balcony garden.md"],
		covers: "target",
		canBypass: false,
		choices: ["allow_once", "deny_once", "deny_session", "deny_always"],
		preview: { files: [edit], backup: ".vault-bridge/backups/patch-1f0c9a/", warnings: ["2 notes link here"], request: null },
		planDigest: "sha256:0123",
		createdAt: at(0),
		expiresAt: at(5 * 60_000),
		...changes,
	};
}

export const edit = {
	path: "Projects/Balcony garden.md",
	change: "modify",
	newPath: null,
	added: 4,
	removed: 3,
	truncated: false,
	diff: `--- Projects/Balcony garden.md
+++ Projects/Balcony garden.md
@@ -1,16 +1,17 @@
 ---
 tags: [project]
-status: planned
+status: planted
 ---
 # Balcony garden
 
-The tomatoes go into the long box by the wall, as [[Old plan|the plan]] says, and the basil stands beside them.
+The tomatoes went into the long box by the wall, as [[Seeds|the plan]] says, and the basil stands beside them.
 
 ## Shopping
 
 - [x] Earth, 40 litres
 - [x] Tomatoes, three kinds
 - [ ] String
-- [ ] Watering can
+- [x] Watering can
+- [ ] Fertiliser for tomatoes  
 
 Everything else is in the cellar already.
`,
};

export const read = (): object =>
	question({
		requestId: "c-read",
		tool: { name: "grep", title: "Grep", description: "Searches the text of all files.", icon: "text-search" },
		riskLevel: "low",
		operation: "read",
		summary: "Search the text of all files for 'TODO|FIXME'",
		reason: null,
		parameters: { pattern: "TODO|FIXME", contextLines: 2, caseSensitive: false, filePattern: null },
		targets: [],
		covers: "tool",
		choices: ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"],
		preview: null,
		planDigest: null,
	});

/** A question of a bridge that knows single programs and where an answer reaches. */
export const named = (changes: object = {}): object => ({
	...read(),
	requestId: "c-named",
	client: "Claude Code",
	clientId: "0a1b2c",
	callsItself: "claude-code 2.1",
	verified: true,
	targets: ["Projects/Balcony garden.md"],
	touches: [{ kind: "file", label: "Projects/Balcony garden.md" }],
	ladder: [
		{ reach: "file", keys: ["Projects/Balcony garden.md"], label: "Projects/Balcony garden.md" },
		{ reach: "folder", keys: ["Projects/"], label: "the folder Projects/" },
		{ reach: "vault", keys: ["/"], label: "the whole vault" },
	],
	...changes,
});

/** The same of a program that nobody gave a name, which claims to be one that somebody did. */
export const unnamed = (changes: object = {}): object =>
	named({ requestId: "c-unnamed", client: "a program without a name of its own, calls itself 'Claude Code'", clientId: "shared", callsItself: "Claude Code", verified: false, ...changes });

export const network = (): object =>
	question({
		requestId: "c-net",
		tool: { name: "web_fetch", title: "Web fetch", description: "Fetches one page. The address is sent to that server.", icon: "globe" },
		riskLevel: "medium",
		operation: "network",
		summary: "Fetch https://example.org/tomatoes",
		parameters: { url: "https://example.org/tomatoes", format: "markdown" },
		targets: ["example.org"],
		choices: ["allow_once", "allow_session", "allow_always", "deny_once", "deny_always"],
		preview: { files: [], backup: null, warnings: [], request: "GET https://example.org/tomatoes\naccept: text/html\nuser-agent: vault-bridge/0.1" },
		planDigest: null,
	});

export const files = (): object =>
	question({
		requestId: "c-files",
		tool: { ...tool, name: "organize_note", title: "Organize note" },
		summary: "Move Projects/Book club.md to Archive/Book club.md and rewrite 2 links",
		preview: {
			files: [
				{ path: "Projects/Book club.md", change: "move", newPath: "Archive/Book club.md", added: 0, removed: 0, diff: "", truncated: false },
				{ path: "Welcome.md", change: "modify", newPath: null, added: 1, removed: 1, truncated: false, diff: "--- Welcome.md\n+++ Welcome.md\n@@ -7,3 +7,3 @@\n Read on:\n-- [[Projects/Book club]] meets on Fridays\n+- [[Archive/Book club]] meets on Fridays\n - [[Reading list]]\n" },
				{ path: "Archive", change: "mkdir", newPath: null, added: 0, removed: 0, diff: "", truncated: false },
				{ path: "Projects/Old.md", change: "delete", newPath: null, added: 0, removed: 2, truncated: false, diff: "--- Projects/Old.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# Old\n-Nothing of worth.\n" },
			],
			backup: ".vault-bridge/backups/organize-77aa/",
			warnings: ["Projects/Book club.md has unsaved text in an editor"],
			request: null,
		},
	});

export const hunks = (): object =>
	question({
		requestId: "c-hunks",
		hunksSupported: true,
		preview: {
			files: [{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, diff: "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first new\n b\n@@ -90,3 +90,3 @@ # Two\n c\n-second old\n+second new\n d\n" }],
			backup: null,
			warnings: [],
			request: null,
		},
	});

/** Everything that a hostile client or note could put into a question. */
export function hostile(): object {
	const script = "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>";
	const bidi = "safe\u202egnp.exe\u202c \u2066hidden\u2069 zero\u200bwidth";
	const long = "x".repeat(1_000_000);
	return question({
		requestId: "c-hostile",
		client: `${script}${bidi}`,
		tool: { name: script, title: `${script} ${bidi}`, description: `${script} ${long}`, icon: "x' onload='alert(1)" },
		summary: `${bidi} ${script} ${long}`,
		reason: `${script} [Allow](javascript:alert(1)) ${long}`,
		parameters: { [script]: bidi, nested: { [bidi]: [script, long] }, text: `${script}${long}` },
		targets: [bidi, script, long],
		preview: {
			files: [{ path: `${bidi}/${script}.md`, change: "modify", newPath: null, added: 1, removed: 1, truncated: true, diff: `--- a\n+++ a\n@@ -1,2 +1,2 @@ ${script}\n-${bidi} old\n+${script} ${bidi} new\n ${long}\n` }],
			backup: script,
			warnings: [`${script} ${bidi} ${long}`],
			request: `${script}\n${long}`,
		},
	});
}

/** A rewrite of a very long note. */
export function huge(lines: number): object {
	const words = "the quick brown fox jumps over the lazy dog and runs into the dark green forest".split(" ");
	const line = (seed: number): string => Array.from({ length: 12 }, (_, index) => words[(seed * 7 + index * 3) % words.length]).join(" ");
	const rows: string[] = [`@@ -1,${lines} +1,${lines} @@`];
	for (let number = 0; number < lines; number += 2) rows.push(` ${line(number)}`, `-${line(number + 1)} old`, `+${line(number + 1)} new`);
	return question({
		requestId: "c-huge",
		expiresAt: at(HOUR),
		preview: { files: [{ path: "Huge.md", change: "modify", newPath: null, added: lines / 2, removed: lines / 2, truncated: false, diff: `--- Huge.md\n+++ Huge.md\n${rows.join("\n")}\n` }], backup: null, warnings: [], request: null },
	});
}
