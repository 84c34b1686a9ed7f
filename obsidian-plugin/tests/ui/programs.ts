/** Programs that a person has added, and what is remembered of them. */

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

export const claude = { clientId: "0a1b2c", name: "Claude Code", callsItself: "claude-code 2.1", capabilities: ["call"], preset: "agent", added: "2026-11-02T09:00:00Z", lastSeen: ago(3), connected: 1 };
export const ollama = { clientId: "3d4e5f", name: "Kitchen tablet", callsItself: null, capabilities: ["call", "answer", "administer"], preset: null, added: "2026-10-20T09:00:00Z", lastSeen: "2026-11-01T19:20:00Z", connected: 0 };

const anything = { tool: null, operation: null, where: [], additions: [], mostFiles: null, usedFiles: null, expires: null, feedback: null, sessionId: null, since: "2026-11-20T10:00:00Z" };

export const grants = [
	{ ...anything, grantId: "c-1", kind: "client", client: "Claude Code", clientId: "0a1b2c", who: "client", what: "reading", where: ["Projects/"], until: "unused", decision: "allow_always", expires: "2026-12-20T10:00:00Z", sentence: "Claude Code may read every note in the folder Projects/, with any tool that only reads, until you take it back, or it goes unused for 30 days. Closed notes stay closed." },
	{ ...anything, grantId: "s-1", kind: "session", client: "Claude Code", clientId: "0a1b2c", sessionId: "0a1b2c", who: "client", what: "tool", tool: "grep", until: "stop", decision: "allow_session", sentence: "Claude Code may use Grep without asking, until the bridge stops." },
	{ ...anything, grantId: "s-2", kind: "session", client: "a program without a name of its own, calls itself 'Claude Code'", clientId: "shared", sessionId: "shared", who: "client", what: "tool", tool: "find", until: "stop", decision: "deny_session", sentence: "Programs without a name of their own may not use Find any more, until the bridge stops." },
	{ ...anything, grantId: "f-r-Diary/", kind: "file", client: null, clientId: null, who: "everyone", what: "reading", where: ["Diary/"], until: "revoked", decision: "deny_always", sentence: "No program may read the folder Diary/ any more, until you take it back. It is then in no list and no search either." },
];

/** Programs that have read from the web, as the bridge lists them: the latest site last. */
export const webReaders = [
	{ clientId: "0a1b2c", client: "Claude Code", since: "2026-11-20T10:00:00Z", sites: ["https://docs.obsidian.md/", "https://en.wikipedia.org/"] },
	{ clientId: "shared", client: "a program without a name of its own, calls itself 'Codex'", since: "2026-11-19T10:00:00Z", sites: [] },
];
