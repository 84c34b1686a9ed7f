/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

import { boolean, dictionary, either, list, number, object, oneOf, optional, readable, record, string, time, unknown, type Members } from "../json";
import type { Attached, AuditAppended, AuditCleared, AuditExport, AuditExportFile, AuditFault, AuditHead, AuditRecord, AuditStats, AuditVerification, AuditedFile, AutoApproved, CallPlan, CallPreview, Cancelled, ChangeEntry, ClientInfo, ClientsChanged, ConsentReply, ConsentRequest, ConsentResolved, DataPart, DirtyQuestion, Discovery, Endpoint, Events, Explanation, Faults, FilePreview, FunctionTool, Grant, HostWrite, ImagePart, IndexComparison, IndexDifference, IndexProgress, LimitHit, LimitUse, McpAnnotations, McpTool, NewClient, NotePart, PendingCall, Preview, Refusal, RequestPlan, Revoked, RungView, Scope, SessionInfo, SessionName, Settings, SettingsSchema, SettingsSection, SettingsUpdated, Subscribed, TargetView, TextPart, ToolDescription, ToolFace, ToolFinished, ToolFunction, ToolOutput, ToolProgress, ToolResult, ToolStarted, ToolSummary, ToolsChanged, TrashQuestion, UncomparedNote, VaultChanged, VaultStatus, WritePlan, WriteQuestion } from "./contract";

export const attached: Members<Attached> = {
	attached: /* @__PURE__ */ list(string),
};
export const readAttached = /* @__PURE__ */ record(attached);

export const auditAppended: Members<AuditAppended> = {
	timestamp: string,
	kind: string,
	tool: /* @__PURE__ */ optional(string, null),
	executionId: /* @__PURE__ */ optional(string, null),
	client: /* @__PURE__ */ optional(string, null),
	success: /* @__PURE__ */ optional(boolean, null),
	errorType: /* @__PURE__ */ optional(string, null),
	outcome: /* @__PURE__ */ optional(string, null),
	rule: /* @__PURE__ */ optional(string, null),
	event: /* @__PURE__ */ optional(string, null),
};
export const readAuditAppended = /* @__PURE__ */ record(auditAppended);

export const auditCleared: Members<AuditCleared> = {
	cleared: number,
};
export const readAuditCleared = /* @__PURE__ */ record(auditCleared);

export const auditExport: Members<AuditExport> = {
	format: /* @__PURE__ */ oneOf("json", "csv"),
	text: string,
	records: number,
	truncated: /* @__PURE__ */ optional(boolean, false),
};
export const readAuditExport = /* @__PURE__ */ record(auditExport);

export const auditExportFile: Members<AuditExportFile> = {
	format: /* @__PURE__ */ oneOf("json", "csv"),
	path: string,
	records: number,
};
export const readAuditExportFile = /* @__PURE__ */ record(auditExportFile);

export const auditFault: Members<AuditFault> = {
	kind: string,
	file: string,
	line: /* @__PURE__ */ optional(number, null),
	seq: /* @__PURE__ */ optional(number, null),
	message: string,
};
export const readAuditFault = /* @__PURE__ */ record(auditFault);

export const auditHead: Members<AuditHead> = {
	seq: number,
	chain: string,
	total: number,
};
export const readAuditHead = /* @__PURE__ */ record(auditHead);

export const auditedFile: Members<AuditedFile> = {
	path: string,
	newPath: /* @__PURE__ */ optional(string, null),
	change: string,
	before: /* @__PURE__ */ optional(string, null),
	after: /* @__PURE__ */ optional(string, null),
};
export const readAuditedFile = /* @__PURE__ */ record(auditedFile);

export const auditRecord: Members<AuditRecord> = {
	seq: /* @__PURE__ */ optional(number, null),
	timestamp: string,
	kind: /* @__PURE__ */ optional(string, "execution"),
	tool: /* @__PURE__ */ optional(string, null),
	executionId: /* @__PURE__ */ optional(string, null),
	callId: /* @__PURE__ */ optional(string, null),
	client: /* @__PURE__ */ optional(string, null),
	success: /* @__PURE__ */ optional(boolean, null),
	errorType: /* @__PURE__ */ optional(string, null),
	duration: /* @__PURE__ */ optional(number, null),
	outcome: /* @__PURE__ */ optional(string, null),
	rule: /* @__PURE__ */ optional(string, null),
	decision: /* @__PURE__ */ optional(string, null),
	by: /* @__PURE__ */ optional(string, null),
	event: /* @__PURE__ */ optional(string, null),
	files: /* @__PURE__ */ optional(/* @__PURE__ */ readable(readAuditedFile), []),
};
export const readAuditRecord = /* @__PURE__ */ record(auditRecord);

export const auditStats: Members<AuditStats> = {
	size: number,
	generations: number,
	records: number,
	oldest: /* @__PURE__ */ optional(string, null),
	newest: /* @__PURE__ */ optional(string, null),
	fault: /* @__PURE__ */ optional(string, null),
	lost: number,
	chain: readAuditHead,
};
export const readAuditStats = /* @__PURE__ */ record(auditStats);

export const auditVerification: Members<AuditVerification> = {
	whole: boolean,
	records: /* @__PURE__ */ optional(number, 0),
	lost: /* @__PURE__ */ optional(number, 0),
	unverified: /* @__PURE__ */ optional(number, 0),
	faults: /* @__PURE__ */ optional(/* @__PURE__ */ list(readAuditFault), []),
	faultCount: /* @__PURE__ */ optional(number, 0),
	begins: /* @__PURE__ */ optional(readAuditHead, null),
	head: /* @__PURE__ */ optional(readAuditHead, null),
};
export const readAuditVerification = /* @__PURE__ */ record(auditVerification);

export const grant: Members<Grant> = {
	grantId: string,
	kind: string,
	client: /* @__PURE__ */ optional(string, null),
	clientId: /* @__PURE__ */ optional(string, null),
	sessionId: /* @__PURE__ */ optional(string, null),
	tool: /* @__PURE__ */ optional(string, null),
	target: /* @__PURE__ */ optional(string, null),
	reach: /* @__PURE__ */ optional(string, null),
	operation: /* @__PURE__ */ optional(string, null),
	decision: string,
	feedback: /* @__PURE__ */ optional(string, null),
	since: /* @__PURE__ */ optional(string, null),
	expires: /* @__PURE__ */ optional(string, null),
};
export const readGrant = /* @__PURE__ */ record(grant);

export const autoApproved: Members<AutoApproved> = {
	enabled: boolean,
	grant: /* @__PURE__ */ optional(readGrant, null),
};
export const readAutoApproved = /* @__PURE__ */ record(autoApproved);

export const callPlan: Members<CallPlan> = {
	tool: string,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	summary: string,
	targets: /* @__PURE__ */ list(string),
};
export const readCallPlan = /* @__PURE__ */ record(callPlan);

export const filePreview: Members<FilePreview> = {
	path: string,
	change: /* @__PURE__ */ oneOf("create", "modify", "move", "delete", "mkdir", "rmdir"),
	newPath: /* @__PURE__ */ optional(string, null),
	added: /* @__PURE__ */ optional(number, 0),
	removed: /* @__PURE__ */ optional(number, 0),
	diff: /* @__PURE__ */ optional(string, ""),
	truncated: /* @__PURE__ */ optional(boolean, false),
};
export const readFilePreview = /* @__PURE__ */ record(filePreview);

export const writePlan: Members<WritePlan> = {
	tool: string,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	summary: string,
	targets: /* @__PURE__ */ list(string),
	digest: string,
	files: /* @__PURE__ */ list(readFilePreview),
	warnings: /* @__PURE__ */ list(string),
};
export const readWritePlan = /* @__PURE__ */ record(writePlan);

export const requestPlan: Members<RequestPlan> = {
	tool: string,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	summary: string,
	targets: /* @__PURE__ */ list(string),
	request: string,
	warnings: /* @__PURE__ */ list(string),
};
export const readRequestPlan = /* @__PURE__ */ record(requestPlan);

export const callPreview: Members<CallPreview> = {
	plan: /* @__PURE__ */ either(readWritePlan, readRequestPlan, readCallPlan),
};
export const readCallPreview = /* @__PURE__ */ record(callPreview);

export const cancelled: Members<Cancelled> = {
	cancelled: boolean,
};
export const readCancelled = /* @__PURE__ */ record(cancelled);

export const changeEntry: Members<ChangeEntry> = {
	executionId: string,
	tool: string,
	client: string,
	time: string,
	state: string,
	files: /* @__PURE__ */ list(string),
	added: number,
	removed: number,
	canUndo: boolean,
};
export const readChangeEntry = /* @__PURE__ */ record(changeEntry);

export const clientInfo: Members<ClientInfo> = {
	clientId: string,
	name: string,
	callsItself: /* @__PURE__ */ optional(string, null),
	capabilities: /* @__PURE__ */ readable(/* @__PURE__ */ oneOf("call", "answer", "administer")),
	added: string,
	lastSeen: /* @__PURE__ */ optional(string, null),
	connected: /* @__PURE__ */ optional(number, 0),
};
export const readClientInfo = /* @__PURE__ */ record(clientInfo);

export const clientsChanged: Members<ClientsChanged> = {
	message: string,
};
export const readClientsChanged = /* @__PURE__ */ record(clientsChanged);

export const consentReply: Members<ConsentReply> = {
	accepted: boolean,
	outcome: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("allowed", "denied", "timed_out", "cancelled", "stale"), null),
	by: /* @__PURE__ */ optional(string, null),
	reason: /* @__PURE__ */ optional(string, null),
	planDigest: /* @__PURE__ */ optional(string, null),
};
export const readConsentReply = /* @__PURE__ */ record(consentReply);

export const toolFace: Members<ToolFace> = {
	name: string,
	title: string,
	description: string,
	icon: string,
};
export const readToolFace = /* @__PURE__ */ record(toolFace);

export const targetView: Members<TargetView> = {
	kind: /* @__PURE__ */ oneOf("file", "folder", "url", "command", "server_tool", "custom_tool"),
	label: string,
};
export const readTargetView = /* @__PURE__ */ record(targetView);

export const rungView: Members<RungView> = {
	reach: /* @__PURE__ */ oneOf("file", "folder", "vault", "page", "section", "site", "command", "executable", "tool", "server", "custom_tool"),
	keys: /* @__PURE__ */ list(string),
	label: string,
};
export const readRungView = /* @__PURE__ */ record(rungView);

export const preview: Members<Preview> = {
	files: /* @__PURE__ */ optional(/* @__PURE__ */ list(readFilePreview), []),
	backup: /* @__PURE__ */ optional(string, null),
	warnings: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	request: /* @__PURE__ */ optional(string, null),
};
export const readPreview = /* @__PURE__ */ record(preview);

export const scope: Members<Scope> = {
	kind: /* @__PURE__ */ oneOf("read_in_scope", "read_out_of_scope", "write_create", "write_update", "write_delete", "admin"),
	target: /* @__PURE__ */ optional(string, null),
	sizeBytes: /* @__PURE__ */ optional(number, null),
	hasBacklinks: /* @__PURE__ */ optional(boolean, null),
	operation: /* @__PURE__ */ optional(string, null),
	affectsCount: /* @__PURE__ */ optional(number, null),
};
export const readScope = /* @__PURE__ */ record(scope);

export const consentRequest: Members<ConsentRequest> = {
	requestId: string,
	client: string,
	clientId: /* @__PURE__ */ optional(string, ""),
	callsItself: /* @__PURE__ */ optional(string, null),
	verified: /* @__PURE__ */ optional(boolean, false),
	sessionId: string,
	tool: readToolFace,
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	summary: string,
	reason: /* @__PURE__ */ optional(string, null),
	parameters: object,
	targets: /* @__PURE__ */ list(string),
	touches: /* @__PURE__ */ optional(/* @__PURE__ */ list(readTargetView), []),
	ladder: /* @__PURE__ */ optional(/* @__PURE__ */ readable(readRungView), []),
	covers: /* @__PURE__ */ oneOf("tool", "target"),
	canBypass: boolean,
	choices: /* @__PURE__ */ readable(/* @__PURE__ */ oneOf("allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always")),
	preview: /* @__PURE__ */ optional(readPreview, null),
	planDigest: /* @__PURE__ */ optional(string, null),
	hunksSupported: /* @__PURE__ */ optional(boolean, false),
	createdAt: string,
	expiresAt: string,
	scope: /* @__PURE__ */ optional(readScope, null),
	brief: /* @__PURE__ */ optional(boolean, false),
};
export const readConsentRequest = /* @__PURE__ */ record(consentRequest);

export const consentResolved: Members<ConsentResolved> = {
	requestId: string,
	decision: /* @__PURE__ */ optional(string, null),
	outcome: /* @__PURE__ */ optional(string, null),
	by: /* @__PURE__ */ optional(string, null),
};
export const readConsentResolved = /* @__PURE__ */ record(consentResolved);

export const dataPart: Members<DataPart> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("data"), "data"),
	data: unknown,
};
export const readDataPart = /* @__PURE__ */ record(dataPart);

export const dirtyQuestion: Members<DirtyQuestion> = {
	paths: /* @__PURE__ */ list(string),
};
export const readDirtyQuestion = /* @__PURE__ */ record(dirtyQuestion);

export const discovery: Members<Discovery> = {
	url: string,
	http: string,
	pid: number,
	version: string,
	runDir: string,
};
export const readDiscovery = /* @__PURE__ */ record(discovery);

export const endpoint: Members<Endpoint> = {
	url: string,
	http: string,
	token: string,
	pid: number,
	version: string,
};
export const readEndpoint = /* @__PURE__ */ record(endpoint);

export const explanation: Members<Explanation> = {
	outcome: /* @__PURE__ */ oneOf("allow", "ask", "deny"),
	rule: string,
	why: string,
	choices: /* @__PURE__ */ list(/* @__PURE__ */ oneOf("allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always")),
	targets: /* @__PURE__ */ list(string),
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	class: /* @__PURE__ */ oneOf("always", "session", "never"),
	mode: /* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow"),
	summary: string,
};
export const readExplanation = /* @__PURE__ */ record(explanation);

export const faults: Members<Faults> = {
	faults: /* @__PURE__ */ list(string),
};
export const readFaults = /* @__PURE__ */ record(faults);

export const toolFunction: Members<ToolFunction> = {
	name: string,
	description: string,
	parameters: object,
};
export const readToolFunction = /* @__PURE__ */ record(toolFunction);

export const functionTool: Members<FunctionTool> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("function"), "function"),
	function: readToolFunction,
};
export const readFunctionTool = /* @__PURE__ */ record(functionTool);

export const hostWrite: Members<HostWrite> = {
	path: string,
	expected: string,
	content: string,
};
export const readHostWrite = /* @__PURE__ */ record(hostWrite);

export const imagePart: Members<ImagePart> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("image"), "image"),
	mimeType: string,
	data: string,
};
export const readImagePart = /* @__PURE__ */ record(imagePart);

export const indexDifference: Members<IndexDifference> = {
	path: string,
	kind: /* @__PURE__ */ oneOf("link", "unresolved", "tag", "tag_order", "note"),
	target: /* @__PURE__ */ optional(string, ""),
	obsidian: number,
	bridge: number,
};
export const readIndexDifference = /* @__PURE__ */ record(indexDifference);

export const uncomparedNote: Members<UncomparedNote> = {
	path: string,
	reason: /* @__PURE__ */ oneOf("unsaved", "changed", "unread"),
};
export const readUncomparedNote = /* @__PURE__ */ record(uncomparedNote);

export const indexComparison: Members<IndexComparison> = {
	compared: number,
	links: number,
	tags: number,
	differences: /* @__PURE__ */ list(readIndexDifference),
	more: number,
	uncompared: /* @__PURE__ */ list(readUncomparedNote),
};
export const readIndexComparison = /* @__PURE__ */ record(indexComparison);

export const indexProgress: Members<IndexProgress> = {
	done: number,
	total: number,
};
export const readIndexProgress = /* @__PURE__ */ record(indexProgress);

export const limitHit: Members<LimitHit> = {
	tool: string,
	retryAfter: number,
	message: string,
	client: string,
};
export const readLimitHit = /* @__PURE__ */ record(limitHit);

export const limitUse: Members<LimitUse> = {
	limit: number,
	used: number,
	queued: number,
};
export const readLimitUse = /* @__PURE__ */ record(limitUse);

export const mcpAnnotations: Members<McpAnnotations> = {
	title: string,
	readOnlyHint: boolean,
	destructiveHint: boolean,
	idempotentHint: boolean,
	openWorldHint: boolean,
};
export const readMcpAnnotations = /* @__PURE__ */ record(mcpAnnotations);

export const mcpTool: Members<McpTool> = {
	name: string,
	title: string,
	description: string,
	inputSchema: object,
	annotations: readMcpAnnotations,
};
export const readMcpTool = /* @__PURE__ */ record(mcpTool);

export const newClient: Members<NewClient> = {
	client: readClientInfo,
	token: string,
};
export const readNewClient = /* @__PURE__ */ record(newClient);

export const notePart: Members<NotePart> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("note"), "note"),
	path: string,
	title: string,
};
export const readNotePart = /* @__PURE__ */ record(notePart);

export const pendingCall: Members<PendingCall> = {
	status: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("pending"), "pending"),
	callId: string,
	requestId: /* @__PURE__ */ optional(string, null),
};
export const readPendingCall = /* @__PURE__ */ record(pendingCall);

export const refusal: Members<Refusal> = {
	outcome: /* @__PURE__ */ oneOf("deny", "fail"),
	rule: string,
	why: string,
};
export const readRefusal = /* @__PURE__ */ record(refusal);

export const revoked: Members<Revoked> = {
	revoked: boolean,
};
export const readRevoked = /* @__PURE__ */ record(revoked);

export const sessionInfo: Members<SessionInfo> = {
	role: string,
	client: string,
	clientId: /* @__PURE__ */ optional(string, ""),
	capabilities: /* @__PURE__ */ optional(/* @__PURE__ */ readable(/* @__PURE__ */ oneOf("call", "answer", "administer")), []),
	sessionId: string,
	vault: string,
	version: string,
	protocol: /* @__PURE__ */ optional(number, 3),
	tools: /* @__PURE__ */ list(string),
	hostConnected: boolean,
};
export const readSessionInfo = /* @__PURE__ */ record(sessionInfo);

export const sessionName: Members<SessionName> = {
	client: string,
	sessionId: string,
	can: /* @__PURE__ */ list(string),
};
export const readSessionName = /* @__PURE__ */ record(sessionName);

export const settings: Members<Settings> = {
	enabledTools: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	consentMode: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(/* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow")), {}),
	developerMode: /* @__PURE__ */ optional(boolean, false),
	consentTimeout: /* @__PURE__ */ optional(number, 300),
	grantExpiryDays: /* @__PURE__ */ optional(number, 30),
	ollamaWebSearchEndpoint: /* @__PURE__ */ optional(string, "http://localhost:11434"),
	encryptedKeys: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(string), {}),
	allowedDomains: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	allowAllDomains: /* @__PURE__ */ optional(boolean, false),
	blockExternalRequests: /* @__PURE__ */ optional(boolean, false),
	httpsOnly: /* @__PURE__ */ optional(boolean, true),
	maxResponseSize: /* @__PURE__ */ optional(number, 10485760),
	followRedirects: /* @__PURE__ */ optional(boolean, true),
	maxRedirects: /* @__PURE__ */ optional(number, 5),
	requestTimeout: /* @__PURE__ */ optional(number, 30),
	allowedOrigins: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	allowTerminal: /* @__PURE__ */ optional(boolean, false),
	allowCustomTools: /* @__PURE__ */ optional(boolean, false),
	allowMcpServers: /* @__PURE__ */ optional(boolean, false),
	rateLimits: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(number), {}),
	globalRateLimit: /* @__PURE__ */ optional(number, 200),
	cacheEnabled: /* @__PURE__ */ optional(boolean, true),
	cacheTTL: /* @__PURE__ */ optional(number, 3600),
	maxCacheSize: /* @__PURE__ */ optional(number, 104857600),
	enableAuditLog: /* @__PURE__ */ optional(boolean, true),
	auditLogRetentionDays: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(7, 30, 90), 30),
	logParameterValues: /* @__PURE__ */ optional(boolean, true),
	anonymizeLog: /* @__PURE__ */ optional(boolean, false),
	shareUsageStatistics: /* @__PURE__ */ optional(boolean, false),
	findMaxResults: /* @__PURE__ */ optional(number, 50),
	grepContextLines: /* @__PURE__ */ optional(number, 2),
	grepMaxMatches: /* @__PURE__ */ optional(number, 100),
	readMaxBytes: /* @__PURE__ */ optional(number, 1048576),
	maxOutputBytes: /* @__PURE__ */ optional(number, 65536),
	ignorePatterns: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	patchBackupEnabled: /* @__PURE__ */ optional(boolean, true),
	backupRetentionDays: /* @__PURE__ */ optional(number, 30),
	webSearchMaxResults: /* @__PURE__ */ optional(number, 5),
	webSearchDefaultFreshness: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("day", "week", "month", "year"), null),
	webFetchMaxBytes: /* @__PURE__ */ optional(number, 512000),
};
export const readSettings = /* @__PURE__ */ record(settings);

export const settingsSection: Members<SettingsSection> = {
	id: string,
	title: string,
};
export const readSettingsSection = /* @__PURE__ */ record(settingsSection);

export const toolSummary: Members<ToolSummary> = {
	name: string,
	title: string,
	description: string,
	risk: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	consentClass: /* @__PURE__ */ oneOf("always", "session", "never"),
};
export const readToolSummary = /* @__PURE__ */ record(toolSummary);

export const settingsSchema: Members<SettingsSchema> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("object"), "object"),
	title: string,
	description: string,
	additionalProperties: /* @__PURE__ */ optional(boolean, false),
	properties: object,
	sections: /* @__PURE__ */ list(readSettingsSection),
	presets: /* @__PURE__ */ dictionary(/* @__PURE__ */ list(string)),
	tools: /* @__PURE__ */ list(readToolSummary),
};
export const readSettingsSchema = /* @__PURE__ */ record(settingsSchema);

export const settingsUpdated: Members<SettingsUpdated> = {
	settings: object,
	warnings: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
};
export const readSettingsUpdated = /* @__PURE__ */ record(settingsUpdated);

export const subscribed: Members<Subscribed> = {
	kinds: /* @__PURE__ */ list(string),
};
export const readSubscribed = /* @__PURE__ */ record(subscribed);

export const textPart: Members<TextPart> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("text"), "text"),
	text: string,
};
export const readTextPart = /* @__PURE__ */ record(textPart);

export const toolDescription: Members<ToolDescription> = {
	name: string,
	title: string,
	description: string,
	risk: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	consentClass: /* @__PURE__ */ oneOf("always", "session", "never"),
	icon: string,
	parameters: object,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	consentMode: /* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow"),
	requiresConsent: boolean,
	canBypass: boolean,
	requiresPreview: boolean,
	canUndo: boolean,
	provider: string,
};
export const readToolDescription = /* @__PURE__ */ record(toolDescription);

export const toolFinished: Members<ToolFinished> = {
	executionId: string,
	tool: string,
	client: string,
	callId: /* @__PURE__ */ optional(string, null),
	success: boolean,
	durationMs: number,
};
export const readToolFinished = /* @__PURE__ */ record(toolFinished);

export const toolOutput: Members<ToolOutput> = {
	executionId: string,
	tool: string,
	client: string,
	callId: /* @__PURE__ */ optional(string, null),
	text: string,
};
export const readToolOutput = /* @__PURE__ */ record(toolOutput);

export const toolProgress: Members<ToolProgress> = {
	executionId: string,
	tool: string,
	client: string,
	callId: /* @__PURE__ */ optional(string, null),
	done: number,
	total: /* @__PURE__ */ optional(number, null),
	message: string,
};
export const readToolProgress = /* @__PURE__ */ record(toolProgress);

export const toolResult: Members<ToolResult> = {
	success: boolean,
	data: unknown,
	text: /* @__PURE__ */ optional(string, ""),
	error: /* @__PURE__ */ optional(string, null),
	errorType: /* @__PURE__ */ optional(string, null),
	executionId: /* @__PURE__ */ optional(string, null),
	metadata: /* @__PURE__ */ optional(object, {}),
	parts: /* @__PURE__ */ optional(/* @__PURE__ */ list(/* @__PURE__ */ either(readTextPart, readDataPart, readImagePart, readNotePart)), []),
};
export const readToolResult = /* @__PURE__ */ record(toolResult);

export const toolStarted: Members<ToolStarted> = {
	executionId: string,
	tool: string,
	client: string,
	callId: /* @__PURE__ */ optional(string, null),
};
export const readToolStarted = /* @__PURE__ */ record(toolStarted);

export const toolsChanged: Members<ToolsChanged> = {
};
export const readToolsChanged = /* @__PURE__ */ record(toolsChanged);

export const trashQuestion: Members<TrashQuestion> = {
	paths: /* @__PURE__ */ list(string),
};
export const readTrashQuestion = /* @__PURE__ */ record(trashQuestion);

export const vaultChanged: Members<VaultChanged> = {
	path: string,
	change: string,
};
export const readVaultChanged = /* @__PURE__ */ record(vaultChanged);

export const vaultStatus: Members<VaultStatus> = {
	notes: number,
	files: number,
	indexed: number,
	indexing: boolean,
	lastSweep: /* @__PURE__ */ optional(string, null),
};
export const readVaultStatus = /* @__PURE__ */ record(vaultStatus);

export const writeQuestion: Members<WriteQuestion> = {
	changes: /* @__PURE__ */ list(readHostWrite),
	expiresAt: time,
};
export const readWriteQuestion = /* @__PURE__ */ record(writeQuestion);

/** The reader of each event. */
export const EVENT_READERS: Members<Events> = {
	"consent.requested": readConsentRequest,
	"consent.resolved": readConsentResolved,
	"tool.started": readToolStarted,
	"tool.progress": readToolProgress,
	"tool.output": readToolOutput,
	"tool.finished": readToolFinished,
	"tools.changed": readToolsChanged,
	"clients.changed": readClientsChanged,
	"limits.hit": readLimitHit,
	"audit.appended": readAuditAppended,
	"index.progress": readIndexProgress,
	"vault.changed": readVaultChanged,
};
