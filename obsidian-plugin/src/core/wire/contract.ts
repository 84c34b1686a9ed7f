/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

/** The version of the protocol that this describes. */
export const PROTOCOL = 5;

/** The time that the person took to answer. */
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

/** The program, and the plan that was shown. */
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

/** The result of connecting or disconnecting a program. */
export interface AgentOutcome {
	backup: string | null;
	addedClient: boolean;
	revokedClient: boolean;
	then: string;
}

/** A plan: the effects of connecting or disconnecting a program, before anything is done. */
export interface AgentPlan {
	agent: string;
	client: string;
	removes: boolean;
	files: FilePreview[];
	kept: string[];
	digest: string;
}

/** The program, and whether to disconnect it. */
export interface AgentPreviewParams {
	agent: string;
	remove?: boolean;
}

/** The grants that have been ended; `text` says it in a sentence. */
export interface AllEnded {
	ended: Grant[];
	text: string;
}

/** The client, and the folders it reads without asking; `/` is the whole vault, none: it asks each time. */
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

/** The activity of agents over some days, according to the log. */
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

/** The number of days, with today. */
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

/** The number of records removed. */
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

/** The records to export, the format, and the file to write. */
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

/** The result of checking the log for alterations. */
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

/** The operation to approve without asking, and the client; without a client, for everybody. */
export interface AutoApproveParams {
	operation: "create" | "update";
	enabled: boolean;
	client?: string | null;
}

/** The state from now on; without a grant, the operation is asked about again. */
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

/** The state of the cache of web results. */
export interface CacheState {
	entries: number;
	size: number;
	hits: number;
	misses: number;
}

/** The effect of a call; for a read, all that can be said in advance. */
export interface CallPlan {
	tool: string;
	operation: Operation;
	riskLevel: RiskLevel;
	riskReasons: string[];
	summary: string;
	targets: string[];
}

/** The result of `tools.preview`. */
export interface CallPreview {
	plan: WritePlan | RequestPlan | CallPlan;
}

/** The result of cancelling: whether a call was stopped. */
export interface Cancelled {
	cancelled: boolean;
}

/** A permission of a client. */
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

/** The effect of a change on each file. */
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

/** The conversation to export, and the path of the note that it becomes. */
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

/** The address at which models run, and the models there. */
export interface ChatModels {
	endpoint: string;
	allowed: boolean;
	sentence: string | null;
	model: string | null;
	models: ChatModel[];
}

/** A message from the person, and its conversation; without one a new conversation begins. */
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

/** The person's name for the program, the tools that it gets, and whether it works in drafts. */
export interface ClientAddParams {
	name: string;
	preset?: Preset;
	drafts?: boolean;
}

/** A client, and the capability to add to those it has. */
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

/** A client, and its new name. */
export interface ClientRenameParams {
	clientId: string;
	name: string;
}

/** The client to revoke. */
export interface ClientRevokeParams {
	clientId: string;
}

/** A client, and the settings of it that change. */
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

/** Obsidian's facts on some notes, the unsaved ones among them and, once, the paths of all notes it knows. */
export interface CompareParams {
	files: Record<string, ObsidianFacts>;
	unsaved?: string[];
	notes?: string[] | null;
}

/** A question about the client's own call to which its user has said yes, for this once. */
export interface ConfirmParams {
	requestId: string;
}

/** The outcome of a test: it answered (`connected`), declined (`refused`) or did not answer (`unreachable`). */
export const Connection = ["connected", "refused", "unreachable"] as const;
export type Connection = (typeof Connection)[number];

/** The limit to which a tool may ever be trusted (`docs/protocol.md`, "Asking"). */
export const ConsentClass = ["always", "session", "never"] as const;
export type ConsentClass = (typeof ConsentClass)[number];

/** The user's setting for when a tool asks. */
export const ConsentMode = ["always_ask", "session_allow", "always_allow", "never_allow"] as const;
export type ConsentMode = (typeof ConsentMode)[number];

/** The result of `consent.respond`. `outcome` and `by` say how the question ended, whoever ended it. */
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

/** A conversation, by its id. */
export interface ConversationParams {
	conversationId: string;
}

/** The subject of an answer. */
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

/** A request to the bridge by the code of a run, passed on by the host that runs it. */
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

/** A custom tool, by its name. */
export interface CustomParams {
	name: string;
}

/** The result of one run. */
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

/** A tool to run once, stored (by its name) or not, and the parameters to run it with. */
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

/** The tool as stored. */
export interface CustomToolSaved {
	tool: CustomToolInfo;
	unchecked: string | null;
}

/** The tool to change, and its new values; what is left out stays. */
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

/** An answer that a person may give. */
export const Decision = ["allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"] as const;
export type Decision = (typeof Decision)[number];

/** The files of the question that are open, and those of them with text that is not on disk yet. */
export interface DirtyAnswer {
	open: string[];
	unsaved: string[];
}

/** The request `host.dirty`: which of these files are open in an editor, and which of those are unsaved? */
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

/** The result of discarding a draft: nothing of it has been written. */
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

/** A draft, by its id. */
export interface DraftParams {
	draftId: string;
}

/** The effect of taking a draft on each file, as the vault is now. */
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

/** The values in force for every tool, also where nothing is set for it. */
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

/** The verdict of the rules on a call. */
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

/** The present faults, each as a sentence that says what to do. */
export interface Faults {
	faults: string[];
	unprotected: string[];
}

/** The change to one file. `diff` is a unified diff of exactly the bytes that will be written. */
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
	facts: string[][];
	links: number;
	unit: string;
	yours: boolean;
	since: "" | "same" | "changed" | "new";
	newer: string;
	picture: ShownPicture | null;
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

/** A notice that answers were given, used, taken back or ended. `bounded` are those with a count or an end. */
export interface GrantsChanged {
	bounded: Grant[];
}

/** A change, by the id of its call. */
export interface HistoryDiffParams {
	executionId: string;
}

/** A choice of changes: how many, older than which, to which file or note, since when, by which client and tool. */
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

/** The holder of an answer: one connection of a program without a name, one client, or everyone. */
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

/** An item that waits for the person: one thing, or many of a kind from one client. */
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

/** The result of comparing some notes. */
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

/** The number of files read so far, of those to be read. */
export interface IndexProgress {
	done: number;
	total: number;
}

/** The place of the master key: the system's `keyring`, or a `file` that only the user can read. */
export const KeptIn = ["keyring", "file"] as const;
export type KeptIn = (typeof KeptIn)[number];

/** The provider of a key. */
export interface KeyParams {
	provider: Provider;
}

/** A provider and its key. The key is in no text that is made of the parameters. */
export interface KeySetParams {
	provider: Provider;
	key: string;
}

/** The state of one provider's key. */
export interface KeyStatus {
	provider: string;
	title: string;
	server: string;
	isSet: boolean;
	keptIn: string | null;
	fault: string | null;
}

/** A choice: whether to try to open the keys, for which the system's keyring may ask to be unlocked. */
export interface KeyStatusParams {
	open?: boolean;
}

/** The result of a test. */
export interface KeyTest {
	provider: string;
	outcome: string;
	message: string;
}

/** A search service; also one that needs no key. */
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

/** The use of a limit. */
export interface LimitUse {
	limit: number;
	used: number;
	queued: number;
}

/** A person's comment on a file of a draft, or on a line of it as in the preview after the change, from 1. */
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

/** A place where a draft and someone else changed the same, so that a person chooses. */
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

/** The content of Obsidian's `metadataCache` for one note. */
export interface ObsidianFacts {
	resolved: Record<string, number>;
	unresolved: Record<string, number>;
	tags: string[] | null;
	mtime: number;
	size: number;
}

/** A write by Obsidian, done or about to happen. */
export interface ObsidianWrite {
	path: string;
	digest?: string | null;
	source?: string | null;
	typed?: boolean;
}

/** The number of writes received. Whether they are believed depends on what is seen of the files. */
export interface ObsidianWritesHeard {
	heard: number;
}

/** Obsidian's writes, oldest first. */
export interface ObsidianWritesParams {
	writes: ObsidianWrite[];
}

/** The file that the person looks at. */
export interface OpenFile {
	path: string;
	view: string;
	selection?: Selection | null;
}

/** The effect of a tool on the vault or on the world outside. */
export const Operation = ["read", "create", "update", "delete", "network", "execute"] as const;
export type Operation = (typeof Operation)[number];

/** The way a question ended. Every question has exactly one outcome. */
export const Outcome = ["allowed", "denied", "timed_out", "cancelled", "stale"] as const;
export type Outcome = (typeof Outcome)[number];

/** A notice of other programs' changes. Sent to the person's own programs alone. */
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

/** The side chosen for one conflict. */
export interface PlaceChoice {
	placeId: string;
	take: Take;
}

/** A named set of tools. */
export const Preset = ["minimal", "agent", "vault", "everything"] as const;
export type Preset = (typeof Preset)[number];

/** A preview for the person: of a write, or of the exact request or command of another effect. */
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

/** The grant by which the client now reads without asking; None when it may read nothing. */
export interface ReadingAllowed {
	grant: Grant | null;
}

/** The fate of a call that does not get as far as the rules, or is refused before them. */
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

/** A person's choices for the conflicts between a draft and other changes. */
export interface ResolveParams {
	requestId: string;
	planDigest: string;
	choices: PlaceChoice[];
}

/** The answers to several questions that were shown in one list, each as `consent.respond` takes it. */
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

/** A change to reverse; by default the newest not yet undone, or the last undone. */
export interface ReverseParams {
	executionId?: string | null;
}

/** A person's comment on a file of a draft, or on a line of it, as sent to its client. */
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

/** The result of `consent.revise` and `consent.resolve`: the question now, or why the text was not accepted. */
export interface Revision {
	accepted: boolean;
	question: ConsentRequest | null;
	reason: string | null;
}

/** A grant or denial, by the id that `consent.grants` shows. */
export interface RevokeParams {
	grantId: string;
}

/** The result of revoking a grant: whether it existed. */
export interface Revoked {
	revoked: boolean;
}

/** The harm that a tool could do, as the question shows it. */
export const RiskLevel = ["safe", "low", "medium", "high"] as const;
export type RiskLevel = (typeof RiskLevel)[number];

/** The result of the run. */
export interface RunToolAnswer {
	success: boolean;
	result: unknown;
	error: string | null;
	executionTime: number;
	output: string;
}

/** The request `host.runTool`: run this code in a Worker that only reaches what `custom.call` gives it. */
export interface RunToolQuestion {
	run: string;
	tool: string;
	code: string;
	parameters: Record<string, unknown>;
	timeout: number;
}

/** The confinement of programs that agents have started on this computer. */
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

/** The files that the person has open or had open. */
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

/** A file, or what is selected in it, for a client or for the chat. */
export interface ScreenSendParams {
	clientId: string;
	open: OpenFile;
}

/** News of something that the person sent to a client, for the person's own programs. */
export interface ScreenSent {
	client: string;
	path: string;
	became: string;
	message: string;
}

/** A client wants to show the person a file. Sent to the plugin. */
export interface ScreenShow {
	client: string;
	path: string;
	part: string;
	line: number | null;
	unasked: boolean;
}

/** The person's screen now; None: nothing is reported any more. */
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

/** The selection in the open note, or the position of the cursor. */
export interface Selection {
	text?: string;
	start?: Place | null;
	end?: Place | null;
	before?: string;
	after?: string;
	cut?: boolean;
}

/** An agreement to have notes embedded on another machine. */
export interface SemanticAllowParams {
	endpoint: string;
}

/** The progress of search by meaning. */
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

/** The very text that goes to a client, or into a message; empty where nothing does. */
export interface SentText {
	text: string;
}

/** A server to enter, as `mcp.json` has it; one of its name is replaced where that is said. */
export interface ServerAddParams {
	name: string;
	entry: Record<string, unknown>;
	replace?: boolean;
}

/** A server, and whether `mcp_loader` loads it. */
export interface ServerEnableParams {
	name: string;
	enabled: boolean;
}

/** A server to import, and the program whose configuration has it. */
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

/** An MCP server, by its name. */
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

/** A server, whether to trust it, and the digest of what was shown of it. */
export interface ServerTrustParams {
	name: string;
	trusted?: boolean;
	digest?: string | null;
}

/** The caller's identity, session and vault. */
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
	sent: boolean;
}

/** The name of this connection now, and what its host can do. */
export interface SessionName {
	client: string;
	sessionId: string;
	can: string[];
}

/** The introduction of a client. */
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
	/** An agent is warned before the limit and continues in another draft. Nothing that is staged is lost. */
	draftFiles: number;
	/** The most disk space that one draft can take. An agent is warned before the limit. */
	draftMegabytes: number;
	/** The system tells you of questions and handed-in drafts while no screen is connected, but not on Windows. */
	notifyAway: boolean;
	/** Where Ollama answers. An address elsewhere is asked about once; models that it passes to a cloud are refused. */
	chatEndpoint: string;
	/** The model that you talk to, such as `qwen3:8b`. Leave it empty if there is only one. */
	chatModel: string;
	/** How many tokens the model takes in at a time. More needs more memory. */
	chatContextLength: number;
	/** The model is stopped after this many rounds without an answer; you can let it continue. */
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
	/** What `web_fetch`, if always allowed, reads without asking. `*.example.org` covers subdomains, `localhost` only Ollama's port. */
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
	/** Text in pictures is recognised in the background and found by searches. Needs the extra `drawn-text`. */
	searchPictures: boolean;
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

/** An image that a file becomes, made small to be shown. */
export interface ShownPicture {
	mimeType: string;
	data: string;
	width: number;
	height: number;
}

/** The events to subscribe to; the list replaces the one before. */
export interface SubscribeParams {
	kinds: "vault.changed"[];
}

/** The events that this connection is sent beside those that all of its role are. */
export interface Subscribed {
	kinds: string[];
}

/** The side to keep where a draft and someone else changed the same text: the vault's, the draft's, or both in turn. */
export const Take = ["vault", "draft", "both"] as const;
export type Take = (typeof Take)[number];

/** The kind of thing that a call touches. */
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

/** A value to give when a template is run. */
export interface TemplateParameter {
	name: string;
	type: "text" | "number" | "boolean" | "list" | "date";
	title: string;
	description: string;
	optional: boolean;
	default: unknown;
	choices: string[];
}

/** The template to remove, one of the user's own. */
export interface TemplateRemoveParams {
	name: string;
}

/** The removal of a template. `restored`: the one of this name that came with the bridge is back. */
export interface TemplateRemoved {
	name: string;
	restored: boolean;
}

/** The template to run, and the values of its parameters; the other members are as those of `tools.call`. */
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
	carry?: boolean;
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

/** The progress of a long call. `total` is None when that is not known. */
export interface ToolProgress {
	executionId: string;
	tool: string;
	client: string;
	callId: string | null;
	done: number;
	total: number | null;
	message: string;
}

/** The answer to a tool call, also when it failed: a failed tool is not a protocol error. */
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

/** A call made before. `withdraw`, `ticket_if_alone` and `carry` are as in `tools.call`. */
export interface ToolResultParams {
	callId: string;
	wait?: number | null;
	withdraw?: boolean;
	ticketIfAlone?: boolean;
	carry?: boolean;
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

/** The form of the list. */
export interface ToolsListParams {
	format?: "bridge" | "ollama" | "openai" | "mcp" | "text";
}

/** One result for each path of the question. */
export interface TrashAnswer {
	results: TrashResult[];
}

/** The request `host.trash`: put these where the user's deleted files go (as Obsidian is set). */
export interface TrashQuestion {
	paths: string[];
}

/** The outcome of moving one file to the trash. */
export interface TrashResult {
	path: string;
	outcome: "trashed" | "missing" | "failed";
}

/** A note that cannot be compared now, and so says nothing about either index. */
export interface UncomparedNote {
	path: string;
	reason: "unsaved" | "changed" | "unread";
}

/** A choice of changes: these, or all that fit; at least one member is needed. `preview` shows the effect on each. */
export interface UndoAllParams {
	executionIds?: string[] | null;
	since?: string | null;
	client?: string | null;
	tool?: string | null;
	grant?: string | null;
	preview?: boolean;
}

/** A change to undo; of one by another program, perhaps only some of its files. */
export interface UndoParams {
	executionId?: string | null;
	paths?: string[] | null;
}

/** The result, real or previewed, of undoing several changes. */
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

/** The end of an answer's validity. */
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

/** The state of the bridge's knowledge of the vault. */
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

/** The state of a file at a time to bring back: in its place, or as the new file `to`. */
export interface VersionRestoreParams {
	path: string;
	at: string;
	to?: string | null;
}

/** The change of another program that broke links. */
export interface VersionsBrokenParams {
	executionId: string;
}

/** The time to compare with (ISO 8601), and what: all files, or one folder or file, without some of them. */
export interface VersionsCompareParams {
	at: string;
	path?: string | null;
	without?: string[] | null;
	typed?: boolean;
}

/** The changes by other programs since a time, and how they would be taken back. */
export interface VersionsCompared {
	at: string;
	plan: string | null;
	text: string;
	files: FilePreview[];
	left: LeftOut[];
	nearest: NearestState[];
}

/** The file or folder to forget; `everything` lets all go, and begins anew. */
export interface VersionsForgetParams {
	path?: string | null;
	everything?: boolean;
}

/** The result of forgetting versions. */
export interface VersionsForgotten {
	path: string | null;
	found: boolean;
}

/** The file: a path, or a note's name. */
export interface VersionsListParams {
	path: string;
}

/** The change whose links to mend, if that is still the plan of which `versions.broken` gave the digest. */
export interface VersionsMendParams {
	executionId: string;
	plan: string;
}

/** The time to go back to, and the plan that `versions.compare` gave the digest of, if it is still that one. */
export interface VersionsRestoreAllParams {
	at: string;
	path?: string | null;
	without?: string[] | null;
	typed?: boolean;
	plan: string;
}

/** The state of recording other programs' changes. */
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

/** The client to clear of having read from the web. */
export interface WebClearParams {
	clientId: string;
}

/** The result of clearing: whether the client had been marked as a reader of the web. */
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

/** The effect of a write on each file. */
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

/** The request `host.write`: write these, if they hold what is expected, and never after `expires_at`. */
export interface WriteQuestion {
	changes: HostWrite[];
	expiresAt: string;
}

/** The outcome of writing one file. */
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
	"screen.tell": { params: ScreenTellParams; result: ScreenClients };
	"screen.clients": { params: Record<string, never>; result: ScreenClients };
	"screen.compose": { params: ScreenSendParams; result: SentText };
	"screen.send": { params: ScreenSendParams; result: SentText };
	"screen.take": { params: Record<string, never>; result: SentText };
	"tools.list": { params: ToolsListParams; result: ToolDescription[] | FunctionTool[] | McpTool[] | string };
	"tools.call": { params: ToolCallParams; result: ToolResult | PendingCall };
	"tools.chain": { params: ToolChainParams; result: ToolResult | PendingCall };
	"tools.result": { params: ToolResultParams; result: ToolResult | PendingCall };
	"tools.preview": { params: ToolPreviewParams; result: CallPreview | ToolResult };
	"tools.cancel": { params: ToolCancelParams; result: Cancelled };
	"templates.list": { params: Record<string, never>; result: TemplateInfo[] };
	"templates.run": { params: TemplateRunParams; result: ToolResult | PendingCall };
	"templates.save": { params: TemplateSaveParams; result: TemplateInfo };
	"templates.remove": { params: TemplateRemoveParams; result: TemplateRemoved };
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
	"demo.ask": { params: Record<string, never>; result: ToolResult };
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
	"inbox.list": { params: Record<string, never>; result: InboxLine[] };
	"drafts.list": { params: Record<string, never>; result: DraftInfo[] };
	"drafts.preview": { params: DraftParams; result: DraftPreview };
	"drafts.discard": { params: DraftParams; result: DraftDiscarded };
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
	"custom.list": { params: Record<string, never>; result: CustomToolList };
	"custom.add": { params: CustomAddParams; result: CustomToolSaved };
	"custom.update": { params: CustomUpdateParams; result: CustomToolSaved };
	"custom.remove": { params: CustomParams; result: CustomToolList };
	"custom.test": { params: CustomTestParams; result: CustomResult };
	"custom.call": { params: CustomCallParams; result: CustomAnswer };
	"chat.send": { params: ChatSendParams; result: ChatStarted };
	"chat.cancel": { params: ConversationParams; result: Cancelled };
	"chat.list": { params: Record<string, never>; result: ConversationInfo[] };
	"chat.read": { params: ConversationParams; result: Conversation };
	"chat.delete": { params: ConversationParams; result: ChatDeleted };
	"chat.export": { params: ChatExportParams; result: ToolResult | PendingCall };
	"chat.models": { params: Record<string, never>; result: ChatModels };
	"chat.allow": { params: ChatAllowParams; result: ChatModels };
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
	"screen.sent": ScreenSent;
	"screen.show": ScreenShow;
	"chat.delta": ChatDelta;
	"chat.tool": ChatToolEvent;
	"chat.done": ChatDone;
	"custom.ended": CustomRunEnded;
}

export type EventName = keyof Events;
