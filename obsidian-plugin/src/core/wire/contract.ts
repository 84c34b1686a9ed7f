/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

/** The content of `bridge.json`: where the bridge is, and where its tokens are. No secret: vaults are synced. */
export interface Beacon {
	url: string;
	http: string;
	pid: number;
	version: string;
	runDir: string;
}

/** What `consent.respond` returns. `outcome` and `by` tell of the question's end, whoever ended it. */
export interface ConsentReply {
	accepted: boolean;
	outcome: Outcome | null;
	by: string | null;
	reason: string | null;
	planDigest: string | null;
}

/** One open question. Times are ISO 8601 UTC. */
export interface ConsentRequest {
	requestId: string;
	client: string;
	sessionId: string;
	tool: ToolFace;
	riskLevel: RiskLevel;
	operation: Operation;
	summary: string;
	reason: string | null;
	parameters: Record<string, unknown>;
	targets: string[];
	covers: Covers;
	canBypass: boolean;
	choices: Decision[];
	preview: Preview | null;
	planDigest: string | null;
	hunksSupported: boolean;
	createdAt: string;
	expiresAt: string;
	scope: Scope | null;
	brief: boolean;
}

/** What an answer that is remembered holds for: every use of the tool, or the target shown. */
export const Covers = ["tool", "target"] as const;
export type Covers = (typeof Covers)[number];

/** Seed O, "User Response Options". */
export const Decision = ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"] as const;
export type Decision = (typeof Decision)[number];

/** The files of the question that are open, and those of them with text that is not on disk yet. */
export interface DirtyAnswer {
	open: string[];
	unsaved: string[];
}

/** `host.dirty`: which of these files are open in an editor, and which of those hold text that is not saved? */
export interface DirtyQuestion {
	paths: string[];
}

/** The content of `agent.json` and `host.json`. Tokens are new at every start. */
export interface Endpoint {
	url: string;
	http: string;
	token: string;
	pid: number;
	version: string;
}

/** What will happen to one file. `diff` is a unified diff of exactly the bytes that will be written. */
export interface FilePreview {
	path: string;
	change: "create" | "modify" | "move" | "delete" | "mkdir" | "rmdir";
	newPath: string | null;
	added: number;
	removed: number;
	diff: string;
	truncated: boolean;
}

/** One answer that holds. */
export interface Grant {
	grantId: string;
	kind: "session" | "call" | "auto" | "file" | "mode";
	client: string | null;
	sessionId: string | null;
	tool: string | null;
	target: string | null;
	operation: string | null;
	decision: Decision;
	feedback: string | null;
	since: string | null;
	expires: string | null;
}

/** One file that is open in an editor. `expected` is the sha256 of the bytes as they are, in hex. */
export interface HostWrite {
	path: string;
	expected: string;
	content: string;
}

/** What became of the comparison of some notes. */
export interface IndexComparison {
	compared: number;
	links: number;
	tags: number;
	differences: IndexDifference[];
	more: number;
	uncompared: UncomparedNote[];
}

/** One thing of which Obsidian and the bridge do not say the same. */
export interface IndexDifference {
	path: string;
	kind: "link" | "unresolved" | "tag" | "tag_order" | "note";
	target: string;
	obsidian: number;
	bridge: number;
}

/** What Obsidian's `metadataCache` says of one note. */
export interface ObsidianFacts {
	resolved: Record<string, number>;
	unresolved: Record<string, number>;
	tags: string[] | null;
	mtime: number;
	size: number;
}

/** What a tool does to the world (seed C's operation types, plus the outside world). */
export const Operation = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof Operation)[number];

/** How a question ended. There is exactly one outcome a question. */
export const Outcome = ["allowed", "denied", "timed_out", "cancelled", "stale"] as const;
export type Outcome = (typeof Outcome)[number];

/** What the person sees before a write, or the exact request or command of another effect. */
export interface Preview {
	files: FilePreview[];
	backup: string | null;
	warnings: string[];
	request: string | null;
}

/** Seed L, "Risk-Based Consent". */
export const RiskLevel = ["safe", "low", "medium", "high"] as const;
export type RiskLevel = (typeof RiskLevel)[number];

/** The call in seed C's terms ("PermissionScope"). */
export interface Scope {
	kind: "read_in_scope" | "read_out_of_scope" | "write_create" | "write_update" | "write_delete" | "admin";
	target: string | null;
	sizeBytes: number | null;
	hasBacklinks: boolean | null;
	operation: string | null;
	affectsCount: number | null;
}

/** The tool as the question shows it. */
export interface ToolFace {
	name: string;
	title: string;
	description: string;
	icon: string;
}

/** One result for each path of the question. */
export interface TrashAnswer {
	results: TrashResult[];
}

/** `host.trash`: put these where the user's deleted files go (Obsidian's setting decides where). */
export interface TrashQuestion {
	paths: string[];
}

/** What became of one file. */
export interface TrashResult {
	path: string;
	outcome: "trashed" | "missing" | "failed";
}

/** A note that cannot be compared now, and so says nothing about either index. */
export interface UncomparedNote {
	path: string;
	reason: "unsaved" | "changed" | "unread";
}

/** One result for each change of the question. */
export interface WriteAnswer {
	results: WriteResult[];
}

/** `host.write`: write these, if they hold what is expected. After `expires_at` nothing may be written any more. */
export interface WriteQuestion {
	changes: HostWrite[];
	expiresAt: string;
}

/** What became of one file. */
export interface WriteResult {
	path: string;
	outcome: "written" | "stale" | "unsaved" | "missing" | "failed";
}
