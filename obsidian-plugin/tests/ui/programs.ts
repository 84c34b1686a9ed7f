/** Programs that a person has added, and what is remembered of them. */

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

export const claude = { clientId: "0a1b2c", name: "Claude Code", callsItself: "claude-code 2.1", capabilities: ["call"], added: "2026-11-02T09:00:00Z", lastSeen: ago(3), connected: 1 };
export const ollama = { clientId: "3d4e5f", name: "Kitchen tablet", callsItself: null, capabilities: ["call", "answer", "administer"], added: "2026-10-20T09:00:00Z", lastSeen: "2026-11-01T19:20:00Z", connected: 0 };

export const grants = [
	{ grantId: "c-1", kind: "client", client: "Claude Code", clientId: "0a1b2c", tool: "read", target: "Projects/", reach: "folder", decision: "allow_always", expires: "2026-12-20T10:00:00Z" },
	{ grantId: "s-1", kind: "session", client: "Claude Code", clientId: "0a1b2c", sessionId: "0a1b2c", tool: "grep", target: null, decision: "allow_session" },
	{ grantId: "s-2", kind: "session", client: "a program without a name of its own, calls itself 'Claude Code'", clientId: "shared", sessionId: "shared", tool: "find", target: null, decision: "deny_session" },
	{ grantId: "f-r-Diary/", kind: "file", client: null, target: "Diary/", operation: "read", decision: "deny_always" },
];
