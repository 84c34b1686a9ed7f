/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

/** The version of the protocol that this describes. */
export const PROTOCOL = 3;

/** A file the user handed to the conversation. */
export interface AttachParams {
	path: string;
}

/** Every file that was attached in this session. */
export interface Attached {
	attached: string[];
}

/** The log has a new record; these are the members of it that hosts need at once, as far as it has them. */
export interface AuditAppended {
	timestamp: string;
	kind: string;
	tool: string | null;
	executionId: string | null;
	client: string | null;
	success: boolean | null;
	errorType: string | null;
	outcome: string | null;
	rule: string | null;
	event: string | null;
}

/** How many records were removed. */
export interface AuditCleared {
	cleared: number;
}

/** The records as a text. `truncated` says that it holds only the newest that fit. */
export interface AuditExport {
	format: "json" | "csv";
	text: string;
	records: number;
	truncated: boolean;
}

/** The records in a file of the vault; `path` says where. */
export interface AuditExportFile {
	format: "json" | "csv";
	path: string;
	records: number;
}

/** Which records, as what, and into which file. */
export interface AuditExportParams {
	format: "json" | "csv";
	path?: string | null;
	tool?: string | null;
	client?: string | null;
	kind?: string | null;
	text?: string | null;
	since?: string | null;
	until?: string | null;
}

/** One place where the log is not as it was written. */
export interface AuditFault {
	kind: string;
	file: string;
	line: number | null;
	seq: number | null;
	message: string;
}

/** A place in the chain: a record's number, its code, and how many records there are up to it. */
export interface AuditHead {
	seq: number;
	chain: string;
	total: number;
}

/** A page of them; `before` is the `seq` that the page before ended with. */
export interface AuditQueryParams {
	tool?: string | null;
	client?: string | null;
	kind?: string | null;
	text?: string | null;
	since?: string | null;
	until?: string | null;
	limit?: number;
	before?: string | null;
}

/** One record of the log, as it was written: each kind has members of its own, and what is not known is left out. */
export interface AuditRecord {
	seq: number | null;
	timestamp: string;
	kind: string;
	tool: string | null;
	executionId: string | null;
	callId: string | null;
	client: string | null;
	success: boolean | null;
	errorType: string | null;
	duration: number | null;
	outcome: string | null;
	rule: string | null;
	decision: string | null;
	by: string | null;
	event: string | null;
	files: AuditedFile[];
}

/** The log's size and state. */
export interface AuditStats {
	size: number;
	generations: number;
	records: number;
	oldest: string | null;
	newest: string | null;
	fault: string | null;
	lost: number;
	chain: AuditHead;
}

/** Whether the log is as it was written. */
export interface AuditVerification {
	whole: boolean;
	records: number;
	lost: number;
	unverified: number;
	faults: AuditFault[];
	faultCount: number;
	begins: AuditHead | null;
	head: AuditHead | null;
}

/** One file of a write, with the hashes of its bytes before and after; None where there was or is no file. */
export interface AuditedFile {
	path: string;
	newPath: string | null;
	change: string;
	before: string | null;
	after: string | null;
}

/** Which operation is approved without asking, and for whom; without a client for everybody. */
export interface AutoApproveParams {
	operation: "create" | "update";
	enabled: boolean;
	client?: string | null;
}

/** What holds now; without a grant, the operation is asked about again. */
export interface AutoApproved {
	enabled: boolean;
	grant: Grant | null;
}

/** What a call would do: of a read all that can be said before. */
export interface CallPlan {
	tool: string;
	operation: Operation;
	riskLevel: RiskLevel;
	summary: string;
	targets: string[];
}

/** What `tools.preview` returns. */
export interface CallPreview {
	plan: WritePlan | RequestPlan | CallPlan;
}

/** Whether a call was stopped. */
export interface Cancelled {
	cancelled: boolean;
}

/** What a client may do. */
export const Capability = ["call", "answer", "administer"] as const;
export type Capability = (typeof Capability)[number];

/** One change of the vault. */
export interface ChangeEntry {
	executionId: string;
	tool: string;
	client: string;
	time: string;
	state: string;
	files: string[];
	added: number;
	removed: number;
	canUndo: boolean;
}

/** What the person calls the program. */
export interface ClientAddParams {
	name: string;
}

/** Which client, and what it may do beside what it may already. */
export interface ClientAllowParams {
	clientId: string;
	capability: Capability;
}

/** A client with a name of its own, as the list of connected programs shows it. Times are ISO 8601 UTC. */
export interface ClientInfo {
	clientId: string;
	name: string;
	callsItself: string | null;
	capabilities: Capability[];
	added: string;
	lastSeen: string | null;
	connected: number;
}

/** Which client, and what it is called from now on. */
export interface ClientRenameParams {
	clientId: string;
	name: string;
}

/** Which client. */
export interface ClientRevokeParams {
	clientId: string;
}

/** A client was added, renamed, revoked, or may do more than before. Sent to those who administer. */
export interface ClientsChanged {
	message: string;
}

/** What Obsidian says of some notes; which of them are not saved; and, once, the paths of all notes it knows. */
export interface CompareParams {
	files: Record<string, ObsidianFacts>;
	unsaved?: string[];
	notes?: string[] | null;
}

/** How far a tool may ever be trusted (`docs/protocol.md`, "Asking"). */
export const ConsentClass = ["always", "session", "never"] as const;
export type ConsentClass = (typeof ConsentClass)[number];

/** When a tool asks: what the user set for it. */
export const ConsentMode = ["always_ask", "session_allow", "always_allow", "never_allow"] as const;
export type ConsentMode = (typeof ConsentMode)[number];

/** What `consent.respond` returns. `outcome` and `by` say how the question ended, whoever ended it. */
export interface ConsentReply {
	accepted: boolean;
	outcome: Outcome | null;
	by: string | null;
	reason: string | null;
	planDigest: string | null;
}

/** One open question, which is also the event that announces it. Times are ISO 8601 UTC. */
export interface ConsentRequest {
	requestId: string;
	client: string;
	clientId: string;
	callsItself: string | null;
	verified: boolean;
	sessionId: string;
	tool: ToolFace;
	riskLevel: RiskLevel;
	operation: Operation;
	summary: string;
	reason: string | null;
	parameters: Record<string, unknown>;
	targets: string[];
	touches: TargetView[];
	ladder: RungView[];
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

/** A question has ended. `decision` and `by` are None when nobody decided. */
export interface ConsentResolved {
	requestId: string;
	decision: string | null;
	outcome: string | null;
	by: string | null;
}

/** What an answer that is remembered holds for: every use of the tool, or the target shown. */
export const Covers = ["tool", "target"] as const;
export type Covers = (typeof Covers)[number];

/** Structured data. */
export interface DataPart {
	type: "data";
	data: unknown;
}

/** What a person may answer. */
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

/** The content of `bridge.json`: where the bridge is, and where its tokens are. No secret: vaults are synced. */
export interface Discovery {
	url: string;
	http: string;
	pid: number;
	version: string;
	runDir: string;
}

/** The content of `agent.json` and `host.json`. Tokens are new at every start. */
export interface Endpoint {
	url: string;
	http: string;
	token: string;
	pid: number;
	version: string;
}

/** The `errorType` of a failed ToolResult. */
export const ErrorType = ["permission_denied", "invalid_parameters", "execution_failed", "rate_limited", "network_error", "timeout", "not_found", "ambiguous", "conflict"] as const;
export type ErrorType = (typeof ErrorType)[number];

/** A call that a client of this name or id might make; without one, a program that nobody gave a name. */
export interface ExplainParams {
	name: string;
	arguments?: Record<string, unknown>;
	client?: string | null;
}

/** What the rules say of a call. */
export interface Explanation {
	outcome: "allow" | "ask" | "deny";
	rule: string;
	why: string;
	choices: Decision[];
	targets: string[];
	operation: Operation;
	class: ConsentClass;
	mode: ConsentMode;
	summary: string;
}

/** What is wrong with the files that people write, each as a sentence that says what to do. */
export interface Faults {
	faults: string[];
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

/** One member of the `tools` of a request to Ollama or OpenAI. */
export interface FunctionTool {
	type: "function";
	function: ToolFunction;
}

/** One answer that holds. */
export interface Grant {
	grantId: string;
	kind: string;
	client: string | null;
	clientId: string | null;
	sessionId: string | null;
	tool: string | null;
	target: string | null;
	reach: string | null;
	operation: string | null;
	decision: string;
	feedback: string | null;
	since: string | null;
	expires: string | null;
}

/** How many, older than which change, and to which file or note. */
export interface HistoryListParams {
	limit?: number;
	before?: string | null;
	path?: string | null;
}

/** One file that is open in an editor. `expected` is the sha256 of the bytes as they are, in hex. */
export interface HostWrite {
	path: string;
	expected: string;
	content: string;
}

/** The hunks of one file's diff that are wanted, counted from 0. */
export interface HunkChoice {
	path: string;
	keep: number[];
}

/** An image; `data` is base64. */
export interface ImagePart {
	type: "image";
	mimeType: string;
	data: string;
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

/** One thing about which Obsidian and the bridge differ. */
export interface IndexDifference {
	path: string;
	kind: "link" | "unresolved" | "tag" | "tag_order" | "note";
	target: string;
	obsidian: number;
	bridge: number;
}

/** How many files of those to be read have been read. */
export interface IndexProgress {
	done: number;
	total: number;
}

/** A call has to wait, or is refused, because of a rate limit. `retry_after` is in seconds. */
export interface LimitHit {
	tool: string;
	retryAfter: number;
	message: string;
	client: string;
}

/** How much of a limit is used. */
export interface LimitUse {
	limit: number;
	used: number;
	queued: number;
}

/** MCP's hints about a tool. */
export interface McpAnnotations {
	title: string;
	readOnlyHint: boolean;
	destructiveHint: boolean;
	idempotentHint: boolean;
	openWorldHint: boolean;
}

/** A tool as MCP's `tools/list` describes it. */
export interface McpTool {
	name: string;
	title: string;
	description: string;
	inputSchema: Record<string, unknown>;
	annotations: McpAnnotations;
}

/** A client that was just added. The token is shown this once; the bridge keeps only its hash. */
export interface NewClient {
	client: ClientInfo;
	token: string;
}

/** A link to a note of this vault. */
export interface NotePart {
	type: "note";
	path: string;
	title: string;
}

/** What Obsidian's `metadataCache` says of one note. */
export interface ObsidianFacts {
	resolved: Record<string, number>;
	unresolved: Record<string, number>;
	tags: string[] | null;
	mtime: number;
	size: number;
}

/** What a tool does to the vault or to the world outside. */
export const Operation = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof Operation)[number];

/** How a question ended. There is exactly one outcome a question. */
export const Outcome = ["allowed", "denied", "timed_out", "cancelled", "stale"] as const;
export type Outcome = (typeof Outcome)[number];

/** A call that goes on although its caller's `wait` has run out; `tools.result` has the result later. */
export interface PendingCall {
	status: "pending";
	callId: string;
	requestId: string | null;
}

/** What the person sees before a write, or the exact request or command of another effect. */
export interface Preview {
	files: FilePreview[];
	backup: string | null;
	warnings: string[];
	request: string | null;
}

/** How far an answer for longer holds: the rungs of all ladders, each kind of target having some of them. */
export const Reach = ["file", "folder", "vault", "page", "section", "site", "command", "executable", "tool", "server", "custom_tool"] as const;
export type Reach = (typeof Reach)[number];

/** What becomes of a call that does not get as far as the rules, or is refused before them. */
export interface Refusal {
	outcome: "deny" | "fail";
	rule: string;
	why: string;
}

/** The exact request or command that a call would send or run. */
export interface RequestPlan {
	tool: string;
	operation: Operation;
	riskLevel: RiskLevel;
	summary: string;
	targets: string[];
	request: string;
	warnings: string[];
}

/** One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it. */
export interface RespondParams {
	requestId: string;
	decision: Decision;
	planDigest?: string | null;
	feedback?: string | null;
	hunks?: HunkChoice[] | Record<string, number[]> | null;
	reach?: Reach | null;
	everyone?: boolean | null;
}

/** Which change; by default the newest not yet undone, or the last undone. */
export interface ReverseParams {
	executionId?: string | null;
}

/** A grant or denial, by the id that `consent.grants` shows. */
export interface RevokeParams {
	grantId: string;
}

/** Whether there was such a grant. */
export interface Revoked {
	revoked: boolean;
}

/** How much harm a tool could do, as the question shows it. */
export const RiskLevel = ["safe", "low", "medium", "high"] as const;
export type RiskLevel = (typeof RiskLevel)[number];

/** One rung of a question's ladder. */
export interface RungView {
	reach: Reach;
	keys: string[];
	label: string;
}

/** The call in other words: how far into the vault it reaches. */
export interface Scope {
	kind: "read_in_scope" | "read_out_of_scope" | "write_create" | "write_update" | "write_delete" | "admin";
	target: string | null;
	sizeBytes: number | null;
	hasBacklinks: boolean | null;
	operation: string | null;
	affectsCount: number | null;
}

/** Who the caller is, and where. */
export interface SessionInfo {
	role: string;
	client: string;
	clientId: string;
	capabilities: Capability[];
	sessionId: string;
	vault: string;
	version: string;
	protocol: number;
	tools: string[];
	hostConnected: boolean;
}

/** How this connection is named now, and what its host can do. */
export interface SessionName {
	client: string;
	sessionId: string;
	can: string[];
}

/** How a client introduces itself. */
export interface SessionNameParams {
	client: string;
	can?: ("consent" | "write" | "dirty" | "browser")[] | null;
}

/** All settings of one vault. Immutable: a change makes a new one. */
export interface Settings {
	/** The tools that agents can see; `*` stands for all. */
	enabledTools: string[];
	/** When each tool asks for permission; tools not listed use their own default. */
	consentMode: Record<string, "always_ask" | "session_allow" | "always_allow" | "never_allow">;
	/** Read-only tools run without asking, and the console shows every call with its time. */
	developerMode: boolean;
	/** Seconds a question waits for an answer. */
	consentTimeout: number;
	/** Days after which an unused permanent permission ends; null: never. */
	grantExpiryDays: number | null;
	/** The server that answers web searches. */
	ollamaWebSearchEndpoint: string;
	/** Encrypted API keys. */
	encryptedKeys: Record<string, string>;
	/** Hosts that `web_fetch` can reach; `*.example.org` covers subdomains. */
	allowedDomains: string[];
	/** Any public host can be fetched. This is risky. */
	allowAllDomains: boolean;
	/** Nothing leaves this computer. */
	blockExternalRequests: boolean;
	/** `http:` addresses are upgraded to `https:`. */
	httpsOnly: boolean;
	/** Largest response, in bytes. */
	maxResponseSize: number;
	/** Redirects are followed, and each is checked. */
	followRedirects: boolean;
	/** Most redirects to follow in one request. */
	maxRedirects: number;
	/** Seconds a request can take. */
	requestTimeout: number;
	/** Web origins that can connect to the bridge, besides Obsidian's. */
	allowedOrigins: string[];
	/** Agents can ask to run commands. This is risky. */
	allowTerminal: boolean;
	/** Your own tools can run code. This is risky. */
	allowCustomTools: boolean;
	/** MCP servers can be started. This is risky. */
	allowMcpServers: boolean;
	/** Calls per minute for single tools, instead of their default. */
	rateLimits: Record<string, number>;
	/** Calls per minute for all tools together. */
	globalRateLimit: number;
	/** Results from the web are kept for a while. */
	cacheEnabled: boolean;
	/** Seconds a result from the web is kept. */
	cacheTTL: number;
	/** Largest size of the cache, in bytes. */
	maxCacheSize: number;
	/** Every call and every decision is logged. */
	enableAuditLog: boolean;
	/** Days the log is kept; null: forever. */
	auditLogRetentionDays: 7 | 30 | 90 | null;
	/** The log includes the values that tools are called with. */
	logParameterValues: boolean;
	/** The log leaves out file paths. */
	anonymizeLog: boolean;
	/** Nothing is ever shared. */
	shareUsageStatistics: boolean;
	/** Most results that `find` returns. */
	findMaxResults: number;
	/** Lines that `grep` shows around each match. */
	grepContextLines: number;
	/** Most matches that `grep` returns. */
	grepMaxMatches: number;
	/** Largest part of a file that `read` returns, in bytes. */
	readMaxBytes: number;
	/** Most text that a tool returns to an agent, in bytes. */
	maxOutputBytes: number;
	/** Files that `find` and `grep` skip, as glob patterns. */
	ignorePatterns: string[];
	/** Keep what a change replaces, so that it can be undone. */
	patchBackupEnabled: boolean;
	/** Days backups are kept; null: forever. */
	backupRetentionDays: number | null;
	/** Most results that `web_search` returns. */
	webSearchMaxResults: number;
	/** How old a result of `web_search` can be. */
	webSearchDefaultFreshness: "day" | "week" | "month" | "year" | null;
	/** Most bytes that `web_fetch` returns. */
	webFetchMaxBytes: number;
}

/** One section, or everything. */
export interface SettingsResetParams {
	section?: "tools" | "apis" | "network" | "performance" | "privacy" | "toolSpecific" | null;
}

/** The JSON Schema of the settings, and what a form needs beside it. */
export interface SettingsSchema {
	type: "object";
	title: string;
	description: string;
	additionalProperties: boolean;
	properties: Record<string, unknown>;
	sections: SettingsSection[];
	presets: Record<string, string[]>;
	tools: ToolSummary[];
}

/** One section of the form. */
export interface SettingsSection {
	id: string;
	title: string;
}

/** Merged deeply into what is set, validated as a whole. */
export interface SettingsUpdateParams {
	patch: Record<string, unknown>;
}

/** All settings as they are now, and a sentence for each value that is allowed and risky. */
export interface SettingsUpdated {
	settings: Record<string, unknown>;
	warnings: string[];
}

/** Which events; the list replaces the one before. */
export interface SubscribeParams {
	kinds: "vault.changed"[];
}

/** The events that this connection is sent beside those that all of its role are. */
export interface Subscribed {
	kinds: string[];
}

/** What sort of thing a call touches. */
export const TargetKind = ["file", "folder", "url", "command", "server_tool", "custom_tool"] as const;
export type TargetKind = (typeof TargetKind)[number];

/** One thing that a call touches. */
export interface TargetView {
	kind: TargetKind;
	label: string;
}

/** A text. */
export interface TextPart {
	type: "text";
	text: string;
}

/** One call. `wait` (seconds) bounds the reply, not the call. */
export interface ToolCallParams {
	name: string;
	arguments?: Record<string, unknown>;
	callId?: string | null;
	wait?: number | null;
	reason?: string | null;
}

/** A call that is no longer wanted. */
export interface ToolCancelParams {
	callId: string;
}

/** Everything about a tool. */
export interface ToolDescription {
	name: string;
	title: string;
	description: string;
	risk: RiskLevel;
	consentClass: ConsentClass;
	icon: string;
	parameters: Record<string, unknown>;
	operation: Operation;
	consentMode: ConsentMode;
	requiresConsent: boolean;
	canBypass: boolean;
	requiresPreview: boolean;
	canUndo: boolean;
	provider: string;
}

/** The tool as the question shows it. */
export interface ToolFace {
	name: string;
	title: string;
	description: string;
	icon: string;
}

/** A call has ended. */
export interface ToolFinished {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
	success: boolean;
	durationMs: number;
}

/** A tool as Ollama's and OpenAI's interfaces describe functions. */
export interface ToolFunction {
	name: string;
	description: string;
	parameters: Record<string, unknown>;
}

/** A piece of an answer that comes in pieces; the result has all of them. Sent to whoever called. */
export interface ToolOutput {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
	text: string;
}

/** A call that is only to be shown. */
export interface ToolPreviewParams {
	name: string;
	arguments?: Record<string, unknown>;
}

/** How far a long call is. `total` is None when that is not known. */
export interface ToolProgress {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
	done: number;
	total: number | null;
	message: string;
}

/** What a tool call answers, also when it failed: a failed tool is not a protocol error. */
export interface ToolResult {
	success: boolean;
	data: unknown;
	text: string;
	error: string | null;
	errorType: string | null;
	executionId: string | null;
	metadata: Record<string, unknown>;
	parts: (TextPart | DataPart | ImagePart | NotePart)[];
}

/** A call made before. */
export interface ToolResultParams {
	callId: string;
	wait?: number | null;
}

/** A call has begun. `call_id` is the caller's own id for it. */
export interface ToolStarted {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
}

/** A tool as the settings show it. */
export interface ToolSummary {
	name: string;
	title: string;
	description: string;
	risk: RiskLevel;
	consentClass: ConsentClass;
}

/** `tools.list` returns other tools than before. Sent to every client. */
export type ToolsChanged = Record<string, never>;

/** In which form. */
export interface ToolsListParams {
	format?: "bridge" | "ollama" | "openai" | "mcp" | "text";
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

/** A file has changed, and whoever asks about it now is answered with the change known. */
export interface VaultChanged {
	path: string;
	change: string;
}

/** How much is known of the vault. */
export interface VaultStatus {
	notes: number;
	files: number;
	indexed: number;
	indexing: boolean;
	lastSweep: string | null;
}

/** One result for each change of the question. */
export interface WriteAnswer {
	results: WriteResult[];
}

/** What a write would do to each file. */
export interface WritePlan {
	tool: string;
	operation: Operation;
	riskLevel: RiskLevel;
	summary: string;
	targets: string[];
	digest: string;
	files: FilePreview[];
	warnings: string[];
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

/** What each method takes, and what it returns. */
export interface Methods {
	"ping": { params: Record<string, never>; result: "pong" };
	"session.info": { params: Record<string, never>; result: SessionInfo };
	"session.name": { params: SessionNameParams; result: SessionName };
	"session.attach": { params: AttachParams; result: Attached };
	"events.subscribe": { params: SubscribeParams; result: Subscribed };
	"tools.list": { params: ToolsListParams; result: ToolDescription[] | FunctionTool[] | McpTool[] | string };
	"tools.call": { params: ToolCallParams; result: ToolResult | PendingCall };
	"tools.result": { params: ToolResultParams; result: ToolResult | PendingCall };
	"tools.preview": { params: ToolPreviewParams; result: CallPreview | ToolResult };
	"tools.cancel": { params: ToolCancelParams; result: Cancelled };
	"history.list": { params: HistoryListParams; result: ChangeEntry[] };
	"history.undo": { params: ReverseParams; result: ToolResult };
	"history.redo": { params: ReverseParams; result: ToolResult };
	"limits.status": { params: Record<string, never>; result: Record<string, LimitUse> };
	"vault.status": { params: Record<string, never>; result: VaultStatus };
	"bridge.faults": { params: Record<string, never>; result: Faults };
	"index.compare": { params: CompareParams; result: IndexComparison };
	"consent.pending": { params: Record<string, never>; result: ConsentRequest[] };
	"consent.respond": { params: RespondParams; result: ConsentReply };
	"consent.grants": { params: Record<string, never>; result: Grant[] };
	"consent.revoke": { params: RevokeParams; result: Revoked };
	"consent.autoApprove": { params: AutoApproveParams; result: AutoApproved };
	"policy.explain": { params: ExplainParams; result: Explanation | Refusal };
	"settings.get": { params: Record<string, never>; result: Settings };
	"settings.update": { params: SettingsUpdateParams; result: SettingsUpdated };
	"settings.reset": { params: SettingsResetParams; result: SettingsUpdated };
	"settings.schema": { params: Record<string, never>; result: SettingsSchema };
	"clients.list": { params: Record<string, never>; result: ClientInfo[] };
	"clients.add": { params: ClientAddParams; result: NewClient };
	"clients.rename": { params: ClientRenameParams; result: ClientInfo };
	"clients.revoke": { params: ClientRevokeParams; result: ClientInfo };
	"clients.allow": { params: ClientAllowParams; result: ClientInfo };
	"audit.query": { params: AuditQueryParams; result: AuditRecord[] };
	"audit.export": { params: AuditExportParams; result: AuditExport | AuditExportFile };
	"audit.clear": { params: Record<string, never>; result: AuditCleared };
	"audit.verify": { params: Record<string, never>; result: AuditVerification };
	"audit.stats": { params: Record<string, never>; result: AuditStats };
}

/** What each event holds. */
export interface Events {
	"consent.requested": ConsentRequest;
	"consent.resolved": ConsentResolved;
	"tool.started": ToolStarted;
	"tool.progress": ToolProgress;
	"tool.output": ToolOutput;
	"tool.finished": ToolFinished;
	"tools.changed": ToolsChanged;
	"clients.changed": ClientsChanged;
	"limits.hit": LimitHit;
	"audit.appended": AuditAppended;
	"index.progress": IndexProgress;
	"vault.changed": VaultChanged;
}

export type EventName = keyof Events;
