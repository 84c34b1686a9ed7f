/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

/** The version of the protocol that this describes. */
export const PROTOCOL = 5;

/** How long the person's answers took. */
export interface ActivityAnswers {
	count: number;
	median: number | null;
	p90: number | null;
}

/** One client, as the log's sentences call it, with its calls and its changes of files on each of the days. */
export interface ActivityClient {
	calls: number;
	succeeded: number;
	failed: number;
	refused: number;
	allowed: number;
	denied: number;
	timedOut: number;
	withdrawn: number;
	created: number;
	modified: number;
	deleted: number;
	moved: number;
	unlisted: number;
	cacheHits: number;
	cacheMisses: number;
	name: string;
	callsByDay: number[];
	changesByDay: number[];
}

/** One day (`2026-01-31`), from midnight to midnight where the bridge runs. */
export interface ActivityDay {
	calls: number;
	succeeded: number;
	failed: number;
	refused: number;
	allowed: number;
	denied: number;
	timedOut: number;
	withdrawn: number;
	created: number;
	modified: number;
	deleted: number;
	moved: number;
	unlisted: number;
	cacheHits: number;
	cacheMisses: number;
	day: string;
}

/** One tool, and how long its calls took that succeeded. */
export interface ActivityTool {
	tool: string;
	calls: number;
	succeeded: number;
	p50: number | null;
	p95: number | null;
}

/** Which program, and which plan was shown. */
export interface AgentDoParams {
	agent: string;
	digest: string;
}

/** A program that can be connected. */
export interface AgentInfo {
	agent: string;
	title: string;
	file: string;
	here: boolean;
	client: string | null;
	fault: string | null;
}

/** What was done. */
export interface AgentOutcome {
	backup: string | null;
	addedClient: boolean;
	revokedClient: boolean;
	then: string;
}

/** What connecting or disconnecting would do, not done yet. */
export interface AgentPlan {
	agent: string;
	client: string;
	removes: boolean;
	files: FilePreview[];
	kept: string[];
	digest: string;
}

/** Which program, and whether it is to be disconnected. */
export interface AgentPreviewParams {
	agent: string;
	remove?: boolean;
}

/** What was allowed without asking until now; `text` says it in a sentence. */
export interface AllEnded {
	ended: Grant[];
	text: string;
}

/** Whom, and which folders it reads without asking; `/` is the whole vault, none: it asks each time. */
export interface AllowReadingParams {
	client: string;
	where: string[];
}

/** A site of the web that is allowed. */
export interface AllowedSite {
	site: string;
	allowedBy: string | null;
	client: string | null;
	sentence: string;
	lastUsed: string | null;
}

/** One answer that a question offers. */
export interface AnswerOption {
	who: string;
	what: string;
	tool: string | null;
	operation: string | null;
	where: string[];
	additions: string[];
	mostFiles: number | null;
	until: string;
	expires: string | null;
	sentence: string;
	optionId: string;
	decision: Decision;
	label: string;
	suggested: boolean;
}

/** A file the user handed to the conversation. */
export interface AttachParams {
	path: string;
}

/** Every file that was attached in this session. */
export interface Attached {
	attached: string[];
}

/** What agents did in some days, by the log. */
export interface AuditActivity {
	days: ActivityDay[];
	clients: ActivityClient[];
	others: ActivityClient | null;
	tools: ActivityTool[];
	answers: ActivityAnswers;
	zone: string;
	records: number;
	damaged: number;
	complete: boolean;
}

/** Of how many days, with today. */
export interface AuditActivityParams {
	days?: number;
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

/** Records that were removed to make room before they were too old, and between which times they were written. */
export interface AuditDropped {
	records: number;
	since: string;
	until: string;
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
	code?: string | null;
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

/** A page of them; `before` is the `seq` that the page before ended with. `actions` takes each call as one. */
export interface AuditQueryParams {
	tool?: string | null;
	client?: string | null;
	kind?: string | null;
	code?: string | null;
	text?: string | null;
	since?: string | null;
	until?: string | null;
	actions?: boolean;
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
	code: string | null;
	count: number | null;
	files: AuditedFile[];
	sentence: string;
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
	droppedEarly: AuditDropped | null;
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

/** The links that another program broke by moving files, as they would be mended. */
export interface BrokenLinks {
	plan: string | null;
	text: string;
	files: FilePreview[];
	warnings: string[];
}

/** How full the cache of web results is. */
export interface CacheState {
	entries: number;
	size: number;
	hits: number;
	misses: number;
}

/** What a call would do: of a read all that can be said before. */
export interface CallPlan {
	tool: string;
	operation: Operation;
	riskLevel: RiskLevel;
	riskReasons: string[];
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

/** One call of a chain. With `each`, which stands for a list, it is made once for each item of that. */
export interface ChainCall {
	/** by which later calls refer to it */
	name: string;
	tool: string;
	arguments: Record<string, unknown>;
	/** what gives a list: the call is made for each item of it, `$item` */
	each: Record<string, unknown> | null;
}

/** What a change did to each file. */
export interface ChangeDiff {
	files: FilePreview[];
	lost: string[];
}

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
	clientId: string;
	who: string;
	summary: string;
	grant: string | null;
	outside: boolean;
	origin: string | null;
	brokenLinks: number;
	left: LeftFile[];
}

/** The address that the person has agreed to, as `chat.models` names it. */
export interface ChatAllowParams {
	endpoint: string;
}

/** The conversation that is gone. */
export interface ChatDeleted {
	conversationId: string;
}

/** A piece of what the model says (`text`) or thinks (`thinking`), or a sentence of the bridge's (`notice`). */
export interface ChatDelta {
	conversationId: string;
	turnId: string;
	kind: string;
	text: string;
}

/** A turn has ended. */
export interface ChatDone {
	conversationId: string;
	turnId: string;
	end: string;
	message: string | null;
}

/** Which conversation, and the path of the note that is made of it. */
export interface ChatExportParams {
	conversationId: string;
	path?: string | null;
}

/** One message of a conversation. */
export interface ChatMessage {
	role: string;
	text: string;
	time: string;
	thinking: string;
	calls: ChatToolCall[];
	callId: string | null;
	tool: string | null;
	summary: string;
	state: string | null;
	executionId: string | null;
}

/** A model that the server has. `size` is in bytes; 0 where the server does not say. */
export interface ChatModel {
	name: string;
	size: number;
}

/** Where the model runs, and which there are. */
export interface ChatModels {
	endpoint: string;
	allowed: boolean;
	sentence: string | null;
	model: string | null;
	models: ChatModel[];
}

/** What the person says, and in which conversation; without one a new one begins. */
export interface ChatSendParams {
	text: string;
	conversationId?: string | null;
	model?: string | null;
	replaces?: number | null;
}

/** A turn has begun: its events follow, with these ids. */
export interface ChatStarted {
	conversationId: string;
	turnId: string;
	model: string;
}

/** A call that the model asked for. */
export interface ChatToolCall {
	callId: string;
	tool: string;
	arguments: Record<string, unknown>;
	fault: string | null;
}

/** A call of the model's has begun (`running`), or ended. */
export interface ChatToolEvent {
	conversationId: string;
	turnId: string;
	callId: string;
	tool: string;
	summary: string;
	state: string;
	text: string;
	executionId: string | null;
}

/** What the person calls the program, the tools that it has, and whether it works in drafts. */
export interface ClientAddParams {
	name: string;
	preset?: Preset;
	drafts?: boolean;
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
	preset: string | null;
	elicitation: boolean;
	drafts: boolean;
	added: string;
	lastSeen: string | null;
	connected: number;
	looking: string | null;
	showing: string | null;
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

/** Which client, and what is to be otherwise from now on. */
export interface ClientUpdateParams {
	clientId: string;
	preset?: Preset | null;
	elicitation?: boolean | null;
	drafts?: boolean | null;
	looking?: "session" | "always" | "no" | null;
	showing?: "session" | "always" | "no" | null;
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

/** Which question of the client's own its user has said yes to, for this once. */
export interface ConfirmParams {
	requestId: string;
}

/** What came of a test: it answered (`connected`), it said no (`refused`), or it did not answer (`unreachable`). */
export const Connection = ["connected", "refused", "unreachable"] as const;
export type Connection = (typeof Connection)[number];

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
	grant: Grant | null;
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
	riskReasons: string[];
	operation: Operation;
	summary: string;
	reason: string | null;
	parameters: Record<string, unknown>;
	targets: string[];
	touches: TargetView[];
	options: AnswerOption[];
	canBypass: boolean;
	choices: Decision[];
	preview: Preview | null;
	planDigest: string | null;
	hunksSupported: boolean;
	editable: boolean;
	revised: boolean;
	createdAt: string;
	expiresAt: string;
	scope: Scope | null;
	brief: boolean;
	waiting: boolean;
	draft: string | null;
}

/** A question has ended. `decision` and `by` are None when nobody decided. */
export interface ConsentResolved {
	requestId: string;
	decision: string | null;
	outcome: string | null;
	by: string | null;
}

/** A person has edited what an open question would write: the same question, with another plan and digest. */
export interface ConsentRevised {
	requestId: string;
	client: string;
	clientId: string;
	callsItself: string | null;
	verified: boolean;
	sessionId: string;
	tool: ToolFace;
	riskLevel: RiskLevel;
	riskReasons: string[];
	operation: Operation;
	summary: string;
	reason: string | null;
	parameters: Record<string, unknown>;
	targets: string[];
	touches: TargetView[];
	options: AnswerOption[];
	canBypass: boolean;
	choices: Decision[];
	preview: Preview | null;
	planDigest: string | null;
	hunksSupported: boolean;
	editable: boolean;
	revised: boolean;
	createdAt: string;
	expiresAt: string;
	scope: Scope | null;
	brief: boolean;
	waiting: boolean;
	draft: string | null;
}

/** The call of an open question has got a ticket: from now on the question waits quietly, until `expires_at`. */
export interface ConsentWaiting {
	requestId: string;
	expiresAt: string;
}

/** A conversation with all that was said. */
export interface Conversation {
	conversationId: string;
	title: string;
	model: string;
	created: string;
	updated: string;
	messages: number;
	running: boolean;
	history: ChatMessage[];
}

/** A conversation, as the list shows it. */
export interface ConversationInfo {
	conversationId: string;
	title: string;
	model: string;
	created: string;
	updated: string;
	messages: number;
	running: boolean;
}

/** Which conversation. */
export interface ConversationParams {
	conversationId: string;
}

/** What an answer is about. */
export const Coverage = ["call", "tool", "reading", "adding", "changing", "requests", "running", "looking", "showing"] as const;
export type Coverage = (typeof Coverage)[number];

/** A tool to store. */
export interface CustomAddParams {
	name: string;
	description: string;
	code: string;
	parameters: Record<string, unknown>;
	returns?: string | null;
	timeout?: number;
	environment?: "node" | "browser" | "python";
	enabled?: boolean;
}

/** The answer to what the code asked. */
export interface CustomAnswer {
	success: boolean;
	result: unknown;
	error: string | null;
	code: string | null;
}

/** What the code of a run asks of the bridge, passed on by the host that runs it. */
export interface CustomCallParams {
	run: string;
	kind: "tool" | "fetch" | "storage";
	name?: string | null;
	arguments?: Record<string, unknown> | null;
	url?: string | null;
	method?: "GET" | "POST" | null;
	body?: string | null;
	operation?: "get" | "set" | "remove" | "clear" | "keys" | null;
	key?: string | null;
	value?: string | null;
}

/** Which tool. */
export interface CustomParams {
	name: string;
}

/** What one run came to. */
export interface CustomResult {
	success: boolean;
	result: unknown;
	error: string | null;
	executionTime: number;
	output: string;
}

/** A run that a host was given is over for the bridge: it is to be ended, and its calls are answered no more. */
export interface CustomRunEnded {
	run: string;
}

/** What to run once: a stored tool by its name, or one that is not stored; and with which parameters. */
export interface CustomTestParams {
	name?: string | null;
	tool?: CustomAddParams | null;
	parameters?: Record<string, unknown>;
}

/** A stored tool, and how it stands. */
export interface CustomToolInfo {
	name: string;
	description: string;
	code: string;
	parameters: Record<string, unknown>;
	returns: string | null;
	timeout: number;
	environment: string;
	enabled: boolean;
	createdAt: string;
	updatedAt: string;
	change: string | null;
}

/** All of the user's own tools. */
export interface CustomToolList {
	tools: CustomToolInfo[];
	environments: EnvironmentInfo[];
	allowed: boolean;
	file: string;
	fault: string | null;
}

/** What was stored. */
export interface CustomToolSaved {
	tool: CustomToolInfo;
	unchecked: string | null;
}

/** Which tool, and what of it is to change; what is left out stays. */
export interface CustomUpdateParams {
	name: string;
	description?: string | null;
	code?: string | null;
	parameters?: Record<string, unknown> | null;
	returns?: string | null;
	timeout?: number | null;
	environment?: "node" | "browser" | "python" | null;
	enabled?: boolean | null;
}

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

/** That a draft has ended without anything of it being written. */
export interface DraftDiscarded {
	draftId: string;
}

/** A draft. */
export interface DraftInfo {
	draftId: string;
	client: string;
	clientId: string;
	created: string;
	touched: string;
	steps: DraftStep[];
	files: string[];
	state: string;
	since: string | null;
	words: string | null;
	comments: ReviewComment[];
	keptUntil: string | null;
}

/** Which draft. */
export interface DraftParams {
	draftId: string;
}

/** What taking a draft would do to each file, as the vault is now. */
export interface DraftPreview {
	files: FilePreview[];
	warnings: string[];
	conflicts: MergePlace[];
}

/** One staged change. */
export interface DraftStep {
	tool: string;
	summary: string;
	time: string;
}

/** A draft was begun, changed or ended; `drafts.list` has them. Sent to those who administer. */
export type DraftsChanged = Record<string, never>;

/** What holds for every tool, also where nothing is set for it. */
export interface EffectiveSettings {
	consentMode: Record<string, "always_ask" | "session_allow" | "always_allow" | "never_allow">;
	rateLimits: Record<string, number>;
}

/** The content of `agent.json` and `host.json`. Tokens are new at every start. */
export interface Endpoint {
	url: string;
	http: string;
	token: string;
	pid: number;
	version: string;
	vault: string;
}

/** An environment on this computer. */
export interface EnvironmentInfo {
	environment: string;
	available: boolean;
	sentence: string;
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
	elicitation: boolean;
}

/** What is wrong, each as a sentence that says what to do. */
export interface Faults {
	faults: string[];
	unprotected: string[];
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
	follows: boolean;
	note: string;
	unit: string;
	yours: boolean;
	since: "" | "same" | "changed" | "new";
	newer: string;
}

/** One state that a file had. */
export interface FileVersion {
	since: string;
	until: string | null;
	size: number | null;
	digest: string;
}

/** The states that a file had. */
export interface FileVersions {
	path: string;
	versions: FileVersion[];
}

/** A server in the configuration of a program on this machine. */
export interface FoundServer {
	agent: string;
	program: string;
	name: string;
	told: string[];
	fault: string | null;
	known: boolean;
}

/** One member of the `tools` of a request to Ollama or OpenAI. */
export interface FunctionTool {
	type: "function";
	function: ToolFunction;
}

/** One answer that holds. One is taken back as a whole. */
export interface Grant {
	who: string;
	what: string;
	tool: string | null;
	operation: string | null;
	where: string[];
	additions: string[];
	mostFiles: number | null;
	until: string;
	expires: string | null;
	sentence: string;
	grantId: string;
	kind: string;
	client: string | null;
	clientId: string | null;
	sessionId: string | null;
	decision: string;
	feedback: string | null;
	usedFiles: number | null;
	since: string | null;
}

/** Answers were given, used up, taken back or have ended. `bounded` are those that are counted or end at a time. */
export interface GrantsChanged {
	bounded: Grant[];
}

/** Which change. */
export interface HistoryDiffParams {
	executionId: string;
}

/** How many, older than which change, to which file or note, since when, by which client and tool. */
export interface HistoryListParams {
	limit?: number;
	before?: string | null;
	path?: string | null;
	since?: string | null;
	client?: string | null;
	tool?: string | null;
	grant?: string | null;
	outside?: boolean | null;
	origin?: "typed" | "obsidian" | "program" | null;
}

/** Whom an answer holds for: one connection of a program without a name, one client, or everyone. */
export const Holder = ["connection", "client", "everyone"] as const;
export type Holder = (typeof Holder)[number];

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

/** What waits for the person: one thing, or many of a kind from one client. */
export interface InboxLine {
	kind: string;
	client: string;
	clientId: string;
	count: number;
	since: string;
	files: number;
	summary: string;
	reason: string | null;
	keptUntil: string | null;
	ids: string[];
	questions: string[];
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

/** Where the master key is: in the system's `keyring`, or in a `file` that only the user can read. */
export const KeptIn = ["keyring", "file"] as const;
export type KeptIn = (typeof KeptIn)[number];

/** Whose key. */
export interface KeyParams {
	provider: Provider;
}

/** Whose key, and the key. It is in no text that is made of the parameters. */
export interface KeySetParams {
	provider: Provider;
	key: string;
}

/** What is known of the key of one provider. */
export interface KeyStatus {
	provider: string;
	title: string;
	server: string;
	isSet: boolean;
	keptIn: string | null;
	fault: string | null;
}

/** Whether to try to open the keys, for which the system's keyring may ask to be unlocked. */
export interface KeyStatusParams {
	open?: boolean;
}

/** What came of a test. */
export interface KeyTest {
	provider: string;
	outcome: string;
	message: string;
}

/** Which service; also one that wants no key. */
export interface KeyTestParams {
	provider: SearchService;
}

/** A file that an undo left as it was. */
export interface LeftFile {
	path: string;
	why: string;
}

/** A file that cannot be brought back to what it was. */
export interface LeftOut {
	path: string;
	why: string;
	diff: FilePreview | null;
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

/** What a person says about a file of a draft, or about a line of it as the preview has it afterwards, from 1. */
export interface LineComment {
	path: string;
	line?: number | null;
	text: string;
}

/** A link to something outside this vault, as another server named it. */
export interface LinkPart {
	type: "link";
	uri: string;
	name: string;
	mimeType: string | null;
}

export type McpAnnotations = Record<string, never>;

/** A tool as MCP's `tools/list` describes it. `output_schema` is left out where there is none. */
export interface McpTool {
	name: string;
	title: string;
	description: string;
	inputSchema: Record<string, unknown>;
	outputSchema: Record<string, unknown> | null;
	annotations: McpAnnotations;
}

/** A place where a draft and another hand changed the same, so that a person chooses. */
export interface MergePlace {
	placeId: string;
	path: string;
	why: string;
	line: number | null;
	vault: string;
	draft: string;
	offers: Take[];
	taken: string | null;
}

/** A file whose state at that time is not kept. */
export interface NearestState {
	path: string;
	at: string;
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

/** What Obsidian has written, or is about to. */
export interface ObsidianWrite {
	path: string;
	digest?: string | null;
	source?: string | null;
	typed?: boolean;
}

/** How many were heard. Whether they are believed depends on what is seen of the files. */
export interface ObsidianWritesHeard {
	heard: number;
}

/** What Obsidian has written, the oldest first. */
export interface ObsidianWritesParams {
	writes: ObsidianWrite[];
}

/** The file that the person looks at. */
export interface OpenFile {
	path: string;
	view: string;
	selection?: Selection | null;
}

/** What a tool does to the vault or to the world outside. */
export const Operation = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof Operation)[number];

/** How a question ended. There is exactly one outcome a question. */
export const Outcome = ["allowed", "denied", "timed_out", "cancelled", "stale"] as const;
export type Outcome = (typeof Outcome)[number];

/** What the person is to be told of other programs' changes. Sent to the person's own programs alone. */
export interface OutsideNotice {
	entries: string[];
	message: string;
	began: string | null;
	ended: string | null;
	unattended: boolean;
}

/** A question of the client's own that its user may say yes to in the client itself, for this once. */
export interface OwnQuestion {
	requestId: string;
	callId: string | null;
	message: string;
}

/** A call that goes on although its caller's `wait` has run out; `await_decision` has the result later. */
export interface PendingCall {
	status: "pending";
	callId: string;
	requestId: string | null;
	waits: string | null;
	state: string;
	expiresAt: string | null;
	text: string;
}

/** A place in a text, as editors count. */
export interface Place {
	line: number;
	column: number;
}

/** What is taken at one place. */
export interface PlaceChoice {
	placeId: string;
	take: Take;
}

/** A named set of tools. */
export const Preset = ["minimal", "agent", "vault", "everything"] as const;
export type Preset = (typeof Preset)[number];

/** What the person sees before a write, or the exact request or command of another effect. */
export interface Preview {
	files: FilePreview[];
	backup: string | null;
	warnings: string[];
	request: string | null;
	conflicts: MergePlace[];
}

/** A service that wants a key. */
export const Provider = ["ollama", "brave", "google"] as const;
export type Provider = (typeof Provider)[number];

/** What the client reads without asking now; without a grant, nothing. */
export interface ReadingAllowed {
	grant: Grant | null;
}

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
	riskReasons: string[];
	summary: string;
	targets: string[];
	request: string;
	warnings: string[];
}

/** What a person takes where a draft and another hand changed the same. */
export interface ResolveParams {
	requestId: string;
	planDigest: string;
	choices: PlaceChoice[];
}

/** Answers to several questions that were shown in one list, each as `consent.respond` takes it. */
export interface RespondAllParams {
	answers: RespondParams[];
}

/** One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it. */
export interface RespondParams {
	requestId: string;
	decision: Decision;
	option?: string | null;
	planDigest?: string | null;
	feedback?: string | null;
	hunks?: HunkChoice[] | Record<string, number[]> | null;
	comments?: LineComment[] | null;
	sendBack?: boolean;
}

/** Which change; by default the newest not yet undone, or the last undone. */
export interface ReverseParams {
	executionId?: string | null;
}

/** What a person said about a file of a draft, or a line of it, as its client is told. */
export interface ReviewComment {
	path: string;
	line: number | null;
	quote: string | null;
	text: string;
}

/** Other text for one hunk of the diff in question. */
export interface ReviseParams {
	requestId: string;
	planDigest: string;
	path: string;
	hunk: number;
	text: string;
}

/** What `consent.revise` and `consent.resolve` return: the question as it is now, or why the text was not taken. */
export interface Revision {
	accepted: boolean;
	question: ConsentRequest | null;
	reason: string | null;
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

/** What the run came to. */
export interface RunToolAnswer {
	success: boolean;
	result: unknown;
	error: string | null;
	executionTime: number;
	output: string;
}

/** `host.runTool`: run this code in a Worker that reaches nothing but what `custom.call` gives it. */
export interface RunToolQuestion {
	run: string;
	tool: string;
	code: string;
	parameters: Record<string, unknown>;
	timeout: number;
}

/** What confines the programs that agents have started on this computer. */
export interface SandboxStatus {
	confines: boolean;
	sentence: string;
	lacks: string[];
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

/** What the person looks at. */
export interface Screen {
	open?: OpenFile | null;
	tabs?: string[];
	recent?: string[];
}

/** The person looks at something else than before, as far as the client may see it. Sent to such clients. */
export type ScreenChanged = Record<string, never>;

/** The clients that may see what the person looks at, by name. Without any, nothing is to be told. */
export interface ScreenClients {
	clients: string[];
}

/** A client wants to show the person a file. Sent to the plugin. */
export interface ScreenShow {
	client: string;
	path: string;
	part: string;
	line: number | null;
	unasked: boolean;
}

/** What the person looks at now; None: nothing is told any more. */
export interface ScreenTellParams {
	screen: Screen | null;
}

/** A service that searches the web. */
export const SearchService = ["ollama", "searxng", "brave", "duckduckgo", "google"] as const;
export type SearchService = (typeof SearchService)[number];

/** A service that can search the web. */
export interface SearchServiceInfo {
	service: string;
	title: string;
	terms: string;
	link: string;
	needsKey: boolean;
	hasFreshness: boolean;
	missing: string | null;
}

/** What is selected in the open note, or where the cursor stands. */
export interface Selection {
	text?: string;
	start?: Place | null;
	end?: Place | null;
	before?: string;
	after?: string;
	cut?: boolean;
}

/** Agreeing to have notes embedded on another machine. */
export interface SemanticAllowParams {
	endpoint: string;
}

/** How far search by meaning is. */
export interface SemanticStatus {
	state: "off" | "missing" | "waiting" | "embedding" | "paused" | "ready" | "failed" | "not_allowed";
	reason: string;
	model: string;
	done: number;
	total: number;
	passages: number;
	size: number;
	endpoint: string | null;
	sentence: string | null;
}

/** A server to enter, as `mcp.json` has it; one of its name is replaced where that is said. */
export interface ServerAddParams {
	name: string;
	entry: Record<string, unknown>;
	replace?: boolean;
}

/** Whether `mcp_loader` loads a server. */
export interface ServerEnableParams {
	name: string;
	enabled: boolean;
}

/** Which server of which program's configuration to take over. */
export interface ServerImportParams {
	agent: string;
	name: string;
}

/** A server that the person has entered. */
export interface ServerInfo {
	name: string;
	description: string;
	told: string[];
	enabled: boolean;
	trusted: boolean;
	state: string;
	reason: string;
	change: string | null;
	tools: ServerToolInfo[];
	faults: string[];
	log: string[];
	digest: string;
}

/** All servers. */
export interface ServerList {
	servers: ServerInfo[];
	file: string;
	fault: string | null;
	allowed: boolean;
}

/** Which server. */
export interface ServerParams {
	name: string;
}

/** A tool of a server. */
export interface ServerToolInfo {
	name: string;
	call: string;
	title: string;
	description: string;
	takes: string;
	readOnly: boolean;
	destructive: boolean;
	change: string | null;
}

/** Whether to trust a server, and what was shown of it. */
export interface ServerTrustParams {
	name: string;
	trusted?: boolean;
	digest?: string | null;
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
	waitSeconds: number;
	maxOutputBytes: number;
	structuredResults: boolean;
	sentBack: number;
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
	can?: ("consent" | "write" | "dirty" | "runTool")[] | null;
	brief?: boolean;
}

/** All settings as they are set, and what follows for the tools. */
export interface SettingsInForce {
	/** The tools that agents can see; `*` stands for all. */
	enabledTools: string[];
	/** When each tool asks you; a tool that is not listed has its own default. */
	consentMode: Record<string, "always_ask" | "session_allow" | "always_allow" | "never_allow">;
	/** Tools that only read run without asking, and the bridge's console shows every call. */
	developerMode: boolean;
	/** How long a question waits for your answer before the call is refused. */
	consentTimeout: number;
	/** How long a question waits for your answer if the program has a ticket and comes back for it. */
	ticketHours: number;
	/** How long an MCP client waits for your answer before it gets a ticket and comes back later. */
	waitSeconds: number;
	/** If you allow an agent to add for a while, it asks again after this many files. */
	addingMostFiles: number;
	/** How long a permission to add lasts. */
	addingMinutes: number;
	/** A permission without an end date is forgotten when no agent has used it for this long. */
	grantExpiryDays: number | null;
	/** A draft that is not handed in is discarded, unwritten, when nothing was staged for this long. */
	draftDays: number;
	/** An agent is told before, and goes on in another draft. Nothing that is staged is lost. */
	draftFiles: number;
	/** What one draft may take on the disk. An agent is told before it comes to this. */
	draftMegabytes: number;
	/** The system tells you of questions and handed-in drafts while no screen is connected, but not on Windows. */
	notifyAway: boolean;
	/** Where Ollama answers. An address elsewhere is asked about once; models that it passes to a cloud are refused. */
	chatEndpoint: string;
	/** The model that you talk to, such as `qwen3:8b`. Leave it empty if there is only one. */
	chatModel: string;
	/** How many tokens the model takes in at a time. More needs more memory. */
	chatContextLength: number;
	/** The model is stopped after so many without an answer; you can let it go on. */
	chatRounds: number;
	/** Which tools the model has. */
	chatTools: "minimal" | "agent" | "vault" | "everything";
	/** Where Ollama answers: on this computer, or `https://ollama.com` for a key from there. */
	ollamaWebSearchEndpoint: string;
	/** The services that `web_search` asks, in this order: the next one is asked if one fails. */
	webSearchProviders: ("ollama" | "searxng" | "brave" | "duckduckgo" | "google")[];
	/** Your SearXNG server, such as `http://localhost:8080`. */
	searxngEndpoint: string;
	/** The id of your search engine (`cx`), for Google. */
	googleSearchEngineId: string;
	/** The keys of services, encrypted. */
	encryptedKeys: Record<string, string>;
	/** Where `always_allow` of `web_fetch` holds; others are asked about. `*.example.org` covers subdomains, `localhost` is Ollama's port. */
	allowedDomains: string[];
	/** Every public site counts as one of the allowed domains. This is risky. */
	allowAllDomains: boolean;
	/** Sites that are not allowed domains are refused instead of asked about. */
	onlyAllowedDomains: boolean;
	/** The bridge connects to nothing outside this computer. Commands, servers that run here and Ollama still can. */
	blockExternalRequests: boolean;
	/** `http:` addresses are upgraded to `https:`, but not those of this computer and of services that you entered. */
	httpsOnly: boolean;
	/** Servers on this computer can use a certificate that no authority has signed. */
	allowSelfSignedLocalhost: boolean;
	/** Longer responses from the web are refused. */
	maxResponseSize: number;
	/** You see the beginning of a fetched page before an agent gets it, and are asked once more. */
	reviewWebPages: boolean;
	/** Redirects are followed, and each is checked. */
	followRedirects: boolean;
	/** The most redirects that one request follows. */
	maxRedirects: number;
	/** How long one try of a request to the web can take. */
	requestTimeout: number;
	/** Web pages that can connect to the bridge, besides Obsidian itself, such as `https://example.org`. */
	allowedOrigins: string[];
	/** Agents can ask to run commands. This is risky. */
	allowTerminal: boolean;
	/** Your own tools can run code. This is risky. */
	allowCustomTools: boolean;
	/** Agents can use the other servers that you have entered. This is risky. */
	allowMcpServers: boolean;
	/** Programs that agents start run only where a sandbox confines them. */
	requireSandbox: "always" | "never" | null;
	/** Commands that agents run can use the network. This is risky. */
	terminalNetwork: boolean;
	/** The folder of the vault in which commands run. Empty: the vault itself. */
	terminalFolder: string;
	/** How long a command can run before it is stopped. */
	terminalTimeout: number;
	/** Commands can read larger files other than notes (200 of them at most), and not change them. */
	terminalLargestFile: number;
	/** How often one program can call a tool, in place of the tool's own limit. */
	rateLimits: Record<string, number>;
	/** How often all programs together can call tools. */
	globalRateLimit: number;
	/** Results from the web are kept for a while. */
	cacheEnabled: boolean;
	/** How long a result from the web is used before it is fetched again. */
	cacheTTL: number;
	/** The most space for results from the web. Those not used for longest are removed first. */
	maxCacheSize: number;
	/** Every call and every decision is logged. */
	enableAuditLog: boolean;
	/** How long entries of the log are kept. */
	auditLogRetentionDays: 7 | 30 | 90 | null;
	/** The log keeps the values of arguments, not only their names. It names files in either case. */
	logParameterValues: boolean;
	/** The log leaves out the names of files and folders. */
	anonymizeLog: boolean;
	/** Nothing is ever shared. */
	shareUsageStatistics: boolean;
	/** Questions also find notes that say it in other words. “Auto” spares the battery and a busy computer. */
	semanticSearch: "auto" | "on" | "off";
	/** A model that Ollama runs at the chat's address, such as `nomic-embed-text`. Empty: those of Vault Bridge. */
	semanticModel: string;
	/** The text of PDF files is read in the background and found by searches, with its page. */
	searchPdfs: boolean;
	/** How many files `find` returns if the agent does not say. */
	findMaxResults: number;
	/** How many lines `grep` returns around a match if the agent does not say. */
	grepContextLines: number;
	/** How many matches `grep` returns if the agent does not say. */
	grepMaxMatches: number;
	/** How much of a file `read` returns if the agent does not say, within the largest answer. */
	readMaxBytes: number;
	/** The most text that a tool returns to an agent. Longer text is cut off. */
	maxOutputBytes: number;
	/** Patterns of files that searches skip, such as `Templates/**`. */
	ignorePatterns: string[];
	/** New files and folders get only names that also work on Windows: without quotes, question marks and the like. */
	portableNames: boolean;
	/** What a change replaces is kept so that you can undo the change. */
	patchBackupEnabled: boolean;
	/** How long a change can be undone. */
	backupRetentionDays: number | null;
	/** Changes that other programs make in the vault are recorded outside it so that you can undo them. */
	outsideVersions: boolean;
	/** How long earlier versions are kept that other programs replaced. */
	outsideVersionsDays: number;
	/** The most disk space for these versions. The least important ones are removed first. */
	outsideVersionsMegabytes: number;
	/** Folders in which changes by other programs are not recorded, such as `Exports`. */
	outsideVersionsExcluded: string[];
	/** Obsidian tells you when another program changes this many files at once, or removes most of a note. */
	outsideNoticeFiles: number | null;
	/** How many results `web_search` returns if the agent does not say. */
	webSearchMaxResults: number;
	/** How old results of `web_search` can be if the agent does not say. */
	webSearchDefaultFreshness: "day" | "week" | "month" | "year" | null;
	/** The largest part of a page that `web_fetch` returns. */
	webFetchMaxBytes: number;
	effective: EffectiveSettings;
}

/** One section, or everything. */
export interface SettingsResetParams {
	section?: "tools" | "chat" | "apis" | "network" | "performance" | "privacy" | "toolSpecific" | null;
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
	tools: ToolSetting[];
}

/** One section of the form. */
export interface SettingsSection {
	id: string;
	title: string;
	description: string;
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

/** What is taken where a draft and another hand changed the same: the vault's, the draft's, or one after the other. */
export const Take = ["vault", "draft", "both"] as const;
export type Take = (typeof Take)[number];

/** What sort of thing a call touches. */
export const TargetKind = ["file", "folder", "url", "command", "server_tool", "custom_tool"] as const;
export type TargetKind = (typeof TargetKind)[number];

/** One thing that a call touches. */
export interface TargetView {
	kind: TargetKind;
	label: string;
}

/** A chain with a name and parameters. */
export interface Template {
	name: string;
	title: string;
	description: string;
	parameters: TemplateParameter[];
	calls: ChainCall[];
}

/** A template, and where it comes from. */
export interface TemplateInfo {
	template: Template;
	shipped: boolean;
}

/** What is to be said when a template is run. */
export interface TemplateParameter {
	name: string;
	type: "text" | "number" | "boolean" | "list" | "date";
	title: string;
	description: string;
	optional: boolean;
	default: unknown;
	choices: string[];
}

/** Which of the user's own. */
export interface TemplateRemoveParams {
	name: string;
}

/** That a template is gone. `restored`: the one of this name that came with the bridge is there again. */
export interface TemplateRemoved {
	name: string;
	restored: boolean;
}

/** Which template, and the values of its parameters; the other members are as those of `tools.call`. */
export interface TemplateRunParams {
	name: string;
	values?: Record<string, unknown>;
	callId?: string | null;
	wait?: number | null;
	reason?: string | null;
	withdraw?: boolean;
	ask?: boolean;
	draft?: string | null;
	ticketIfAlone?: boolean;
}

/** The template, whole. With `replace`, one of the user's own with this name is overwritten. */
export interface TemplateSaveParams {
	template: Template;
	replace?: boolean;
}

/** A text. */
export interface TextPart {
	type: "text";
	text: string;
}

/** One call. `wait` (seconds) bounds the reply, not the call; `draft` is the draft that it is made in. */
export interface ToolCallParams {
	name: string;
	arguments?: Record<string, unknown>;
	callId?: string | null;
	wait?: number | null;
	reason?: string | null;
	withdraw?: boolean;
	ask?: boolean;
	draft?: string | null;
	ticketIfAlone?: boolean;
}

/** A call that is no longer wanted. */
export interface ToolCancelParams {
	callId: string;
}

/** The calls; the other members are as those of `tools.call`. */
export interface ToolChainParams {
	calls: ChainCall[];
	callId?: string | null;
	wait?: number | null;
	reason?: string | null;
	withdraw?: boolean;
	ask?: boolean;
	draft?: string | null;
	ticketIfAlone?: boolean;
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
	parts: (TextPart | DataPart | ImagePart | NotePart | LinkPart)[];
}

/** A call made before. `withdraw` and `ticket_if_alone` are as in `tools.call`. */
export interface ToolResultParams {
	callId: string;
	wait?: number | null;
	withdraw?: boolean;
	ticketIfAlone?: boolean;
}

/** A tool with what is set for it. */
export interface ToolSetting {
	name: string;
	title: string;
	description: string;
	risk: RiskLevel;
	consentClass: ConsentClass;
	group: string;
	enabled: boolean;
	mode: ConsentMode;
	modes: ConsentMode[];
	rate: number;
	defaultRate: number;
}

/** A call has begun. `call_id` is the caller's own id for it. */
export interface ToolStarted {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
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

/** Which changes: these, or all that fit; at least one member is needed. `preview` says what would become of each. */
export interface UndoAllParams {
	executionIds?: string[] | null;
	since?: string | null;
	client?: string | null;
	tool?: string | null;
	grant?: string | null;
	preview?: boolean;
}

/** Which change; of one by another program perhaps only some of its files. */
export interface UndoParams {
	executionId?: string | null;
	paths?: string[] | null;
}

/** What became, or would become, of several changes. */
export interface UndoneAll {
	changes: UndoneChange[];
	undone: number;
	skipped: number;
	files: number;
	text: string;
}

/** A change that was to be undone. */
export interface UndoneChange {
	executionId: string;
	tool: string;
	client: string;
	time: string;
	state: string;
	files: string[];
	added: number;
	removed: number;
	canUndo: boolean;
	clientId: string;
	who: string;
	summary: string;
	grant: string | null;
	outside: boolean;
	origin: string | null;
	brokenLinks: number;
	left: LeftFile[];
	undone: boolean;
	why: string | null;
}

/** When an answer stops holding. */
export const Until = ["once", "disconnect", "stop", "time", "revoked", "unused"] as const;
export type Until = (typeof Until)[number];

/** A file has changed, and whoever asks about it now is answered with the change known. */
export interface VaultChanged {
	path: string;
	change: string;
	entry: string | null;
}

/** The vault's folder is not in its place any more, or is again. `message` says what that means, for a person. */
export interface VaultMoved {
	inPlace: boolean;
	message: string;
}

/** How much is known of the vault. */
export interface VaultStatus {
	notes: number;
	files: number;
	indexed: number;
	indexing: boolean;
	lastSweep: string | null;
	byNameOnly: number;
	namedOnly: string[];
	inPlace: boolean;
	semantic: SemanticStatus;
}

/** Bytes that a file had. */
export interface VersionBytes {
	path: string;
	version: FileVersion;
	content: string;
}

/** The state that a file had at a time (ISO 8601), or the nearest after it that is kept. */
export interface VersionReadParams {
	path: string;
	at: string;
}

/** Brings the state of a file at a time back: in its place, or as the new file `to`. */
export interface VersionRestoreParams {
	path: string;
	at: string;
	to?: string | null;
}

/** By which change of another program. */
export interface VersionsBrokenParams {
	executionId: string;
}

/** Compares what there is with a time (ISO 8601): all files, or one folder or file, without some of them. */
export interface VersionsCompareParams {
	at: string;
	path?: string | null;
	without?: string[] | null;
	typed?: boolean;
}

/** What other programs changed since a time, as it would be taken back. */
export interface VersionsCompared {
	at: string;
	plan: string | null;
	text: string;
	files: FilePreview[];
	left: LeftOut[];
	nearest: NearestState[];
}

/** Of which file or folder; `everything` lets all go, and begins anew. */
export interface VersionsForgetParams {
	path?: string | null;
	everything?: boolean;
}

/** What became of it. */
export interface VersionsForgotten {
	path: string | null;
	found: boolean;
}

/** Of which file: a path, or a note's name. */
export interface VersionsListParams {
	path: string;
}

/** Mends them, if that is still the plan of which `versions.broken` gave the digest. */
export interface VersionsMendParams {
	executionId: string;
	plan: string;
}

/** Makes them what they were then, if that is still the plan of which `versions.compare` gave the digest. */
export interface VersionsRestoreAllParams {
	at: string;
	path?: string | null;
	without?: string[] | null;
	typed?: boolean;
	plan: string;
}

/** How things stand. */
export interface VersionsStatus {
	on: boolean;
	since: string | null;
	files: number;
	whole: number;
	entries: number;
	oldest: string | null;
	bytes: number;
	budget: number;
	fault: string | null;
}

/** Which client. */
export interface WebClearParams {
	clientId: string;
}

/** Whether the client was marked. */
export interface WebCleared {
	cleared: boolean;
}

/** A client that has read from the web, so that more of what it does is asked about. */
export interface WebReaderInfo {
	clientId: string;
	client: string;
	since: string;
	sites: string[];
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
	riskReasons: string[];
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
	"tools.chain": { params: ToolChainParams; result: ToolResult | PendingCall };
	"tools.result": { params: ToolResultParams; result: ToolResult | PendingCall };
	"tools.preview": { params: ToolPreviewParams; result: CallPreview | ToolResult };
	"tools.cancel": { params: ToolCancelParams; result: Cancelled };
	"history.list": { params: HistoryListParams; result: ChangeEntry[] };
	"history.undo": { params: UndoParams; result: ToolResult };
	"history.redo": { params: ReverseParams; result: ToolResult };
	"history.diff": { params: HistoryDiffParams; result: ChangeDiff };
	"history.undoAll": { params: UndoAllParams; result: UndoneAll };
	"versions.list": { params: VersionsListParams; result: FileVersions };
	"versions.read": { params: VersionReadParams; result: VersionBytes };
	"versions.restore": { params: VersionRestoreParams; result: ToolResult };
	"versions.compare": { params: VersionsCompareParams; result: VersionsCompared };
	"versions.restoreAll": { params: VersionsRestoreAllParams; result: ToolResult };
	"versions.broken": { params: VersionsBrokenParams; result: BrokenLinks };
	"versions.mend": { params: VersionsMendParams; result: ToolResult };
	"versions.forget": { params: VersionsForgetParams; result: VersionsForgotten };
	"versions.status": { params: Record<string, never>; result: VersionsStatus };
	"versions.notice": { params: Record<string, never>; result: OutsideNotice };
	"versions.fine": { params: Record<string, never>; result: OutsideNotice };
	"versions.wrote": { params: ObsidianWritesParams; result: ObsidianWritesHeard };
	"limits.status": { params: Record<string, never>; result: Record<string, LimitUse> };
	"vault.status": { params: Record<string, never>; result: VaultStatus };
	"sandbox.status": { params: Record<string, never>; result: SandboxStatus };
	"bridge.faults": { params: Record<string, never>; result: Faults };
	"semantic.rebuild": { params: Record<string, never>; result: SemanticStatus };
	"semantic.allow": { params: SemanticAllowParams; result: SemanticStatus };
	"index.compare": { params: CompareParams; result: IndexComparison };
	"consent.pending": { params: Record<string, never>; result: ConsentRequest[] };
	"consent.respond": { params: RespondParams; result: ConsentReply };
	"consent.respondAll": { params: RespondAllParams; result: ConsentReply[] };
	"consent.revise": { params: ReviseParams; result: Revision };
	"consent.resolve": { params: ResolveParams; result: Revision };
	"consent.confirm": { params: ConfirmParams; result: ConsentReply };
	"consent.grants": { params: Record<string, never>; result: Grant[] };
	"consent.revoke": { params: RevokeParams; result: Revoked };
	"consent.autoApprove": { params: AutoApproveParams; result: AutoApproved };
	"consent.endAll": { params: Record<string, never>; result: AllEnded };
	"consent.allowReading": { params: AllowReadingParams; result: ReadingAllowed };
	"policy.explain": { params: ExplainParams; result: Explanation | Refusal };
	"settings.get": { params: Record<string, never>; result: SettingsInForce };
	"settings.update": { params: SettingsUpdateParams; result: SettingsUpdated };
	"settings.reset": { params: SettingsResetParams; result: SettingsUpdated };
	"settings.schema": { params: Record<string, never>; result: SettingsSchema };
	"keys.set": { params: KeySetParams; result: KeyStatus };
	"keys.clear": { params: KeyParams; result: KeyStatus };
	"keys.status": { params: KeyStatusParams; result: KeyStatus[] };
	"keys.test": { params: KeyTestParams; result: KeyTest };
	"search.services": { params: Record<string, never>; result: SearchServiceInfo[] };
	"keys.rotate": { params: Record<string, never>; result: KeyStatus[] };
	"clients.list": { params: Record<string, never>; result: ClientInfo[] };
	"clients.add": { params: ClientAddParams; result: NewClient };
	"clients.rename": { params: ClientRenameParams; result: ClientInfo };
	"clients.update": { params: ClientUpdateParams; result: ClientInfo };
	"clients.revoke": { params: ClientRevokeParams; result: ClientInfo };
	"clients.allow": { params: ClientAllowParams; result: ClientInfo };
	"agents.list": { params: Record<string, never>; result: AgentInfo[] };
	"agents.preview": { params: AgentPreviewParams; result: AgentPlan };
	"agents.connect": { params: AgentDoParams; result: AgentOutcome };
	"agents.disconnect": { params: AgentDoParams; result: AgentOutcome };
	"audit.query": { params: AuditQueryParams; result: AuditRecord[] };
	"audit.export": { params: AuditExportParams; result: AuditExport | AuditExportFile };
	"audit.clear": { params: Record<string, never>; result: AuditCleared };
	"audit.verify": { params: Record<string, never>; result: AuditVerification };
	"audit.activity": { params: AuditActivityParams; result: AuditActivity };
	"audit.stats": { params: Record<string, never>; result: AuditStats };
	"drafts.list": { params: Record<string, never>; result: DraftInfo[] };
	"drafts.preview": { params: DraftParams; result: DraftPreview };
	"drafts.discard": { params: DraftParams; result: DraftDiscarded };
	"inbox.list": { params: Record<string, never>; result: InboxLine[] };
	"screen.tell": { params: ScreenTellParams; result: ScreenClients };
	"screen.clients": { params: Record<string, never>; result: ScreenClients };
	"templates.list": { params: Record<string, never>; result: TemplateInfo[] };
	"templates.run": { params: TemplateRunParams; result: ToolResult | PendingCall };
	"templates.save": { params: TemplateSaveParams; result: TemplateInfo };
	"templates.remove": { params: TemplateRemoveParams; result: TemplateRemoved };
	"cache.stats": { params: Record<string, never>; result: CacheState };
	"cache.clear": { params: Record<string, never>; result: CacheState };
	"web.readers": { params: Record<string, never>; result: WebReaderInfo[] };
	"web.clear": { params: WebClearParams; result: WebCleared };
	"web.sites": { params: Record<string, never>; result: AllowedSite[] };
	"servers.list": { params: Record<string, never>; result: ServerList };
	"servers.add": { params: ServerAddParams; result: ServerInfo };
	"servers.remove": { params: ServerParams; result: ServerList };
	"servers.test": { params: ServerParams; result: ServerInfo };
	"servers.trust": { params: ServerTrustParams; result: ServerInfo };
	"servers.enable": { params: ServerEnableParams; result: ServerInfo };
	"servers.found": { params: Record<string, never>; result: FoundServer[] };
	"servers.import": { params: ServerImportParams; result: ServerInfo };
	"chat.send": { params: ChatSendParams; result: ChatStarted };
	"chat.cancel": { params: ConversationParams; result: Cancelled };
	"chat.list": { params: Record<string, never>; result: ConversationInfo[] };
	"chat.read": { params: ConversationParams; result: Conversation };
	"chat.delete": { params: ConversationParams; result: ChatDeleted };
	"chat.export": { params: ChatExportParams; result: ToolResult | PendingCall };
	"chat.models": { params: Record<string, never>; result: ChatModels };
	"chat.allow": { params: ChatAllowParams; result: ChatModels };
	"custom.list": { params: Record<string, never>; result: CustomToolList };
	"custom.add": { params: CustomAddParams; result: CustomToolSaved };
	"custom.update": { params: CustomUpdateParams; result: CustomToolSaved };
	"custom.remove": { params: CustomParams; result: CustomToolList };
	"custom.test": { params: CustomTestParams; result: CustomResult };
	"custom.call": { params: CustomCallParams; result: CustomAnswer };
	"demo.ask": { params: Record<string, never>; result: ToolResult };
}

/** What each event holds. */
export interface Events {
	"consent.requested": ConsentRequest;
	"consent.resolved": ConsentResolved;
	"consent.revised": ConsentRevised;
	"consent.waiting": ConsentWaiting;
	"consent.own": OwnQuestion;
	"grants.changed": GrantsChanged;
	"tool.started": ToolStarted;
	"tool.progress": ToolProgress;
	"tool.output": ToolOutput;
	"tool.finished": ToolFinished;
	"tools.changed": ToolsChanged;
	"drafts.changed": DraftsChanged;
	"clients.changed": ClientsChanged;
	"limits.hit": LimitHit;
	"audit.appended": AuditAppended;
	"index.progress": IndexProgress;
	"vault.changed": VaultChanged;
	"vault.moved": VaultMoved;
	"versions.noticed": OutsideNotice;
	"screen.changed": ScreenChanged;
	"screen.show": ScreenShow;
	"chat.delta": ChatDelta;
	"chat.tool": ChatToolEvent;
	"chat.done": ChatDone;
	"custom.ended": CustomRunEnded;
}

export type EventName = keyof Events;
