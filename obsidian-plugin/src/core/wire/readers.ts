/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

import { boolean, booleanOrFalse, dictionary, either, list, number, object, oneOf, optional, readable, record, string, stringOrEmpty, stringOrNull, time, unknown, type Members } from "../json";
import type { ActivityAnswers, ActivityClient, ActivityDay, ActivityTool, AgentInfo, AgentOutcome, AgentPlan, AllEnded, AllowedSite, AnswerOption, Attached, AuditActivity, AuditAppended, AuditCleared, AuditDropped, AuditExport, AuditExportFile, AuditFault, AuditHead, AuditRecord, AuditStats, AuditVerification, AuditedFile, AutoApproved, BrokenLinks, CacheState, CallPlan, CallPreview, Cancelled, ChainCall, ChangeDiff, ChangeEntry, ChatDeleted, ChatDelta, ChatDone, ChatMessage, ChatModel, ChatModels, ChatStarted, ChatToolCall, ChatToolEvent, ClientInfo, ClientsChanged, ConsentReply, ConsentRequest, ConsentResolved, ConsentRevised, ConsentWaiting, Conversation, ConversationInfo, CustomAnswer, CustomResult, CustomRunEnded, CustomToolInfo, CustomToolList, CustomToolSaved, DataPart, DirtyQuestion, Discovery, DraftDiscarded, DraftInfo, DraftPreview, DraftStep, DraftsChanged, EffectiveSettings, Endpoint, EnvironmentInfo, Events, Explanation, Faults, FilePreview, FileVersion, FileVersions, FoundServer, FunctionTool, Grant, GrantsChanged, HostWrite, ImagePart, IndexComparison, IndexDifference, IndexProgress, KeyStatus, KeyTest, LeftOut, LimitHit, LimitUse, LinkPart, McpAnnotations, McpTool, NearestState, NewClient, NotePart, ObsidianWritesHeard, OutsideNotice, OwnQuestion, PendingCall, Preview, ReadingAllowed, Refusal, RequestPlan, Revision, Revoked, RunToolQuestion, SandboxStatus, Scope, SearchServiceInfo, SemanticStatus, ServerInfo, ServerList, ServerToolInfo, SessionInfo, SessionName, SettingsInForce, SettingsSchema, SettingsSection, SettingsUpdated, Subscribed, TargetView, Template, TemplateInfo, TemplateParameter, TemplateRemoved, TextPart, ToolDescription, ToolFace, ToolFinished, ToolFunction, ToolOutput, ToolProgress, ToolResult, ToolSetting, ToolStarted, ToolsChanged, TrashQuestion, UncomparedNote, UndoneAll, UndoneChange, VaultChanged, VaultMoved, VaultStatus, VersionBytes, VersionsCompared, VersionsForgotten, VersionsStatus, WebCleared, WebReaderInfo, WritePlan, WriteQuestion } from "./contract";

export const activityAnswers: Members<ActivityAnswers> = {
	count: number,
	median: /* @__PURE__ */ optional(number, null),
	p90: /* @__PURE__ */ optional(number, null),
};
export const readActivityAnswers = /* @__PURE__ */ record(activityAnswers);

export const activityClient: Members<ActivityClient> = {
	calls: /* @__PURE__ */ optional(number, 0),
	succeeded: /* @__PURE__ */ optional(number, 0),
	failed: /* @__PURE__ */ optional(number, 0),
	refused: /* @__PURE__ */ optional(number, 0),
	allowed: /* @__PURE__ */ optional(number, 0),
	denied: /* @__PURE__ */ optional(number, 0),
	timedOut: /* @__PURE__ */ optional(number, 0),
	withdrawn: /* @__PURE__ */ optional(number, 0),
	created: /* @__PURE__ */ optional(number, 0),
	modified: /* @__PURE__ */ optional(number, 0),
	deleted: /* @__PURE__ */ optional(number, 0),
	moved: /* @__PURE__ */ optional(number, 0),
	unlisted: /* @__PURE__ */ optional(number, 0),
	cacheHits: /* @__PURE__ */ optional(number, 0),
	cacheMisses: /* @__PURE__ */ optional(number, 0),
	name: string,
	callsByDay: /* @__PURE__ */ list(number),
	changesByDay: /* @__PURE__ */ list(number),
};
export const readActivityClient = /* @__PURE__ */ record(activityClient);

export const activityDay: Members<ActivityDay> = {
	calls: /* @__PURE__ */ optional(number, 0),
	succeeded: /* @__PURE__ */ optional(number, 0),
	failed: /* @__PURE__ */ optional(number, 0),
	refused: /* @__PURE__ */ optional(number, 0),
	allowed: /* @__PURE__ */ optional(number, 0),
	denied: /* @__PURE__ */ optional(number, 0),
	timedOut: /* @__PURE__ */ optional(number, 0),
	withdrawn: /* @__PURE__ */ optional(number, 0),
	created: /* @__PURE__ */ optional(number, 0),
	modified: /* @__PURE__ */ optional(number, 0),
	deleted: /* @__PURE__ */ optional(number, 0),
	moved: /* @__PURE__ */ optional(number, 0),
	unlisted: /* @__PURE__ */ optional(number, 0),
	cacheHits: /* @__PURE__ */ optional(number, 0),
	cacheMisses: /* @__PURE__ */ optional(number, 0),
	day: string,
};
export const readActivityDay = /* @__PURE__ */ record(activityDay);

export const activityTool: Members<ActivityTool> = {
	tool: string,
	calls: number,
	succeeded: number,
	p50: /* @__PURE__ */ optional(number, null),
	p95: /* @__PURE__ */ optional(number, null),
};
export const readActivityTool = /* @__PURE__ */ record(activityTool);

export const agentInfo: Members<AgentInfo> = {
	agent: string,
	title: string,
	file: string,
	here: boolean,
	client: stringOrNull,
	fault: stringOrNull,
};
export const readAgentInfo = /* @__PURE__ */ record(agentInfo);

export const agentOutcome: Members<AgentOutcome> = {
	backup: stringOrNull,
	addedClient: boolean,
	revokedClient: boolean,
	then: string,
};
export const readAgentOutcome = /* @__PURE__ */ record(agentOutcome);

export const filePreview: Members<FilePreview> = {
	path: string,
	change: /* @__PURE__ */ oneOf("create", "modify", "move", "delete", "mkdir", "rmdir"),
	newPath: stringOrNull,
	added: /* @__PURE__ */ optional(number, 0),
	removed: /* @__PURE__ */ optional(number, 0),
	diff: stringOrEmpty,
	truncated: booleanOrFalse,
	follows: booleanOrFalse,
	note: stringOrEmpty,
	unit: stringOrEmpty,
};
export const readFilePreview = /* @__PURE__ */ record(filePreview);

export const agentPlan: Members<AgentPlan> = {
	agent: string,
	client: string,
	removes: boolean,
	files: /* @__PURE__ */ list(readFilePreview),
	kept: /* @__PURE__ */ list(string),
	digest: string,
};
export const readAgentPlan = /* @__PURE__ */ record(agentPlan);

export const grant: Members<Grant> = {
	who: string,
	what: string,
	tool: stringOrNull,
	operation: stringOrNull,
	where: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	additions: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	mostFiles: /* @__PURE__ */ optional(number, null),
	until: string,
	expires: stringOrNull,
	sentence: string,
	grantId: string,
	kind: string,
	client: stringOrNull,
	clientId: stringOrNull,
	sessionId: stringOrNull,
	decision: string,
	feedback: stringOrNull,
	usedFiles: /* @__PURE__ */ optional(number, null),
	since: stringOrNull,
};
export const readGrant = /* @__PURE__ */ record(grant);

export const allEnded: Members<AllEnded> = {
	ended: /* @__PURE__ */ list(readGrant),
	text: string,
};
export const readAllEnded = /* @__PURE__ */ record(allEnded);

export const allowedSite: Members<AllowedSite> = {
	site: string,
	allowedBy: stringOrNull,
	client: stringOrNull,
	sentence: string,
	lastUsed: stringOrNull,
};
export const readAllowedSite = /* @__PURE__ */ record(allowedSite);

export const answerOption: Members<AnswerOption> = {
	who: string,
	what: string,
	tool: stringOrNull,
	operation: stringOrNull,
	where: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	additions: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	mostFiles: /* @__PURE__ */ optional(number, null),
	until: string,
	expires: stringOrNull,
	sentence: string,
	optionId: string,
	decision: /* @__PURE__ */ oneOf("allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always"),
	label: string,
	suggested: booleanOrFalse,
};
export const readAnswerOption = /* @__PURE__ */ record(answerOption);

export const attached: Members<Attached> = {
	attached: /* @__PURE__ */ list(string),
};
export const readAttached = /* @__PURE__ */ record(attached);

export const auditActivity: Members<AuditActivity> = {
	days: /* @__PURE__ */ list(readActivityDay),
	clients: /* @__PURE__ */ list(readActivityClient),
	others: /* @__PURE__ */ optional(readActivityClient, null),
	tools: /* @__PURE__ */ list(readActivityTool),
	answers: readActivityAnswers,
	zone: string,
	records: number,
	damaged: number,
	complete: boolean,
};
export const readAuditActivity = /* @__PURE__ */ record(auditActivity);

export const auditAppended: Members<AuditAppended> = {
	timestamp: string,
	kind: string,
	tool: stringOrNull,
	executionId: stringOrNull,
	client: stringOrNull,
	success: /* @__PURE__ */ optional(boolean, null),
	errorType: stringOrNull,
	outcome: stringOrNull,
	rule: stringOrNull,
	event: stringOrNull,
};
export const readAuditAppended = /* @__PURE__ */ record(auditAppended);

export const auditCleared: Members<AuditCleared> = {
	cleared: number,
};
export const readAuditCleared = /* @__PURE__ */ record(auditCleared);

export const auditDropped: Members<AuditDropped> = {
	records: number,
	since: string,
	until: string,
};
export const readAuditDropped = /* @__PURE__ */ record(auditDropped);

export const auditExport: Members<AuditExport> = {
	format: /* @__PURE__ */ oneOf("json", "csv"),
	text: string,
	records: number,
	truncated: booleanOrFalse,
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
	newPath: stringOrNull,
	change: string,
	before: stringOrNull,
	after: stringOrNull,
};
export const readAuditedFile = /* @__PURE__ */ record(auditedFile);

export const auditRecord: Members<AuditRecord> = {
	seq: /* @__PURE__ */ optional(number, null),
	timestamp: string,
	kind: /* @__PURE__ */ optional(string, "execution"),
	tool: stringOrNull,
	executionId: stringOrNull,
	callId: stringOrNull,
	client: stringOrNull,
	success: /* @__PURE__ */ optional(boolean, null),
	errorType: stringOrNull,
	duration: /* @__PURE__ */ optional(number, null),
	outcome: stringOrNull,
	rule: stringOrNull,
	decision: stringOrNull,
	by: stringOrNull,
	event: stringOrNull,
	code: stringOrNull,
	count: /* @__PURE__ */ optional(number, null),
	files: /* @__PURE__ */ optional(/* @__PURE__ */ readable(readAuditedFile), []),
	sentence: stringOrEmpty,
};
export const readAuditRecord = /* @__PURE__ */ record(auditRecord);

export const auditStats: Members<AuditStats> = {
	size: number,
	generations: number,
	records: number,
	oldest: stringOrNull,
	newest: stringOrNull,
	fault: stringOrNull,
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
	droppedEarly: /* @__PURE__ */ optional(readAuditDropped, null),
	begins: /* @__PURE__ */ optional(readAuditHead, null),
	head: /* @__PURE__ */ optional(readAuditHead, null),
};
export const readAuditVerification = /* @__PURE__ */ record(auditVerification);

export const autoApproved: Members<AutoApproved> = {
	enabled: boolean,
	grant: /* @__PURE__ */ optional(readGrant, null),
};
export const readAutoApproved = /* @__PURE__ */ record(autoApproved);

export const brokenLinks: Members<BrokenLinks> = {
	plan: stringOrNull,
	text: string,
	files: /* @__PURE__ */ list(readFilePreview),
	warnings: /* @__PURE__ */ list(string),
};
export const readBrokenLinks = /* @__PURE__ */ record(brokenLinks);

export const cacheState: Members<CacheState> = {
	entries: number,
	size: number,
	hits: number,
	misses: number,
};
export const readCacheState = /* @__PURE__ */ record(cacheState);

export const callPlan: Members<CallPlan> = {
	tool: string,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	riskReasons: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	summary: string,
	targets: /* @__PURE__ */ list(string),
};
export const readCallPlan = /* @__PURE__ */ record(callPlan);

export const writePlan: Members<WritePlan> = {
	tool: string,
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	riskReasons: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
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
	riskReasons: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
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

export const chainCall: Members<ChainCall> = {
	name: string,
	tool: string,
	arguments: /* @__PURE__ */ optional(object, {}),
	each: /* @__PURE__ */ optional(object, null),
};
export const readChainCall = /* @__PURE__ */ record(chainCall);

export const changeDiff: Members<ChangeDiff> = {
	files: /* @__PURE__ */ list(readFilePreview),
	lost: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
};
export const readChangeDiff = /* @__PURE__ */ record(changeDiff);

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
	clientId: string,
	who: stringOrEmpty,
	summary: stringOrEmpty,
	grant: stringOrNull,
	outside: booleanOrFalse,
	origin: stringOrNull,
	brokenLinks: /* @__PURE__ */ optional(number, 0),
};
export const readChangeEntry = /* @__PURE__ */ record(changeEntry);

export const chatDeleted: Members<ChatDeleted> = {
	conversationId: string,
};
export const readChatDeleted = /* @__PURE__ */ record(chatDeleted);

export const chatDelta: Members<ChatDelta> = {
	conversationId: string,
	turnId: string,
	kind: string,
	text: string,
};
export const readChatDelta = /* @__PURE__ */ record(chatDelta);

export const chatDone: Members<ChatDone> = {
	conversationId: string,
	turnId: string,
	end: string,
	message: stringOrNull,
};
export const readChatDone = /* @__PURE__ */ record(chatDone);

export const chatToolCall: Members<ChatToolCall> = {
	callId: string,
	tool: string,
	arguments: /* @__PURE__ */ optional(object, {}),
	fault: stringOrNull,
};
export const readChatToolCall = /* @__PURE__ */ record(chatToolCall);

export const chatMessage: Members<ChatMessage> = {
	role: string,
	text: string,
	time: time,
	thinking: stringOrEmpty,
	calls: /* @__PURE__ */ optional(/* @__PURE__ */ list(readChatToolCall), []),
	callId: stringOrNull,
	tool: stringOrNull,
	summary: stringOrEmpty,
	state: stringOrNull,
	executionId: stringOrNull,
};
export const readChatMessage = /* @__PURE__ */ record(chatMessage);

export const chatModel: Members<ChatModel> = {
	name: string,
	size: /* @__PURE__ */ optional(number, 0),
};
export const readChatModel = /* @__PURE__ */ record(chatModel);

export const chatModels: Members<ChatModels> = {
	endpoint: string,
	allowed: boolean,
	sentence: stringOrNull,
	model: stringOrNull,
	models: /* @__PURE__ */ optional(/* @__PURE__ */ list(readChatModel), []),
};
export const readChatModels = /* @__PURE__ */ record(chatModels);

export const chatStarted: Members<ChatStarted> = {
	conversationId: string,
	turnId: string,
	model: string,
};
export const readChatStarted = /* @__PURE__ */ record(chatStarted);

export const chatToolEvent: Members<ChatToolEvent> = {
	conversationId: string,
	turnId: string,
	callId: string,
	tool: string,
	summary: string,
	state: string,
	text: stringOrEmpty,
	executionId: stringOrNull,
};
export const readChatToolEvent = /* @__PURE__ */ record(chatToolEvent);

export const clientInfo: Members<ClientInfo> = {
	clientId: string,
	name: string,
	callsItself: stringOrNull,
	capabilities: /* @__PURE__ */ readable(/* @__PURE__ */ oneOf("call", "answer", "administer")),
	preset: stringOrNull,
	elicitation: booleanOrFalse,
	drafts: booleanOrFalse,
	added: string,
	lastSeen: stringOrNull,
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
	by: stringOrNull,
	reason: stringOrNull,
	planDigest: stringOrNull,
	grant: /* @__PURE__ */ optional(readGrant, null),
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

export const preview: Members<Preview> = {
	files: /* @__PURE__ */ optional(/* @__PURE__ */ list(readFilePreview), []),
	backup: stringOrNull,
	warnings: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	request: stringOrNull,
};
export const readPreview = /* @__PURE__ */ record(preview);

export const scope: Members<Scope> = {
	kind: /* @__PURE__ */ oneOf("read_in_scope", "read_out_of_scope", "write_create", "write_update", "write_delete", "admin"),
	target: stringOrNull,
	sizeBytes: /* @__PURE__ */ optional(number, null),
	hasBacklinks: /* @__PURE__ */ optional(boolean, null),
	operation: stringOrNull,
	affectsCount: /* @__PURE__ */ optional(number, null),
};
export const readScope = /* @__PURE__ */ record(scope);

export const consentRequest: Members<ConsentRequest> = {
	requestId: string,
	client: string,
	clientId: stringOrEmpty,
	callsItself: stringOrNull,
	verified: booleanOrFalse,
	sessionId: string,
	tool: readToolFace,
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	riskReasons: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	summary: string,
	reason: stringOrNull,
	parameters: object,
	targets: /* @__PURE__ */ list(string),
	touches: /* @__PURE__ */ optional(/* @__PURE__ */ list(readTargetView), []),
	options: /* @__PURE__ */ optional(/* @__PURE__ */ readable(readAnswerOption), []),
	canBypass: boolean,
	choices: /* @__PURE__ */ readable(/* @__PURE__ */ oneOf("allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always")),
	preview: /* @__PURE__ */ optional(readPreview, null),
	planDigest: stringOrNull,
	hunksSupported: booleanOrFalse,
	editable: booleanOrFalse,
	revised: booleanOrFalse,
	createdAt: string,
	expiresAt: string,
	scope: /* @__PURE__ */ optional(readScope, null),
	brief: booleanOrFalse,
	waiting: booleanOrFalse,
	draft: stringOrNull,
};
export const readConsentRequest = /* @__PURE__ */ record(consentRequest);

export const consentResolved: Members<ConsentResolved> = {
	requestId: string,
	decision: stringOrNull,
	outcome: stringOrNull,
	by: stringOrNull,
};
export const readConsentResolved = /* @__PURE__ */ record(consentResolved);

export const consentRevised: Members<ConsentRevised> = {
	requestId: string,
	client: string,
	clientId: stringOrEmpty,
	callsItself: stringOrNull,
	verified: booleanOrFalse,
	sessionId: string,
	tool: readToolFace,
	riskLevel: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	riskReasons: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	operation: /* @__PURE__ */ oneOf("read", "create", "update", "delete", "network", "execute"),
	summary: string,
	reason: stringOrNull,
	parameters: object,
	targets: /* @__PURE__ */ list(string),
	touches: /* @__PURE__ */ optional(/* @__PURE__ */ list(readTargetView), []),
	options: /* @__PURE__ */ optional(/* @__PURE__ */ readable(readAnswerOption), []),
	canBypass: boolean,
	choices: /* @__PURE__ */ readable(/* @__PURE__ */ oneOf("allow_once", "allow_session", "allow_always", "deny_once", "deny_session", "deny_always")),
	preview: /* @__PURE__ */ optional(readPreview, null),
	planDigest: stringOrNull,
	hunksSupported: booleanOrFalse,
	editable: booleanOrFalse,
	revised: booleanOrFalse,
	createdAt: string,
	expiresAt: string,
	scope: /* @__PURE__ */ optional(readScope, null),
	brief: booleanOrFalse,
	waiting: booleanOrFalse,
	draft: stringOrNull,
};
export const readConsentRevised = /* @__PURE__ */ record(consentRevised);

export const consentWaiting: Members<ConsentWaiting> = {
	requestId: string,
	expiresAt: string,
};
export const readConsentWaiting = /* @__PURE__ */ record(consentWaiting);

export const conversation: Members<Conversation> = {
	conversationId: string,
	title: string,
	model: string,
	created: time,
	updated: time,
	messages: number,
	running: booleanOrFalse,
	history: /* @__PURE__ */ optional(/* @__PURE__ */ list(readChatMessage), []),
};
export const readConversation = /* @__PURE__ */ record(conversation);

export const conversationInfo: Members<ConversationInfo> = {
	conversationId: string,
	title: string,
	model: string,
	created: time,
	updated: time,
	messages: number,
	running: booleanOrFalse,
};
export const readConversationInfo = /* @__PURE__ */ record(conversationInfo);

export const customAnswer: Members<CustomAnswer> = {
	success: boolean,
	result: unknown,
	error: stringOrNull,
	code: stringOrNull,
};
export const readCustomAnswer = /* @__PURE__ */ record(customAnswer);

export const customResult: Members<CustomResult> = {
	success: boolean,
	result: unknown,
	error: stringOrNull,
	executionTime: number,
	output: stringOrEmpty,
};
export const readCustomResult = /* @__PURE__ */ record(customResult);

export const customRunEnded: Members<CustomRunEnded> = {
	run: string,
};
export const readCustomRunEnded = /* @__PURE__ */ record(customRunEnded);

export const customToolInfo: Members<CustomToolInfo> = {
	name: string,
	description: string,
	code: string,
	parameters: object,
	returns: stringOrNull,
	timeout: /* @__PURE__ */ optional(number, 30000),
	environment: /* @__PURE__ */ optional(string, "node"),
	enabled: /* @__PURE__ */ optional(boolean, true),
	createdAt: string,
	updatedAt: string,
	change: stringOrNull,
};
export const readCustomToolInfo = /* @__PURE__ */ record(customToolInfo);

export const environmentInfo: Members<EnvironmentInfo> = {
	environment: string,
	available: boolean,
	sentence: string,
};
export const readEnvironmentInfo = /* @__PURE__ */ record(environmentInfo);

export const customToolList: Members<CustomToolList> = {
	tools: /* @__PURE__ */ list(readCustomToolInfo),
	environments: /* @__PURE__ */ list(readEnvironmentInfo),
	allowed: boolean,
	file: string,
	fault: stringOrNull,
};
export const readCustomToolList = /* @__PURE__ */ record(customToolList);

export const customToolSaved: Members<CustomToolSaved> = {
	tool: readCustomToolInfo,
	unchecked: stringOrNull,
};
export const readCustomToolSaved = /* @__PURE__ */ record(customToolSaved);

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

export const draftDiscarded: Members<DraftDiscarded> = {
	draftId: string,
};
export const readDraftDiscarded = /* @__PURE__ */ record(draftDiscarded);

export const draftStep: Members<DraftStep> = {
	tool: string,
	summary: string,
	time: string,
};
export const readDraftStep = /* @__PURE__ */ record(draftStep);

export const draftInfo: Members<DraftInfo> = {
	draftId: string,
	client: string,
	clientId: string,
	created: string,
	touched: string,
	steps: /* @__PURE__ */ list(readDraftStep),
	files: /* @__PURE__ */ list(string),
	state: /* @__PURE__ */ optional(string, "open"),
	since: stringOrNull,
	words: stringOrNull,
	keptUntil: stringOrNull,
};
export const readDraftInfo = /* @__PURE__ */ record(draftInfo);

export const draftPreview: Members<DraftPreview> = {
	files: /* @__PURE__ */ optional(/* @__PURE__ */ list(readFilePreview), []),
	warnings: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	conflict: stringOrNull,
};
export const readDraftPreview = /* @__PURE__ */ record(draftPreview);

export const draftsChanged: Members<DraftsChanged> = {
};
export const readDraftsChanged = /* @__PURE__ */ record(draftsChanged);

export const effectiveSettings: Members<EffectiveSettings> = {
	consentMode: /* @__PURE__ */ dictionary(/* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow")),
	rateLimits: /* @__PURE__ */ dictionary(number),
};
export const readEffectiveSettings = /* @__PURE__ */ record(effectiveSettings);

export const endpoint: Members<Endpoint> = {
	url: string,
	http: string,
	token: string,
	pid: number,
	version: string,
	vault: stringOrEmpty,
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
	elicitation: booleanOrFalse,
};
export const readExplanation = /* @__PURE__ */ record(explanation);

export const faults: Members<Faults> = {
	faults: /* @__PURE__ */ list(string),
	unprotected: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
};
export const readFaults = /* @__PURE__ */ record(faults);

export const fileVersion: Members<FileVersion> = {
	since: string,
	until: stringOrNull,
	size: /* @__PURE__ */ optional(number, null),
	digest: string,
};
export const readFileVersion = /* @__PURE__ */ record(fileVersion);

export const fileVersions: Members<FileVersions> = {
	path: string,
	versions: /* @__PURE__ */ list(readFileVersion),
};
export const readFileVersions = /* @__PURE__ */ record(fileVersions);

export const foundServer: Members<FoundServer> = {
	agent: string,
	program: string,
	name: string,
	told: /* @__PURE__ */ list(string),
	fault: stringOrNull,
	known: boolean,
};
export const readFoundServer = /* @__PURE__ */ record(foundServer);

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

export const grantsChanged: Members<GrantsChanged> = {
	bounded: /* @__PURE__ */ optional(/* @__PURE__ */ list(readGrant), []),
};
export const readGrantsChanged = /* @__PURE__ */ record(grantsChanged);

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
	target: stringOrEmpty,
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

export const keyStatus: Members<KeyStatus> = {
	provider: string,
	title: string,
	server: string,
	isSet: boolean,
	keptIn: stringOrNull,
	fault: stringOrNull,
};
export const readKeyStatus = /* @__PURE__ */ record(keyStatus);

export const keyTest: Members<KeyTest> = {
	provider: string,
	outcome: string,
	message: string,
};
export const readKeyTest = /* @__PURE__ */ record(keyTest);

export const leftOut: Members<LeftOut> = {
	path: string,
	why: string,
	diff: /* @__PURE__ */ optional(readFilePreview, null),
};
export const readLeftOut = /* @__PURE__ */ record(leftOut);

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

export const linkPart: Members<LinkPart> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("link"), "link"),
	uri: string,
	name: string,
	mimeType: stringOrNull,
};
export const readLinkPart = /* @__PURE__ */ record(linkPart);

export const mcpAnnotations: Members<McpAnnotations> = {
};
export const readMcpAnnotations = /* @__PURE__ */ record(mcpAnnotations);

export const mcpTool: Members<McpTool> = {
	name: string,
	title: string,
	description: string,
	inputSchema: object,
	outputSchema: /* @__PURE__ */ optional(object, null),
	annotations: readMcpAnnotations,
};
export const readMcpTool = /* @__PURE__ */ record(mcpTool);

export const nearestState: Members<NearestState> = {
	path: string,
	at: string,
};
export const readNearestState = /* @__PURE__ */ record(nearestState);

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

export const obsidianWritesHeard: Members<ObsidianWritesHeard> = {
	heard: number,
};
export const readObsidianWritesHeard = /* @__PURE__ */ record(obsidianWritesHeard);

export const outsideNotice: Members<OutsideNotice> = {
	entries: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	message: stringOrEmpty,
	began: /* @__PURE__ */ optional(time, null),
	ended: /* @__PURE__ */ optional(time, null),
	unattended: booleanOrFalse,
};
export const readOutsideNotice = /* @__PURE__ */ record(outsideNotice);

export const ownQuestion: Members<OwnQuestion> = {
	requestId: string,
	callId: stringOrNull,
	message: string,
};
export const readOwnQuestion = /* @__PURE__ */ record(ownQuestion);

export const pendingCall: Members<PendingCall> = {
	status: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("pending"), "pending"),
	callId: string,
	requestId: stringOrNull,
	waits: stringOrNull,
	state: /* @__PURE__ */ optional(string, "running"),
	expiresAt: stringOrNull,
	text: stringOrEmpty,
};
export const readPendingCall = /* @__PURE__ */ record(pendingCall);

export const readingAllowed: Members<ReadingAllowed> = {
	grant: /* @__PURE__ */ optional(readGrant, null),
};
export const readReadingAllowed = /* @__PURE__ */ record(readingAllowed);

export const refusal: Members<Refusal> = {
	outcome: /* @__PURE__ */ oneOf("deny", "fail"),
	rule: string,
	why: string,
};
export const readRefusal = /* @__PURE__ */ record(refusal);

export const revision: Members<Revision> = {
	accepted: boolean,
	question: /* @__PURE__ */ optional(readConsentRequest, null),
	reason: stringOrNull,
};
export const readRevision = /* @__PURE__ */ record(revision);

export const revoked: Members<Revoked> = {
	revoked: boolean,
};
export const readRevoked = /* @__PURE__ */ record(revoked);

export const runToolQuestion: Members<RunToolQuestion> = {
	run: string,
	tool: string,
	code: string,
	parameters: object,
	timeout: number,
};
export const readRunToolQuestion = /* @__PURE__ */ record(runToolQuestion);

export const sandboxStatus: Members<SandboxStatus> = {
	confines: boolean,
	sentence: string,
	lacks: /* @__PURE__ */ list(string),
};
export const readSandboxStatus = /* @__PURE__ */ record(sandboxStatus);

export const searchServiceInfo: Members<SearchServiceInfo> = {
	service: string,
	title: string,
	terms: string,
	link: string,
	needsKey: boolean,
	hasFreshness: boolean,
	missing: stringOrNull,
};
export const readSearchServiceInfo = /* @__PURE__ */ record(searchServiceInfo);

export const semanticStatus: Members<SemanticStatus> = {
	state: /* @__PURE__ */ oneOf("off", "missing", "waiting", "embedding", "paused", "ready", "failed", "not_allowed"),
	reason: stringOrEmpty,
	model: stringOrEmpty,
	done: /* @__PURE__ */ optional(number, 0),
	total: /* @__PURE__ */ optional(number, 0),
	passages: /* @__PURE__ */ optional(number, 0),
	size: /* @__PURE__ */ optional(number, 0),
	endpoint: stringOrNull,
	sentence: stringOrNull,
};
export const readSemanticStatus = /* @__PURE__ */ record(semanticStatus);

export const serverToolInfo: Members<ServerToolInfo> = {
	name: string,
	call: string,
	title: string,
	description: string,
	takes: string,
	readOnly: boolean,
	destructive: boolean,
	change: stringOrNull,
};
export const readServerToolInfo = /* @__PURE__ */ record(serverToolInfo);

export const serverInfo: Members<ServerInfo> = {
	name: string,
	description: string,
	told: /* @__PURE__ */ list(string),
	enabled: boolean,
	trusted: boolean,
	state: string,
	reason: string,
	change: stringOrNull,
	tools: /* @__PURE__ */ list(readServerToolInfo),
	faults: /* @__PURE__ */ list(string),
	log: /* @__PURE__ */ list(string),
	digest: string,
};
export const readServerInfo = /* @__PURE__ */ record(serverInfo);

export const serverList: Members<ServerList> = {
	servers: /* @__PURE__ */ list(readServerInfo),
	file: string,
	fault: stringOrNull,
	allowed: boolean,
};
export const readServerList = /* @__PURE__ */ record(serverList);

export const sessionInfo: Members<SessionInfo> = {
	role: string,
	client: string,
	clientId: stringOrEmpty,
	capabilities: /* @__PURE__ */ optional(/* @__PURE__ */ readable(/* @__PURE__ */ oneOf("call", "answer", "administer")), []),
	sessionId: string,
	vault: string,
	version: string,
	protocol: /* @__PURE__ */ optional(number, 5),
	tools: /* @__PURE__ */ list(string),
	hostConnected: boolean,
	waitSeconds: /* @__PURE__ */ optional(number, 40),
	maxOutputBytes: /* @__PURE__ */ optional(number, 65536),
	structuredResults: booleanOrFalse,
};
export const readSessionInfo = /* @__PURE__ */ record(sessionInfo);

export const sessionName: Members<SessionName> = {
	client: string,
	sessionId: string,
	can: /* @__PURE__ */ list(string),
};
export const readSessionName = /* @__PURE__ */ record(sessionName);

export const settingsInForce: Members<SettingsInForce> = {
	enabledTools: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	consentMode: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(/* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow")), {}),
	developerMode: booleanOrFalse,
	consentTimeout: /* @__PURE__ */ optional(number, 300),
	ticketHours: /* @__PURE__ */ optional(number, 24),
	waitSeconds: /* @__PURE__ */ optional(number, 40),
	addingMostFiles: /* @__PURE__ */ optional(number, 50),
	addingMinutes: /* @__PURE__ */ optional(number, 60),
	grantExpiryDays: /* @__PURE__ */ optional(number, 30),
	draftDays: /* @__PURE__ */ optional(number, 7),
	chatEndpoint: /* @__PURE__ */ optional(string, "http://localhost:11434"),
	chatModel: stringOrEmpty,
	chatContextLength: /* @__PURE__ */ optional(number, 65536),
	chatRounds: /* @__PURE__ */ optional(number, 25),
	chatTools: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("minimal", "agent", "vault", "everything"), "agent"),
	ollamaWebSearchEndpoint: /* @__PURE__ */ optional(string, "http://localhost:11434"),
	webSearchProviders: /* @__PURE__ */ optional(/* @__PURE__ */ list(/* @__PURE__ */ oneOf("ollama", "searxng", "brave", "duckduckgo", "google")), []),
	searxngEndpoint: stringOrEmpty,
	googleSearchEngineId: stringOrEmpty,
	encryptedKeys: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(string), {}),
	allowedDomains: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	allowAllDomains: booleanOrFalse,
	onlyAllowedDomains: booleanOrFalse,
	blockExternalRequests: booleanOrFalse,
	httpsOnly: /* @__PURE__ */ optional(boolean, true),
	allowSelfSignedLocalhost: booleanOrFalse,
	maxResponseSize: /* @__PURE__ */ optional(number, 10485760),
	reviewWebPages: booleanOrFalse,
	followRedirects: /* @__PURE__ */ optional(boolean, true),
	maxRedirects: /* @__PURE__ */ optional(number, 5),
	requestTimeout: /* @__PURE__ */ optional(number, 30),
	allowedOrigins: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	allowTerminal: booleanOrFalse,
	allowCustomTools: booleanOrFalse,
	allowMcpServers: booleanOrFalse,
	requireSandbox: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("always", "never"), null),
	terminalNetwork: booleanOrFalse,
	terminalFolder: stringOrEmpty,
	terminalTimeout: /* @__PURE__ */ optional(number, 120),
	terminalLargestFile: /* @__PURE__ */ optional(number, 20971520),
	rateLimits: /* @__PURE__ */ optional(/* @__PURE__ */ dictionary(number), {}),
	globalRateLimit: /* @__PURE__ */ optional(number, 200),
	cacheEnabled: /* @__PURE__ */ optional(boolean, true),
	cacheTTL: /* @__PURE__ */ optional(number, 3600),
	maxCacheSize: /* @__PURE__ */ optional(number, 104857600),
	enableAuditLog: /* @__PURE__ */ optional(boolean, true),
	auditLogRetentionDays: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf(7, 30, 90), 30),
	logParameterValues: /* @__PURE__ */ optional(boolean, true),
	anonymizeLog: booleanOrFalse,
	shareUsageStatistics: booleanOrFalse,
	semanticSearch: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("auto", "on", "off"), "auto"),
	semanticModel: stringOrEmpty,
	searchPdfs: /* @__PURE__ */ optional(boolean, true),
	findMaxResults: /* @__PURE__ */ optional(number, 50),
	grepContextLines: /* @__PURE__ */ optional(number, 2),
	grepMaxMatches: /* @__PURE__ */ optional(number, 100),
	readMaxBytes: /* @__PURE__ */ optional(number, 1048576),
	maxOutputBytes: /* @__PURE__ */ optional(number, 65536),
	ignorePatterns: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	portableNames: /* @__PURE__ */ optional(boolean, true),
	patchBackupEnabled: /* @__PURE__ */ optional(boolean, true),
	backupRetentionDays: /* @__PURE__ */ optional(number, 30),
	outsideVersions: /* @__PURE__ */ optional(boolean, true),
	outsideVersionsDays: /* @__PURE__ */ optional(number, 14),
	outsideVersionsMegabytes: /* @__PURE__ */ optional(number, 500),
	outsideVersionsExcluded: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
	outsideNoticeFiles: /* @__PURE__ */ optional(number, 20),
	webSearchMaxResults: /* @__PURE__ */ optional(number, 5),
	webSearchDefaultFreshness: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("day", "week", "month", "year"), null),
	webFetchMaxBytes: /* @__PURE__ */ optional(number, 512000),
	effective: readEffectiveSettings,
};
export const readSettingsInForce = /* @__PURE__ */ record(settingsInForce);

export const settingsSection: Members<SettingsSection> = {
	id: string,
	title: string,
	description: string,
};
export const readSettingsSection = /* @__PURE__ */ record(settingsSection);

export const toolSetting: Members<ToolSetting> = {
	name: string,
	title: string,
	description: string,
	risk: /* @__PURE__ */ oneOf("safe", "low", "medium", "high"),
	consentClass: /* @__PURE__ */ oneOf("always", "session", "never"),
	group: string,
	enabled: boolean,
	mode: /* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow"),
	modes: /* @__PURE__ */ list(/* @__PURE__ */ oneOf("always_ask", "session_allow", "always_allow", "never_allow")),
	rate: number,
	defaultRate: number,
};
export const readToolSetting = /* @__PURE__ */ record(toolSetting);

export const settingsSchema: Members<SettingsSchema> = {
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("object"), "object"),
	title: string,
	description: string,
	additionalProperties: booleanOrFalse,
	properties: object,
	sections: /* @__PURE__ */ list(readSettingsSection),
	presets: /* @__PURE__ */ dictionary(/* @__PURE__ */ list(string)),
	tools: /* @__PURE__ */ list(readToolSetting),
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

export const templateParameter: Members<TemplateParameter> = {
	name: string,
	type: /* @__PURE__ */ optional(/* @__PURE__ */ oneOf("text", "number", "boolean", "list", "date"), "text"),
	title: stringOrEmpty,
	description: stringOrEmpty,
	optional: booleanOrFalse,
	default: unknown,
	choices: /* @__PURE__ */ optional(/* @__PURE__ */ list(string), []),
};
export const readTemplateParameter = /* @__PURE__ */ record(templateParameter);

export const template: Members<Template> = {
	name: string,
	title: string,
	description: stringOrEmpty,
	parameters: /* @__PURE__ */ optional(/* @__PURE__ */ list(readTemplateParameter), []),
	calls: /* @__PURE__ */ list(readChainCall),
};
export const readTemplate = /* @__PURE__ */ record(template);

export const templateInfo: Members<TemplateInfo> = {
	template: readTemplate,
	shipped: boolean,
};
export const readTemplateInfo = /* @__PURE__ */ record(templateInfo);

export const templateRemoved: Members<TemplateRemoved> = {
	name: string,
	restored: boolean,
};
export const readTemplateRemoved = /* @__PURE__ */ record(templateRemoved);

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
	callId: stringOrNull,
	success: boolean,
	durationMs: number,
};
export const readToolFinished = /* @__PURE__ */ record(toolFinished);

export const toolOutput: Members<ToolOutput> = {
	executionId: string,
	tool: string,
	client: string,
	callId: stringOrNull,
	text: string,
};
export const readToolOutput = /* @__PURE__ */ record(toolOutput);

export const toolProgress: Members<ToolProgress> = {
	executionId: string,
	tool: string,
	client: string,
	callId: stringOrNull,
	done: number,
	total: /* @__PURE__ */ optional(number, null),
	message: string,
};
export const readToolProgress = /* @__PURE__ */ record(toolProgress);

export const toolResult: Members<ToolResult> = {
	success: boolean,
	data: unknown,
	text: stringOrEmpty,
	error: stringOrNull,
	errorType: stringOrNull,
	executionId: stringOrNull,
	metadata: /* @__PURE__ */ optional(object, {}),
	parts: /* @__PURE__ */ optional(/* @__PURE__ */ list(/* @__PURE__ */ either(readTextPart, readDataPart, readImagePart, readNotePart, readLinkPart)), []),
};
export const readToolResult = /* @__PURE__ */ record(toolResult);

export const toolStarted: Members<ToolStarted> = {
	executionId: string,
	tool: string,
	client: string,
	callId: stringOrNull,
};
export const readToolStarted = /* @__PURE__ */ record(toolStarted);

export const toolsChanged: Members<ToolsChanged> = {
};
export const readToolsChanged = /* @__PURE__ */ record(toolsChanged);

export const trashQuestion: Members<TrashQuestion> = {
	paths: /* @__PURE__ */ list(string),
};
export const readTrashQuestion = /* @__PURE__ */ record(trashQuestion);

export const undoneChange: Members<UndoneChange> = {
	executionId: string,
	tool: string,
	client: string,
	time: string,
	state: string,
	files: /* @__PURE__ */ list(string),
	added: number,
	removed: number,
	canUndo: boolean,
	clientId: string,
	who: stringOrEmpty,
	summary: stringOrEmpty,
	grant: stringOrNull,
	outside: booleanOrFalse,
	origin: stringOrNull,
	brokenLinks: /* @__PURE__ */ optional(number, 0),
	undone: booleanOrFalse,
	why: stringOrNull,
};
export const readUndoneChange = /* @__PURE__ */ record(undoneChange);

export const undoneAll: Members<UndoneAll> = {
	changes: /* @__PURE__ */ list(readUndoneChange),
	undone: number,
	skipped: number,
	files: number,
	text: string,
};
export const readUndoneAll = /* @__PURE__ */ record(undoneAll);

export const vaultChanged: Members<VaultChanged> = {
	path: string,
	change: string,
	entry: stringOrNull,
};
export const readVaultChanged = /* @__PURE__ */ record(vaultChanged);

export const vaultMoved: Members<VaultMoved> = {
	inPlace: boolean,
	message: string,
};
export const readVaultMoved = /* @__PURE__ */ record(vaultMoved);

export const vaultStatus: Members<VaultStatus> = {
	notes: number,
	files: number,
	indexed: number,
	indexing: boolean,
	lastSweep: stringOrNull,
	byNameOnly: number,
	namedOnly: /* @__PURE__ */ list(string),
	inPlace: /* @__PURE__ */ optional(boolean, true),
	semantic: /* @__PURE__ */ optional(readSemanticStatus, {"state":"off","reason":"","model":"","done":0,"total":0,"passages":0,"size":0,"endpoint":null,"sentence":null}),
};
export const readVaultStatus = /* @__PURE__ */ record(vaultStatus);

export const versionBytes: Members<VersionBytes> = {
	path: string,
	version: readFileVersion,
	content: string,
};
export const readVersionBytes = /* @__PURE__ */ record(versionBytes);

export const versionsCompared: Members<VersionsCompared> = {
	at: string,
	plan: stringOrNull,
	text: string,
	files: /* @__PURE__ */ list(readFilePreview),
	left: /* @__PURE__ */ list(readLeftOut),
	nearest: /* @__PURE__ */ list(readNearestState),
};
export const readVersionsCompared = /* @__PURE__ */ record(versionsCompared);

export const versionsForgotten: Members<VersionsForgotten> = {
	path: stringOrNull,
	found: boolean,
};
export const readVersionsForgotten = /* @__PURE__ */ record(versionsForgotten);

export const versionsStatus: Members<VersionsStatus> = {
	on: boolean,
	since: stringOrNull,
	files: number,
	whole: number,
	entries: number,
	oldest: stringOrNull,
	bytes: number,
	budget: number,
	fault: stringOrNull,
};
export const readVersionsStatus = /* @__PURE__ */ record(versionsStatus);

export const webCleared: Members<WebCleared> = {
	cleared: boolean,
};
export const readWebCleared = /* @__PURE__ */ record(webCleared);

export const webReaderInfo: Members<WebReaderInfo> = {
	clientId: string,
	client: string,
	since: string,
	sites: /* @__PURE__ */ list(string),
};
export const readWebReaderInfo = /* @__PURE__ */ record(webReaderInfo);

export const writeQuestion: Members<WriteQuestion> = {
	changes: /* @__PURE__ */ list(readHostWrite),
	expiresAt: time,
};
export const readWriteQuestion = /* @__PURE__ */ record(writeQuestion);

/** The reader of each event. */
export const EVENT_READERS: Members<Events> = {
	"consent.requested": readConsentRequest,
	"consent.resolved": readConsentResolved,
	"consent.revised": readConsentRevised,
	"consent.waiting": readConsentWaiting,
	"consent.own": readOwnQuestion,
	"grants.changed": readGrantsChanged,
	"tool.started": readToolStarted,
	"tool.progress": readToolProgress,
	"tool.output": readToolOutput,
	"tool.finished": readToolFinished,
	"tools.changed": readToolsChanged,
	"drafts.changed": readDraftsChanged,
	"clients.changed": readClientsChanged,
	"limits.hit": readLimitHit,
	"audit.appended": readAuditAppended,
	"index.progress": readIndexProgress,
	"vault.changed": readVaultChanged,
	"vault.moved": readVaultMoved,
	"versions.noticed": readOutsideNotice,
	"chat.delta": readChatDelta,
	"chat.tool": readChatToolEvent,
	"chat.done": readChatDone,
	"custom.ended": readCustomRunEnded,
};
