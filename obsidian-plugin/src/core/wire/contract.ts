/** Written by scripts/wire-types from the bridge's models. Do not edit. */

export const Covers = ["tool", "target"] as const;
export type Covers = (typeof Covers)[number];

export const Decision = ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"] as const;
export type Decision = (typeof Decision)[number];

export const Operation = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof Operation)[number];

export const Outcome = ["allowed", "denied", "timed_out", "cancelled", "stale"] as const;
export type Outcome = (typeof Outcome)[number];

export const RiskLevel = ["safe", "low", "medium", "high"] as const;
export type RiskLevel = (typeof RiskLevel)[number];

export interface ToolFace {
	name: string;
	title: string;
	description: string;
	icon: string;
}

export interface FilePreview {
	path: string;
	change: "create" | "modify" | "move" | "delete" | "mkdir" | "rmdir";
	newPath: string | null;
	added: number;
	removed: number;
	diff: string;
	truncated: boolean;
}

export interface Preview {
	files: (FilePreview)[];
	backup: string | null;
	warnings: string[];
	request: string | null;
}

export interface Scope {
	kind: "read_in_scope" | "read_out_of_scope" | "write_create" | "write_update" | "write_delete" | "admin";
	target: string | null;
	sizeBytes: number | null;
	hasBacklinks: boolean | null;
	operation: string | null;
	affectsCount: number | null;
}

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
	choices: (Decision)[];
	preview: Preview | null;
	planDigest: string | null;
	createdAt: string;
	expiresAt: string;
	scope: Scope | null;
	brief: boolean;
}

export interface ConsentReply {
	accepted: boolean;
	outcome: Outcome | null;
	by: string | null;
	reason: string | null;
}

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
