/** Questions for the screen, one for each thing that it has to show. */

const HOUR = 3_600_000;
const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

const tool = { name: "apply_patch", title: "Apply patch", description: "Changes lines of one file, or applies a unified diff.", icon: "file-diff" };

const option = (optionId: string, label: string, sentence: string, changes: object = {}): object => {
	const [decision, what = "call"] = optionId.split(".");
	return { optionId, decision, label, sentence, who: "client", what, tool: null, operation: null, where: [], additions: [], mostFiles: null, until: "stop", expires: null, suggested: false, ...changes };
};

export const once = [
	option("allow_once", "Allow once", "This call alone, exactly as it is shown.", { until: "once" }),
	option("deny_once", "Deny", "This call is refused, and is not asked about again until the bridge stops."),
];

/** Refusing for longer what an edit is about. */
const refusals = [
	option("deny_session.changing.file.client", "Deny for session: changing Projects/Balcony garden.md", "Claude Code may not change Projects/Balcony garden.md any more, until the bridge stops.", { where: ["Projects/Balcony garden.md"] }),
	option("deny_session.tool.everywhere.client", "Deny for session: Apply patch", "Claude Code may not use Apply patch any more, until the bridge stops.", { tool: "apply_patch" }),
	option("deny_always.changing.file.everyone", "Never allow: changing Projects/Balcony garden.md", "No program may change Projects/Balcony garden.md any more, until you take it back.", { who: "everyone", until: "revoked", where: ["Projects/Balcony garden.md"] }),
	option("deny_always.tool.everywhere.everyone", "Never allow: Apply patch", "No program may use Apply patch any more, until you take it back.", { who: "everyone", until: "revoked", tool: "apply_patch" }),
];

/** Answers for longer to a tool that reads, narrowest first of each kind. */
export const reading = [
	once[0],
	option("allow_session.tool.everywhere.client", "Allow for session: Grep", "Claude Code may use Grep without asking, until the bridge stops.", { tool: "grep" }),
	option("allow_session.reading.everywhere.client", "Allow for session: reading this vault", "Claude Code may read every note of this vault, with any tool that only reads, until the bridge stops. Closed notes stay closed.", { suggested: true }),
	option("allow_always.tool.everywhere.client", "Always allow: Grep", "Claude Code may use Grep without asking, until you take it back, or it goes unused for 30 days.", { tool: "grep", until: "unused" }),
	option("allow_always.tool.everywhere.everyone", "Always allow, for every program: Grep", "Any program may use Grep without asking, until you take it back, or it goes unused for 30 days.", { tool: "grep", who: "everyone", until: "unused" }),
	once[1],
	option("deny_session.tool.everywhere.client", "Deny for session: Grep", "Claude Code may not use Grep any more, until the bridge stops.", { tool: "grep" }),
	option("deny_always.tool.everywhere.everyone", "Never allow: Grep", "No program may use Grep any more, until you take it back.", { tool: "grep", who: "everyone", until: "revoked" }),
];

/** Answers for longer to a change that only adds. */
const adding = [
	once[0],
	option("allow_session.tool.folder.client", "Allow for session: Create note on the folder Ideas/", "Claude Code may use Create note on the folder Ideas/ without asking, until the bridge stops. You are not shown the changes before they are made.", { tool: "create_note", operation: "create", where: ["Ideas/"] }),
	option("allow_session.adding.create_append_tag_property.folder.client", "Allow for a while: adding in the folder Ideas/", "Claude Code may create notes and add text, tags and properties in the folder Ideas/ without asking, up to 50 files, until 15:40 at the latest. Nothing that is there may be changed or removed.", { suggested: true, where: ["Ideas/"], additions: ["create", "append", "tag", "property"], mostFiles: 50, until: "time", expires: at(HOUR) }),
	option("allow_session.changing.everywhere.client", "Allow for session: every new file", "Claude Code may create any file without asking, with any content, until the bridge stops. You are not shown the changes before they are made.", { operation: "create" }),
	once[1],
	option("deny_session.changing.file.client", "Deny for session: changing Ideas/Compost.md", "Claude Code may not change Ideas/Compost.md any more, until the bridge stops.", { where: ["Ideas/Compost.md"] }),
];

export function question(changes: Record<string, unknown> = {}): Record<string, unknown> & { requestId: string } {
	return {
		requestId: "c-1",
		client: "Claude Code",
		clientId: "0a1b2c",
		callsItself: "claude-code 2.1",
		verified: true,
		sessionId: "s-1",
		tool,
		riskLevel: "medium",
		riskReasons: ["changes 3 lines"],
		operation: "update",
		summary: "Edit Projects/Balcony garden.md: 3 lines changed",
		reason: "You asked me to bring the plan up to date with what you bought on Saturday.",
		parameters: { path: "Projects/Balcony garden.md", patches: [{ startLine: 3, endLine: 3, newContent: "status: planted" }] },
		targets: ["Projects/Balcony garden.md"],
		options: [...once, ...refusals],
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
	facts: [["Property ", "status", " changed from ", "planned", " to ", "planted"], ["Link now points to ", "Seeds", " instead of ", "Old plan"]],
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

export const read = (changes: object = {}): object =>
	question({
		requestId: "c-read",
		tool: { name: "grep", title: "Grep", description: "Searches the text of all files.", icon: "text-search" },
		riskLevel: "low",
		riskReasons: [],
		operation: "read",
		summary: "Search the text of all files for 'TODO|FIXME'",
		reason: null,
		parameters: { pattern: "TODO|FIXME", contextLines: 2, caseSensitive: false, filePattern: null },
		targets: [],
		options: reading,
		choices: ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"],
		preview: null,
		planDigest: null,
		...changes,
	});

/** A question of a program that nobody gave a name, which claims to be one that somebody did. */
export const unnamed = (changes: object = {}): object =>
	read({ requestId: "c-unnamed", client: "a program without a name of its own, calls itself 'Claude Code'", clientId: "shared", callsItself: "Claude Code", verified: false, ...changes });

/** A new note: for a while, such can be added without a question. */
export const create = (changes: object = {}): object =>
	question({
		requestId: "c-create",
		tool: { name: "create_note", title: "Create note", description: "Creates a note.", icon: "file-plus-2" },
		riskLevel: "low",
		riskReasons: ["only adds"],
		operation: "create",
		summary: "Create Ideas/Compost.md with 4 lines",
		reason: "One note for each idea of the list.",
		parameters: { path: "Ideas/Compost.md" },
		targets: ["Ideas/Compost.md"],
		options: adding,
		choices: ["allow_once", "allow_session", "deny_once", "deny_session"],
		editable: true,
		preview: { files: [{ path: "Ideas/Compost.md", change: "create", newPath: null, added: 4, removed: 0, truncated: false, diff: "--- /dev/null\n+++ Ideas/Compost.md\n@@ -0,0 +1,4 @@\n+# Compost\n+\n+Under the stairs, in the box of [[Balcony garden]].\n+Ready in May.\n" }], backup: null, warnings: [], request: null },
		...changes,
	});

/** A move that many links follow, and a deletion among all that. */
export const many = (links: number): object =>
	question({
		requestId: "c-many",
		tool: { ...tool, name: "move_file", title: "Move file", icon: "file-symlink" },
		riskLevel: "high",
		riskReasons: ["deletes 1 file", `${links} links follow`],
		summary: `Move Plans.md to Archive/Plans.md, with ${links} links in ${links} notes, and delete Old plans.md`,
		expiresAt: at(HOUR),
		preview: {
			files: [
				{ path: "Plans.md", change: "move", newPath: "Archive/Plans.md", added: 0, removed: 0, diff: "", truncated: false },
				...Array.from({ length: links }, (_, index) => ({ path: `Many/N${index}.md`, change: "modify", newPath: null, added: 1, removed: 1, truncated: false, follows: true, links: 1, diff: `--- Many/N${index}.md\n+++ Many/N${index}.md\n@@ -1,2 +1,2 @@\n # N${index}\n-See [[Plans]].\n+See [[Archive/Plans]].\n` })),
				{ path: "Archive", change: "mkdir", newPath: null, added: 0, removed: 0, diff: "", truncated: false },
				{ path: "Old plans.md", change: "delete", newPath: null, added: 0, removed: 2, truncated: false, diff: "--- Old plans.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# Old plans\n-All of last year.\n" },
			],
			backup: ".vault-bridge/backups/move-77aa/",
			warnings: [],
			request: null,
		},
	});

export const network = (): object =>
	question({
		requestId: "c-net",
		tool: { name: "web_fetch", title: "Web fetch", description: "Fetches one page. The address is sent to that server.", icon: "globe" },
		riskLevel: "medium",
		operation: "network",
		summary: "Fetch https://example.org/tomatoes",
		parameters: { url: "https://example.org/tomatoes", format: "markdown" },
		targets: ["example.org"],
		options: once,
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
		editable: true,
		preview: {
			files: [{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, diff: "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first new\n b\n@@ -90,3 +90,3 @@ # Two\n c\n-second old\n+second new\n d\n" }],
			backup: null,
			warnings: [],
			request: null,
		},
	});

/** What a draft comes to: a move with the links that follow it, a merge, and changes of their own. */
export const staged: readonly object[] = [
	{ path: "Plans.md", change: "move", newPath: "Archive/Plans.md", added: 1, removed: 1, truncated: false, unit: "1", diff: "--- Plans.md\n+++ Archive/Plans.md\n@@ -1,3 +1,3 @@\n # Plans\n-For this year.\n+For last year.\n \n" },
	{ path: "Archive", change: "mkdir", newPath: null, added: 0, removed: 0, diff: "", truncated: false },
	...["Home", "Garden"].map((name) => ({ path: `${name}.md`, change: "modify", newPath: null, added: 1, removed: 1, truncated: false, follows: true, links: 1, unit: "1", diff: `--- ${name}.md\n+++ ${name}.md\n@@ -1,2 +1,2 @@\n # ${name}\n-See [[Plans]].\n+See [[Archive/Plans]].\n` })),
	{ path: "Seeds.md", change: "modify", newPath: null, added: 1, removed: 0, truncated: false, unit: "2", diff: "--- Seeds.md\n+++ Seeds.md\n@@ -1,2 +1,3 @@\n # Seeds\n Tomatoes.\n+Basil.\n" },
	{ path: "Seeds (copy).md", change: "delete", newPath: null, added: 0, removed: 1, truncated: false, unit: "2", diff: "--- Seeds (copy).md\n+++ /dev/null\n@@ -1 +0,0 @@\n-Basil.\n" },
	{ path: "Jam.md", change: "move", newPath: "Plum jam.md", added: 0, removed: 0, diff: "", truncated: false, unit: "3" },
	{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, diff: "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first new\n b\n@@ -90,3 +90,3 @@ # Two\n c\n-second old\n+second new\n d\n" },
	{ path: "New.md", change: "create", newPath: null, added: 1, removed: 0, truncated: false, diff: "--- /dev/null\n+++ New.md\n@@ -0,0 +1 @@\n+#new\n" },
];

/** A draft that is submitted. */
export const submitted = (changes: object = {}): object =>
	question({
		requestId: "c-draft",
		tool: { name: "draft", title: "Draft", description: "Work on many files with one question.", icon: "git-pull-request-draft" },
		summary: "Take the draft of Claude Code, 8 files",
		reason: "The archive of last year, as you asked.",
		parameters: { action: "submit" },
		targets: [],
		options: once,
		choices: ["allow_once", "deny_once"],
		hunksSupported: true,
		draft: "draft-0a1b2c3d",
		preview: { files: staged, backup: ".vault-bridge/backups/draft-77aa/", warnings: [], request: null },
		...changes,
	});

/** One that is put again, and where others changed the same meanwhile. */
export const putAgain = (): object => ({
	...submitted(),
	requestId: "c-again",
	editable: true,
	preview: {
		files: [
			{ path: "Long.md", change: "modify", newPath: null, added: 2, removed: 2, truncated: false, yours: true, since: "changed", newer: "--- Long.md\n+++ Long.md\n@@ -4 +4 @@\n-first try\n+first new\n", diff: "--- Long.md\n+++ Long.md\n@@ -3,3 +3,3 @@ # One\n a\n-first old\n+first new\n b\n@@ -90,3 +90,4 @@ # Two\n c\n second theirs\n+second ours\n d\n" },
			{ path: "New.md", change: "create", newPath: null, added: 1, removed: 0, truncated: false, since: "same", diff: "--- /dev/null\n+++ New.md\n@@ -0,0 +1 @@\n+#new\n" },
		],
		backup: null,
		warnings: ["'Long.md' was changed by somebody else meanwhile; that stays"],
		request: null,
		conflicts: [
			{ placeId: "p-1", path: "Long.md", why: "has been edited in the same place meanwhile", line: 91, vault: "second theirs\n", draft: "second ours\n", offers: ["vault", "draft", "both"], taken: null },
			{ placeId: "p-2", path: "Gone.md", why: "is not there any more", line: null, vault: "", draft: "# Gone\n", offers: ["vault", "draft"], taken: "vault" },
		],
	},
});

const hoursAgo = (hours: number): string => at(-hours * HOUR);

/** A draft as the list has it. */
export const drafted = (changes: object = {}): object => ({
	draftId: "draft-0a1b2c3d",
	client: "Claude Code",
	clientId: "0a1b2c",
	created: hoursAgo(2),
	touched: hoursAgo(1),
	steps: [
		{ tool: "move_file", summary: "Move Plans.md to Archive/Plans.md, with 2 links in 2 notes", time: hoursAgo(2) },
		{ tool: "merge_notes", summary: "Merge Seeds (copy).md into Seeds.md", time: hoursAgo(1.5) },
		{ tool: "create_note", summary: "Create New.md with 1 line", time: hoursAgo(1) },
	],
	files: ["Archive/Plans.md", "Garden.md", "Home.md", "Long.md", "New.md", "Plum jam.md", "Seeds (copy).md", "Seeds.md"],
	...changes,
});

/** Everything that a hostile client or note could put into a question. */
export function hostile(): object {
	const script = "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>";
	const bidi = "safe\u202egnp.exe\u202c \u2066hidden\u2069 zero\u200bwidth";
	const long = "x".repeat(1_000_000);
	return question({
		requestId: "c-hostile",
		client: `${script}${bidi}`,
		callsItself: `${bidi}${script}`,
		riskReasons: [`${script} ${bidi}`],
		options: [...once, option("allow_session.tool.everywhere.client", `${script}${bidi}`, `${bidi} ${script} may do everything.`)],
		choices: ["allow_once", "allow_session", "deny_once"],
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

/** What waits for the person: a draft that was handed in at ten past two. */
export const handedIn = (changes: object = {}): object => {
	const since = new Date();
	since.setHours(2, 10, 0, 0);
	return { kind: "draft", client: "Claude Code", clientId: "0a1b2c", count: 1, since: since.toISOString(), files: 12, summary: "Create Night/One.md with 4 lines, and 11 more", reason: null, keptUntil: new Date(Date.now() + 30 * 24 * HOUR).toISOString(), ids: ["draft-0a1b2c3d"], questions: [], ...changes };
};

/** The inbox after a night: something of each kind, and a flood of one agent. */
export const night = (): object[] => [
	handedIn(),
	handedIn({ kind: "left", client: "Tablet", clientId: "t", files: 3, summary: "Move Plans.md to Archive/Plans.md, with 2 links in 2 notes", ids: ["draft-4e5f"] }),
	handedIn({ kind: "question", files: 0, summary: "Fetch https://docs.obsidian.md/plugins", reason: "The page says how the folder of a plugin is called.", keptUntil: new Date(Date.now() + 20 * HOUR).toISOString(), ids: ["c-1"], questions: ["c-1"] }),
	handedIn({ kind: "question", client: "a program without a name of its own", clientId: "shared", count: 25, files: 40, summary: "25 questions", ids: ["c-2"], questions: ["c-2"] }),
	handedIn({ kind: "changes", client: "Another program", clientId: "", files: 17, summary: "17 notes changed, 3 deleted", ids: ["outside-1", "outside-2"] }),
];
