/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

import type { Members } from "../json";
import { model } from "../shape";
import type { ActivityAnswers, ActivityClient, ActivityDay, ActivityTool, AgentInfo, AgentOutcome, AgentPlan, AllEnded, AllowedSite, AnswerOption, Attached, AuditActivity, AuditAppended, AuditCleared, AuditDropped, AuditExport, AuditExportFile, AuditFault, AuditHead, AuditRecord, AuditStats, AuditVerification, AuditedFile, AutoApproved, BrokenLinks, CacheState, CallPlan, CallPreview, Cancelled, ChainCall, ChangeDiff, ChangeEntry, ChatDeleted, ChatDelta, ChatDone, ChatMessage, ChatModel, ChatModels, ChatStarted, ChatToolCall, ChatToolEvent, ClientInfo, ClientsChanged, ConsentReply, ConsentRequest, ConsentResolved, ConsentRevised, ConsentWaiting, Conversation, ConversationInfo, CustomAnswer, CustomResult, CustomRunEnded, CustomToolInfo, CustomToolList, CustomToolSaved, DataPart, DirtyQuestion, Discovery, DraftDiscarded, DraftInfo, DraftPreview, DraftStep, DraftsChanged, EffectiveSettings, Endpoint, EnvironmentInfo, Events, Explanation, Faults, FilePreview, FileVersion, FileVersions, FoundServer, FunctionTool, Grant, GrantsChanged, HostWrite, ImagePart, InboxLine, IndexComparison, IndexDifference, IndexProgress, KeyStatus, KeyTest, LeftFile, LeftOut, LimitHit, LimitUse, LinkPart, McpAnnotations, McpTool, MergePlace, NearestState, NewClient, NotePart, ObsidianWritesHeard, OutsideNotice, OwnQuestion, PendingCall, Preview, ReadingAllowed, Refusal, RequestPlan, ReviewComment, Revision, Revoked, RunToolQuestion, SandboxStatus, Scope, ScreenChanged, ScreenClients, ScreenShow, SearchServiceInfo, SemanticStatus, ServerInfo, ServerList, ServerToolInfo, SessionInfo, SessionName, SettingsInForce, SettingsSchema, SettingsSection, SettingsUpdated, Subscribed, TargetView, Template, TemplateInfo, TemplateParameter, TemplateRemoved, TextPart, ToolDescription, ToolFace, ToolFinished, ToolFunction, ToolOutput, ToolProgress, ToolResult, ToolSetting, ToolStarted, ToolsChanged, TrashQuestion, UncomparedNote, UndoneAll, UndoneChange, VaultChanged, VaultMoved, VaultStatus, VersionBytes, VersionsCompared, VersionsForgotten, VersionsStatus, WebCleared, WebReaderInfo, WritePlan, WriteQuestion } from "./contract";

export const readActivityAnswers = /* @__PURE__ */ model<ActivityAnswers>(`count:n median:n? p90:n?`);
export const readActivityClient = /* @__PURE__ */ model<ActivityClient>(`calls:n=0 succeeded:n=0 failed:n=0 refused:n=0 allowed:n=0 denied:n=0 timedOut:n=0 withdrawn:n=0 created:n=0 modified:n=0 deleted:n=0 moved:n=0 unlisted:n=0 cacheHits:n=0 cacheMisses:n=0 name:s callsByDay:[n] changesByDay:[n]`);
export const readActivityDay = /* @__PURE__ */ model<ActivityDay>(`calls:n=0 succeeded:n=0 failed:n=0 refused:n=0 allowed:n=0 denied:n=0 timedOut:n=0 withdrawn:n=0 created:n=0 modified:n=0 deleted:n=0 moved:n=0 unlisted:n=0 cacheHits:n=0 cacheMisses:n=0 day:s`);
export const readActivityTool = /* @__PURE__ */ model<ActivityTool>(`tool:s calls:n succeeded:n p50:n? p95:n?`);
export const readAgentInfo = /* @__PURE__ */ model<AgentInfo>(`agent:s title:s file:s here:b client:s? fault:s?`);
export const readAgentOutcome = /* @__PURE__ */ model<AgentOutcome>(`backup:s? addedClient:b revokedClient:b then:s`);
export const readFilePreview = /* @__PURE__ */ model<FilePreview>(`path:s change:<"create","modify","move","delete","mkdir","rmdir"> newPath:s? added:n=0 removed:n=0 diff:s="" truncated:b=false follows:b=false note:s="" unit:s="" yours:b=false since:<"","same","changed","new">="" newer:s=""`);
export const readAgentPlan = /* @__PURE__ */ model<AgentPlan>(`agent:s client:s removes:b files:[0] kept:[s] digest:s`, readFilePreview);
export const readGrant = /* @__PURE__ */ model<Grant>(`who:s what:s tool:s? operation:s? where:[s]=[] additions:[s]=[] mostFiles:n? until:s expires:s? sentence:s grantId:s kind:s client:s? clientId:s? sessionId:s? decision:s feedback:s? usedFiles:n? since:s?`);
export const readAllEnded = /* @__PURE__ */ model<AllEnded>(`ended:[0] text:s`, readGrant);
export const readAllowedSite = /* @__PURE__ */ model<AllowedSite>(`site:s allowedBy:s? client:s? sentence:s lastUsed:s?`);
export const readAnswerOption = /* @__PURE__ */ model<AnswerOption>(`who:s what:s tool:s? operation:s? where:[s]=[] additions:[s]=[] mostFiles:n? until:s expires:s? sentence:s optionId:s decision:<"allow_once","allow_session","allow_always","deny_once","deny_session","deny_always"> label:s suggested:b=false`);
export const readAttached = /* @__PURE__ */ model<Attached>(`attached:[s]`);
export const readAuditActivity = /* @__PURE__ */ model<AuditActivity>(`days:[0] clients:[1] others:1? tools:[2] answers:3 zone:s records:n damaged:n complete:b`, readActivityDay, readActivityClient, readActivityTool, readActivityAnswers);
export const readAuditAppended = /* @__PURE__ */ model<AuditAppended>(`timestamp:s kind:s tool:s? executionId:s? client:s? success:b? errorType:s? outcome:s? rule:s? event:s?`);
export const readAuditCleared = /* @__PURE__ */ model<AuditCleared>(`cleared:n`);
export const readAuditDropped = /* @__PURE__ */ model<AuditDropped>(`records:n since:s until:s`);
export const readAuditExport = /* @__PURE__ */ model<AuditExport>(`format:<"json","csv"> text:s records:n truncated:b=false`);
export const readAuditExportFile = /* @__PURE__ */ model<AuditExportFile>(`format:<"json","csv"> path:s records:n`);
export const readAuditFault = /* @__PURE__ */ model<AuditFault>(`kind:s file:s line:n? seq:n? message:s`);
export const readAuditHead = /* @__PURE__ */ model<AuditHead>(`seq:n chain:s total:n`);
export const readAuditedFile = /* @__PURE__ */ model<AuditedFile>(`path:s newPath:s? change:s before:s? after:s?`);
export const readAuditRecord = /* @__PURE__ */ model<AuditRecord>(`seq:n? timestamp:s kind:s="execution" tool:s? executionId:s? callId:s? client:s? success:b? errorType:s? duration:n? outcome:s? rule:s? decision:s? by:s? event:s? code:s? count:n? files:~0=[] sentence:s=""`, readAuditedFile);
export const readAuditStats = /* @__PURE__ */ model<AuditStats>(`size:n generations:n records:n oldest:s? newest:s? fault:s? lost:n chain:0`, readAuditHead);
export const readAuditVerification = /* @__PURE__ */ model<AuditVerification>(`whole:b records:n=0 lost:n=0 unverified:n=0 faults:[0]=[] faultCount:n=0 droppedEarly:1? begins:2? head:2?`, readAuditFault, readAuditDropped, readAuditHead);
export const readAutoApproved = /* @__PURE__ */ model<AutoApproved>(`enabled:b grant:0?`, readGrant);
export const readBrokenLinks = /* @__PURE__ */ model<BrokenLinks>(`plan:s? text:s files:[0] warnings:[s]`, readFilePreview);
export const readCacheState = /* @__PURE__ */ model<CacheState>(`entries:n size:n hits:n misses:n`);
export const readCallPlan = /* @__PURE__ */ model<CallPlan>(`tool:s operation:<"read","create","update","delete","network","execute"> riskLevel:<"safe","low","medium","high"> riskReasons:[s]=[] summary:s targets:[s]`);
export const readWritePlan = /* @__PURE__ */ model<WritePlan>(`tool:s operation:<"read","create","update","delete","network","execute"> riskLevel:<"safe","low","medium","high"> riskReasons:[s]=[] summary:s targets:[s] digest:s files:[0] warnings:[s]`, readFilePreview);
export const readRequestPlan = /* @__PURE__ */ model<RequestPlan>(`tool:s operation:<"read","create","update","delete","network","execute"> riskLevel:<"safe","low","medium","high"> riskReasons:[s]=[] summary:s targets:[s] request:s warnings:[s]`);
export const readCallPreview = /* @__PURE__ */ model<CallPreview>(`plan:(0|1|2)`, readWritePlan, readRequestPlan, readCallPlan);
export const readCancelled = /* @__PURE__ */ model<Cancelled>(`cancelled:b`);
export const readChainCall = /* @__PURE__ */ model<ChainCall>(`name:s tool:s arguments:o={} each:o?`);
export const readChangeDiff = /* @__PURE__ */ model<ChangeDiff>(`files:[0] lost:[s]=[]`, readFilePreview);
export const readLeftFile = /* @__PURE__ */ model<LeftFile>(`path:s why:s`);
export const readChangeEntry = /* @__PURE__ */ model<ChangeEntry>(`executionId:s tool:s client:s time:s state:s files:[s] added:n removed:n canUndo:b clientId:s who:s="" summary:s="" grant:s? outside:b=false origin:s? brokenLinks:n=0 left:[0]=[]`, readLeftFile);
export const readChatDeleted = /* @__PURE__ */ model<ChatDeleted>(`conversationId:s`);
export const readChatDelta = /* @__PURE__ */ model<ChatDelta>(`conversationId:s turnId:s kind:s text:s`);
export const readChatDone = /* @__PURE__ */ model<ChatDone>(`conversationId:s turnId:s end:s message:s?`);
export const readChatToolCall = /* @__PURE__ */ model<ChatToolCall>(`callId:s tool:s arguments:o={} fault:s?`);
export const readChatMessage = /* @__PURE__ */ model<ChatMessage>(`role:s text:s time:t thinking:s="" calls:[0]=[] callId:s? tool:s? summary:s="" state:s? executionId:s?`, readChatToolCall);
export const readChatModel = /* @__PURE__ */ model<ChatModel>(`name:s size:n=0`);
export const readChatModels = /* @__PURE__ */ model<ChatModels>(`endpoint:s allowed:b sentence:s? model:s? models:[0]=[]`, readChatModel);
export const readChatStarted = /* @__PURE__ */ model<ChatStarted>(`conversationId:s turnId:s model:s`);
export const readChatToolEvent = /* @__PURE__ */ model<ChatToolEvent>(`conversationId:s turnId:s callId:s tool:s summary:s state:s text:s="" executionId:s?`);
export const readClientInfo = /* @__PURE__ */ model<ClientInfo>(`clientId:s name:s callsItself:s? capabilities:~<"call","answer","administer"> preset:s? elicitation:b=false drafts:b=false added:s lastSeen:s? connected:n=0 looking:s? showing:s?`);
export const readClientsChanged = /* @__PURE__ */ model<ClientsChanged>(`message:s`);
export const readConsentReply = /* @__PURE__ */ model<ConsentReply>(`accepted:b outcome:<"allowed","denied","timed_out","cancelled","stale">? by:s? reason:s? planDigest:s? grant:0?`, readGrant);
export const readToolFace = /* @__PURE__ */ model<ToolFace>(`name:s title:s description:s icon:s`);
export const readTargetView = /* @__PURE__ */ model<TargetView>(`kind:<"file","folder","url","command","server_tool","custom_tool"> label:s`);
export const readMergePlace = /* @__PURE__ */ model<MergePlace>(`placeId:s path:s why:s line:n? vault:s="" draft:s="" offers:~<"vault","draft","both"> taken:s?`);
export const readPreview = /* @__PURE__ */ model<Preview>(`files:[0]=[] backup:s? warnings:[s]=[] request:s? conflicts:[1]=[]`, readFilePreview, readMergePlace);
export const readScope = /* @__PURE__ */ model<Scope>(`kind:<"read_in_scope","read_out_of_scope","write_create","write_update","write_delete","admin"> target:s? sizeBytes:n? hasBacklinks:b? operation:s? affectsCount:n?`);
export const readConsentRequest = /* @__PURE__ */ model<ConsentRequest>(`requestId:s client:s clientId:s="" callsItself:s? verified:b=false sessionId:s tool:0 riskLevel:<"safe","low","medium","high"> riskReasons:[s]=[] operation:<"read","create","update","delete","network","execute"> summary:s reason:s? parameters:o targets:[s] touches:[1]=[] options:~2=[] canBypass:b choices:~<"allow_once","allow_session","allow_always","deny_once","deny_session","deny_always"> preview:3? planDigest:s? hunksSupported:b=false editable:b=false revised:b=false createdAt:s expiresAt:s scope:4? brief:b=false waiting:b=false draft:s?`, readToolFace, readTargetView, readAnswerOption, readPreview, readScope);
export const readConsentResolved = /* @__PURE__ */ model<ConsentResolved>(`requestId:s decision:s? outcome:s? by:s?`);
export const readConsentRevised = /* @__PURE__ */ model<ConsentRevised>(`requestId:s client:s clientId:s="" callsItself:s? verified:b=false sessionId:s tool:0 riskLevel:<"safe","low","medium","high"> riskReasons:[s]=[] operation:<"read","create","update","delete","network","execute"> summary:s reason:s? parameters:o targets:[s] touches:[1]=[] options:~2=[] canBypass:b choices:~<"allow_once","allow_session","allow_always","deny_once","deny_session","deny_always"> preview:3? planDigest:s? hunksSupported:b=false editable:b=false revised:b=false createdAt:s expiresAt:s scope:4? brief:b=false waiting:b=false draft:s?`, readToolFace, readTargetView, readAnswerOption, readPreview, readScope);
export const readConsentWaiting = /* @__PURE__ */ model<ConsentWaiting>(`requestId:s expiresAt:s`);
export const readConversation = /* @__PURE__ */ model<Conversation>(`conversationId:s title:s model:s created:t updated:t messages:n running:b=false history:[0]=[]`, readChatMessage);
export const readConversationInfo = /* @__PURE__ */ model<ConversationInfo>(`conversationId:s title:s model:s created:t updated:t messages:n running:b=false`);
export const readCustomAnswer = /* @__PURE__ */ model<CustomAnswer>(`success:b result:a error:s? code:s?`);
export const readCustomResult = /* @__PURE__ */ model<CustomResult>(`success:b result:a error:s? executionTime:n output:s=""`);
export const readCustomRunEnded = /* @__PURE__ */ model<CustomRunEnded>(`run:s`);
export const readCustomToolInfo = /* @__PURE__ */ model<CustomToolInfo>(`name:s description:s code:s parameters:o returns:s? timeout:n=30000 environment:s="node" enabled:b=true createdAt:s updatedAt:s change:s?`);
export const readEnvironmentInfo = /* @__PURE__ */ model<EnvironmentInfo>(`environment:s available:b sentence:s`);
export const readCustomToolList = /* @__PURE__ */ model<CustomToolList>(`tools:[0] environments:[1] allowed:b file:s fault:s?`, readCustomToolInfo, readEnvironmentInfo);
export const readCustomToolSaved = /* @__PURE__ */ model<CustomToolSaved>(`tool:0 unchecked:s?`, readCustomToolInfo);
export const readDataPart = /* @__PURE__ */ model<DataPart>(`type:<"data">="data" data:a`);
export const readDirtyQuestion = /* @__PURE__ */ model<DirtyQuestion>(`paths:[s]`);
export const readDiscovery = /* @__PURE__ */ model<Discovery>(`url:s http:s pid:n version:s runDir:s`);
export const readDraftDiscarded = /* @__PURE__ */ model<DraftDiscarded>(`draftId:s`);
export const readDraftStep = /* @__PURE__ */ model<DraftStep>(`tool:s summary:s time:s`);
export const readReviewComment = /* @__PURE__ */ model<ReviewComment>(`path:s line:n? quote:s? text:s`);
export const readDraftInfo = /* @__PURE__ */ model<DraftInfo>(`draftId:s client:s clientId:s created:s touched:s steps:[0] files:[s] state:s="open" since:s? words:s? comments:[1]=[] keptUntil:s?`, readDraftStep, readReviewComment);
export const readDraftPreview = /* @__PURE__ */ model<DraftPreview>(`files:[0]=[] warnings:[s]=[] conflicts:[1]=[]`, readFilePreview, readMergePlace);
export const readDraftsChanged = /* @__PURE__ */ model<DraftsChanged>(``);
export const readEffectiveSettings = /* @__PURE__ */ model<EffectiveSettings>(`consentMode:{<"always_ask","session_allow","always_allow","never_allow">} rateLimits:{n}`);
export const readEndpoint = /* @__PURE__ */ model<Endpoint>(`url:s http:s token:s pid:n version:s vault:s=""`);
export const readExplanation = /* @__PURE__ */ model<Explanation>(`outcome:<"allow","ask","deny"> rule:s why:s choices:[<"allow_once","allow_session","allow_always","deny_once","deny_session","deny_always">] targets:[s] operation:<"read","create","update","delete","network","execute"> class:<"always","session","never"> mode:<"always_ask","session_allow","always_allow","never_allow"> summary:s elicitation:b=false`);
export const readFaults = /* @__PURE__ */ model<Faults>(`faults:[s] unprotected:[s]=[]`);
export const readFileVersion = /* @__PURE__ */ model<FileVersion>(`since:s until:s? size:n? digest:s`);
export const readFileVersions = /* @__PURE__ */ model<FileVersions>(`path:s versions:[0]`, readFileVersion);
export const readFoundServer = /* @__PURE__ */ model<FoundServer>(`agent:s program:s name:s told:[s] fault:s? known:b`);
export const readToolFunction = /* @__PURE__ */ model<ToolFunction>(`name:s description:s parameters:o`);
export const readFunctionTool = /* @__PURE__ */ model<FunctionTool>(`type:<"function">="function" function:0`, readToolFunction);
export const readGrantsChanged = /* @__PURE__ */ model<GrantsChanged>(`bounded:[0]=[]`, readGrant);
export const readHostWrite = /* @__PURE__ */ model<HostWrite>(`path:s expected:s content:s`);
export const readImagePart = /* @__PURE__ */ model<ImagePart>(`type:<"image">="image" mimeType:s data:s`);
export const readInboxLine = /* @__PURE__ */ model<InboxLine>(`kind:s client:s clientId:s="" count:n=1 since:t files:n=0 summary:s reason:s? keptUntil:t? ids:[s] questions:[s]=[]`);
export const readIndexDifference = /* @__PURE__ */ model<IndexDifference>(`path:s kind:<"link","unresolved","tag","tag_order","note"> target:s="" obsidian:n bridge:n`);
export const readUncomparedNote = /* @__PURE__ */ model<UncomparedNote>(`path:s reason:<"unsaved","changed","unread">`);
export const readIndexComparison = /* @__PURE__ */ model<IndexComparison>(`compared:n links:n tags:n differences:[0] more:n uncompared:[1]`, readIndexDifference, readUncomparedNote);
export const readIndexProgress = /* @__PURE__ */ model<IndexProgress>(`done:n total:n`);
export const readKeyStatus = /* @__PURE__ */ model<KeyStatus>(`provider:s title:s server:s isSet:b keptIn:s? fault:s?`);
export const readKeyTest = /* @__PURE__ */ model<KeyTest>(`provider:s outcome:s message:s`);
export const readLeftOut = /* @__PURE__ */ model<LeftOut>(`path:s why:s diff:0?`, readFilePreview);
export const readLimitHit = /* @__PURE__ */ model<LimitHit>(`tool:s retryAfter:n message:s client:s`);
export const readLimitUse = /* @__PURE__ */ model<LimitUse>(`limit:n used:n queued:n`);
export const readLinkPart = /* @__PURE__ */ model<LinkPart>(`type:<"link">="link" uri:s name:s mimeType:s?`);
export const readMcpAnnotations = /* @__PURE__ */ model<McpAnnotations>(``);
export const readMcpTool = /* @__PURE__ */ model<McpTool>(`name:s title:s description:s inputSchema:o outputSchema:o? annotations:0`, readMcpAnnotations);
export const readNearestState = /* @__PURE__ */ model<NearestState>(`path:s at:s`);
export const readNewClient = /* @__PURE__ */ model<NewClient>(`client:0 token:s`, readClientInfo);
export const readNotePart = /* @__PURE__ */ model<NotePart>(`type:<"note">="note" path:s title:s`);
export const readObsidianWritesHeard = /* @__PURE__ */ model<ObsidianWritesHeard>(`heard:n`);
export const readOutsideNotice = /* @__PURE__ */ model<OutsideNotice>(`entries:[s]=[] message:s="" began:t? ended:t? unattended:b=false`);
export const readOwnQuestion = /* @__PURE__ */ model<OwnQuestion>(`requestId:s callId:s? message:s`);
export const readPendingCall = /* @__PURE__ */ model<PendingCall>(`status:<"pending">="pending" callId:s requestId:s? waits:s? state:s="running" expiresAt:s? text:s=""`);
export const readReadingAllowed = /* @__PURE__ */ model<ReadingAllowed>(`grant:0?`, readGrant);
export const readRefusal = /* @__PURE__ */ model<Refusal>(`outcome:<"deny","fail"> rule:s why:s`);
export const readRevision = /* @__PURE__ */ model<Revision>(`accepted:b question:0? reason:s?`, readConsentRequest);
export const readRevoked = /* @__PURE__ */ model<Revoked>(`revoked:b`);
export const readRunToolQuestion = /* @__PURE__ */ model<RunToolQuestion>(`run:s tool:s code:s parameters:o timeout:n`);
export const readSandboxStatus = /* @__PURE__ */ model<SandboxStatus>(`confines:b sentence:s lacks:[s]`);
export const readScreenChanged = /* @__PURE__ */ model<ScreenChanged>(``);
export const readScreenClients = /* @__PURE__ */ model<ScreenClients>(`clients:[s]`);
export const readScreenShow = /* @__PURE__ */ model<ScreenShow>(`client:s path:s part:s="" line:n? unasked:b=false`);
export const readSearchServiceInfo = /* @__PURE__ */ model<SearchServiceInfo>(`service:s title:s terms:s link:s needsKey:b hasFreshness:b missing:s?`);
export const readSemanticStatus = /* @__PURE__ */ model<SemanticStatus>(`state:<"off","missing","waiting","embedding","paused","ready","failed","not_allowed"> reason:s="" model:s="" done:n=0 total:n=0 passages:n=0 size:n=0 endpoint:s? sentence:s?`);
export const readServerToolInfo = /* @__PURE__ */ model<ServerToolInfo>(`name:s call:s title:s description:s takes:s readOnly:b destructive:b change:s?`);
export const readServerInfo = /* @__PURE__ */ model<ServerInfo>(`name:s description:s told:[s] enabled:b trusted:b state:s reason:s change:s? tools:[0] faults:[s] log:[s] digest:s`, readServerToolInfo);
export const readServerList = /* @__PURE__ */ model<ServerList>(`servers:[0] file:s fault:s? allowed:b`, readServerInfo);
export const readSessionInfo = /* @__PURE__ */ model<SessionInfo>(`role:s client:s clientId:s="" capabilities:~<"call","answer","administer">=[] sessionId:s vault:s version:s protocol:n=5 tools:[s] hostConnected:b waitSeconds:n=40 maxOutputBytes:n=65536 structuredResults:b=false sentBack:n=0`);
export const readSessionName = /* @__PURE__ */ model<SessionName>(`client:s sessionId:s can:[s]`);
export const readSettingsInForce = /* @__PURE__ */ model<SettingsInForce>(`enabledTools:[s]=[] consentMode:{<"always_ask","session_allow","always_allow","never_allow">}={} developerMode:b=false consentTimeout:n=300 ticketHours:n=24 waitSeconds:n=40 addingMostFiles:n=50 addingMinutes:n=60 grantExpiryDays:n=30 draftDays:n=7 draftFiles:n=5000 draftMegabytes:n=256 notifyAway:b=true chatEndpoint:s="http://localhost:11434" chatModel:s="" chatContextLength:n=65536 chatRounds:n=25 chatTools:<"minimal","agent","vault","everything">="agent" ollamaWebSearchEndpoint:s="http://localhost:11434" webSearchProviders:[<"ollama","searxng","brave","duckduckgo","google">]=[] searxngEndpoint:s="" googleSearchEngineId:s="" encryptedKeys:{s}={} allowedDomains:[s]=[] allowAllDomains:b=false onlyAllowedDomains:b=false blockExternalRequests:b=false httpsOnly:b=true allowSelfSignedLocalhost:b=false maxResponseSize:n=10485760 reviewWebPages:b=false followRedirects:b=true maxRedirects:n=5 requestTimeout:n=30 allowedOrigins:[s]=[] allowTerminal:b=false allowCustomTools:b=false allowMcpServers:b=false requireSandbox:<"always","never">? terminalNetwork:b=false terminalFolder:s="" terminalTimeout:n=120 terminalLargestFile:n=20971520 rateLimits:{n}={} globalRateLimit:n=200 cacheEnabled:b=true cacheTTL:n=3600 maxCacheSize:n=104857600 enableAuditLog:b=true auditLogRetentionDays:<7,30,90>=30 logParameterValues:b=true anonymizeLog:b=false shareUsageStatistics:b=false semanticSearch:<"auto","on","off">="auto" semanticModel:s="" searchPdfs:b=true findMaxResults:n=50 grepContextLines:n=2 grepMaxMatches:n=100 readMaxBytes:n=1048576 maxOutputBytes:n=65536 ignorePatterns:[s]=[] portableNames:b=true patchBackupEnabled:b=true backupRetentionDays:n=30 outsideVersions:b=true outsideVersionsDays:n=14 outsideVersionsMegabytes:n=500 outsideVersionsExcluded:[s]=[] outsideNoticeFiles:n=20 webSearchMaxResults:n=5 webSearchDefaultFreshness:<"day","week","month","year">? webFetchMaxBytes:n=512000 effective:0`, readEffectiveSettings);
export const readSettingsSection = /* @__PURE__ */ model<SettingsSection>(`id:s title:s description:s`);
export const readToolSetting = /* @__PURE__ */ model<ToolSetting>(`name:s title:s description:s risk:<"safe","low","medium","high"> consentClass:<"always","session","never"> group:s enabled:b mode:<"always_ask","session_allow","always_allow","never_allow"> modes:[<"always_ask","session_allow","always_allow","never_allow">] rate:n defaultRate:n`);
export const readSettingsSchema = /* @__PURE__ */ model<SettingsSchema>(`type:<"object">="object" title:s description:s additionalProperties:b=false properties:o sections:[0] presets:{[s]} tools:[1]`, readSettingsSection, readToolSetting);
export const readSettingsUpdated = /* @__PURE__ */ model<SettingsUpdated>(`settings:o warnings:[s]=[]`);
export const readSubscribed = /* @__PURE__ */ model<Subscribed>(`kinds:[s]`);
export const readTemplateParameter = /* @__PURE__ */ model<TemplateParameter>(`name:s type:<"text","number","boolean","list","date">="text" title:s="" description:s="" optional:b=false default:a choices:[s]=[]`);
export const readTemplate = /* @__PURE__ */ model<Template>(`name:s title:s description:s="" parameters:[0]=[] calls:[1]`, readTemplateParameter, readChainCall);
export const readTemplateInfo = /* @__PURE__ */ model<TemplateInfo>(`template:0 shipped:b`, readTemplate);
export const readTemplateRemoved = /* @__PURE__ */ model<TemplateRemoved>(`name:s restored:b`);
export const readTextPart = /* @__PURE__ */ model<TextPart>(`type:<"text">="text" text:s`);
export const readToolDescription = /* @__PURE__ */ model<ToolDescription>(`name:s title:s description:s risk:<"safe","low","medium","high"> consentClass:<"always","session","never"> icon:s parameters:o operation:<"read","create","update","delete","network","execute"> consentMode:<"always_ask","session_allow","always_allow","never_allow"> requiresConsent:b canBypass:b requiresPreview:b canUndo:b provider:s`);
export const readToolFinished = /* @__PURE__ */ model<ToolFinished>(`executionId:s tool:s client:s callId:s? success:b durationMs:n`);
export const readToolOutput = /* @__PURE__ */ model<ToolOutput>(`executionId:s tool:s client:s callId:s? text:s`);
export const readToolProgress = /* @__PURE__ */ model<ToolProgress>(`executionId:s tool:s client:s callId:s? done:n total:n? message:s`);
export const readToolResult = /* @__PURE__ */ model<ToolResult>(`success:b data:a text:s="" error:s? errorType:s? executionId:s? metadata:o={} parts:[(0|1|2|3|4)]=[]`, readTextPart, readDataPart, readImagePart, readNotePart, readLinkPart);
export const readToolStarted = /* @__PURE__ */ model<ToolStarted>(`executionId:s tool:s client:s callId:s?`);
export const readToolsChanged = /* @__PURE__ */ model<ToolsChanged>(``);
export const readTrashQuestion = /* @__PURE__ */ model<TrashQuestion>(`paths:[s]`);
export const readUndoneChange = /* @__PURE__ */ model<UndoneChange>(`executionId:s tool:s client:s time:s state:s files:[s] added:n removed:n canUndo:b clientId:s who:s="" summary:s="" grant:s? outside:b=false origin:s? brokenLinks:n=0 left:[0]=[] undone:b=false why:s?`, readLeftFile);
export const readUndoneAll = /* @__PURE__ */ model<UndoneAll>(`changes:[0] undone:n skipped:n files:n text:s`, readUndoneChange);
export const readVaultChanged = /* @__PURE__ */ model<VaultChanged>(`path:s change:s entry:s?`);
export const readVaultMoved = /* @__PURE__ */ model<VaultMoved>(`inPlace:b message:s`);
export const readVaultStatus = /* @__PURE__ */ model<VaultStatus>(`notes:n files:n indexed:n indexing:b lastSweep:s? byNameOnly:n namedOnly:[s] inPlace:b=true semantic:0={"state":"off","reason":"","model":"","done":0,"total":0,"passages":0,"size":0,"endpoint":null,"sentence":null}`, readSemanticStatus);
export const readVersionBytes = /* @__PURE__ */ model<VersionBytes>(`path:s version:0 content:s`, readFileVersion);
export const readVersionsCompared = /* @__PURE__ */ model<VersionsCompared>(`at:s plan:s? text:s files:[0] left:[1] nearest:[2]`, readFilePreview, readLeftOut, readNearestState);
export const readVersionsForgotten = /* @__PURE__ */ model<VersionsForgotten>(`path:s? found:b`);
export const readVersionsStatus = /* @__PURE__ */ model<VersionsStatus>(`on:b since:s? files:n whole:n entries:n oldest:s? bytes:n budget:n fault:s?`);
export const readWebCleared = /* @__PURE__ */ model<WebCleared>(`cleared:b`);
export const readWebReaderInfo = /* @__PURE__ */ model<WebReaderInfo>(`clientId:s client:s since:s sites:[s]`);
export const readWriteQuestion = /* @__PURE__ */ model<WriteQuestion>(`changes:[0] expiresAt:t`, readHostWrite);

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
	"screen.changed": readScreenChanged,
	"screen.show": readScreenShow,
	"chat.delta": readChatDelta,
	"chat.tool": readChatToolEvent,
	"chat.done": readChatDone,
	"custom.ended": readCustomRunEnded,
};
