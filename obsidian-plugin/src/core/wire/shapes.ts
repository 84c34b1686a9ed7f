/** What crosses the wire. Written by `python3 scripts/generate-types` from the bridge's models; do not edit. */

import type { ActivityAnswers, ActivityClient, ActivityDay, ActivityTool, AgentInfo, AgentOutcome, AgentPlan, AllEnded, AllowedSite, AnswerOption, AuditActivity, AuditExport, AuditExportFile, AuditFault, AuditHead, AuditRecord, AuditStats, AuditVerification, AuditedFile, BrokenLinks, CacheState, CallPlan, CallPreview, ChainCall, ChangeDiff, ChangeEntry, ChatDelta, ChatDone, ChatMessage, ChatModel, ChatModels, ChatStarted, ChatToolCall, ChatToolEvent, ClientInfo, ClientsChanged, ConsentReply, ConsentRequest, ConsentResolved, ConsentRevised, ConsentWaiting, Conversation, ConversationInfo, CustomAnswer, CustomResult, CustomRunEnded, CustomToolInfo, CustomToolList, CustomToolSaved, DataPart, DirtyQuestion, Discovery, DraftInfo, DraftPreview, DraftStep, DraftsChanged, Endpoint, EnvironmentInfo, Faults, FilePreview, FoundServer, Grant, GrantsChanged, HostWrite, ImagePart, InboxLine, IndexComparison, IndexDifference, KeyStatus, KeyTest, LeftFile, LimitHit, LinkPart, MergePlace, NewClient, NotePart, OutsideNotice, PendingCall, Preview, RequestPlan, ReviewComment, Revision, RunToolQuestion, SandboxStatus, Scope, ScreenClients, ScreenSent, ScreenShow, SearchServiceInfo, SemanticStatus, SentText, ServerInfo, ServerList, ServerToolInfo, SessionInfo, SettingsSection, SettingsUpdated, ShownPicture, Template, TemplateInfo, TemplateParameter, TextPart, ToolFace, ToolFinished, ToolResult, ToolSetting, ToolStarted, TrashQuestion, UncomparedNote, UndoneAll, UndoneChange, VaultStatus, WebReaderInfo, WritePlan, WriteQuestion } from "./contract";

export interface Models {
	ActivityAnswers: ActivityAnswers;
	ActivityClient: ActivityClient;
	ActivityDay: ActivityDay;
	ActivityTool: ActivityTool;
	AgentInfo: AgentInfo;
	AgentOutcome: AgentOutcome;
	AgentPlan: AgentPlan;
	AllEnded: AllEnded;
	AllowedSite: AllowedSite;
	AnswerOption: AnswerOption;
	AuditActivity: AuditActivity;
	AuditExport: AuditExport;
	AuditExportFile: AuditExportFile;
	AuditFault: AuditFault;
	AuditHead: AuditHead;
	AuditRecord: AuditRecord;
	AuditStats: AuditStats;
	AuditVerification: AuditVerification;
	AuditedFile: AuditedFile;
	BrokenLinks: BrokenLinks;
	CacheState: CacheState;
	CallPlan: CallPlan;
	CallPreview: CallPreview;
	ChainCall: ChainCall;
	ChangeDiff: ChangeDiff;
	ChangeEntry: ChangeEntry;
	ChatDelta: ChatDelta;
	ChatDone: ChatDone;
	ChatMessage: ChatMessage;
	ChatModel: ChatModel;
	ChatModels: ChatModels;
	ChatStarted: ChatStarted;
	ChatToolCall: ChatToolCall;
	ChatToolEvent: ChatToolEvent;
	ClientInfo: ClientInfo;
	ClientsChanged: ClientsChanged;
	ConsentReply: ConsentReply;
	ConsentRequest: ConsentRequest;
	ConsentResolved: ConsentResolved;
	ConsentRevised: ConsentRevised;
	ConsentWaiting: ConsentWaiting;
	Conversation: Conversation;
	ConversationInfo: ConversationInfo;
	CustomAnswer: CustomAnswer;
	CustomResult: CustomResult;
	CustomRunEnded: CustomRunEnded;
	CustomToolInfo: CustomToolInfo;
	CustomToolList: CustomToolList;
	CustomToolSaved: CustomToolSaved;
	DataPart: DataPart;
	DirtyQuestion: DirtyQuestion;
	Discovery: Discovery;
	DraftInfo: DraftInfo;
	DraftPreview: DraftPreview;
	DraftStep: DraftStep;
	DraftsChanged: DraftsChanged;
	Endpoint: Endpoint;
	EnvironmentInfo: EnvironmentInfo;
	Faults: Faults;
	FilePreview: FilePreview;
	FoundServer: FoundServer;
	Grant: Grant;
	GrantsChanged: GrantsChanged;
	HostWrite: HostWrite;
	ImagePart: ImagePart;
	InboxLine: InboxLine;
	IndexComparison: IndexComparison;
	IndexDifference: IndexDifference;
	KeyStatus: KeyStatus;
	KeyTest: KeyTest;
	LeftFile: LeftFile;
	LimitHit: LimitHit;
	LinkPart: LinkPart;
	MergePlace: MergePlace;
	NewClient: NewClient;
	NotePart: NotePart;
	OutsideNotice: OutsideNotice;
	PendingCall: PendingCall;
	Preview: Preview;
	RequestPlan: RequestPlan;
	ReviewComment: ReviewComment;
	Revision: Revision;
	RunToolQuestion: RunToolQuestion;
	SandboxStatus: SandboxStatus;
	Scope: Scope;
	ScreenClients: ScreenClients;
	ScreenSent: ScreenSent;
	ScreenShow: ScreenShow;
	SearchServiceInfo: SearchServiceInfo;
	SemanticStatus: SemanticStatus;
	SentText: SentText;
	ServerInfo: ServerInfo;
	ServerList: ServerList;
	ServerToolInfo: ServerToolInfo;
	SessionInfo: SessionInfo;
	SettingsSection: SettingsSection;
	SettingsUpdated: SettingsUpdated;
	ShownPicture: ShownPicture;
	Template: Template;
	TemplateInfo: TemplateInfo;
	TemplateParameter: TemplateParameter;
	TextPart: TextPart;
	ToolFace: ToolFace;
	ToolFinished: ToolFinished;
	ToolResult: ToolResult;
	ToolSetting: ToolSetting;
	ToolStarted: ToolStarted;
	TrashQuestion: TrashQuestion;
	UncomparedNote: UncomparedNote;
	UndoneAll: UndoneAll;
	UndoneChange: UndoneChange;
	VaultStatus: VaultStatus;
	WebReaderInfo: WebReaderInfo;
	WritePlan: WritePlan;
	WriteQuestion: WriteQuestion;
}

/** What each method answers. */
export const ANSWERS = {
	"session.info": "SessionInfo",
	"screen.tell": "ScreenClients",
	"screen.clients": "ScreenClients",
	"screen.compose": "SentText",
	"screen.send": "SentText",
	"tools.preview": "(CallPreview|ToolResult)",
	"templates.list": "~TemplateInfo",
	"templates.run": "(ToolResult|PendingCall)",
	"history.list": "~ChangeEntry",
	"history.undo": "ToolResult",
	"history.redo": "ToolResult",
	"history.diff": "ChangeDiff",
	"history.undoAll": "UndoneAll",
	"versions.broken": "BrokenLinks",
	"versions.mend": "ToolResult",
	"versions.notice": "OutsideNotice",
	"versions.fine": "OutsideNotice",
	"vault.status": "VaultStatus",
	"sandbox.status": "SandboxStatus",
	"bridge.faults": "Faults",
	"index.compare": "IndexComparison",
	"consent.pending": "[ConsentRequest]",
	"consent.respond": "ConsentReply",
	"consent.respondAll": "[ConsentReply]",
	"consent.revise": "Revision",
	"consent.resolve": "Revision",
	"consent.grants": "~Grant",
	"consent.endAll": "AllEnded",
	"demo.ask": "ToolResult",
	"settings.update": "SettingsUpdated",
	"settings.reset": "SettingsUpdated",
	"keys.set": "KeyStatus",
	"keys.clear": "KeyStatus",
	"keys.status": "~KeyStatus",
	"keys.test": "KeyTest",
	"search.services": "~SearchServiceInfo",
	"clients.list": "~ClientInfo",
	"clients.add": "NewClient",
	"clients.allow": "ClientInfo",
	"agents.list": "~AgentInfo",
	"agents.preview": "AgentPlan",
	"agents.connect": "AgentOutcome",
	"agents.disconnect": "AgentOutcome",
	"audit.query": "~AuditRecord",
	"audit.export": "(AuditExport|AuditExportFile)",
	"audit.verify": "AuditVerification",
	"audit.activity": "AuditActivity",
	"audit.stats": "AuditStats",
	"inbox.list": "~InboxLine",
	"drafts.list": "~DraftInfo",
	"drafts.preview": "DraftPreview",
	"cache.stats": "CacheState",
	"web.readers": "~WebReaderInfo",
	"web.sites": "~AllowedSite",
	"servers.list": "ServerList",
	"servers.test": "ServerInfo",
	"servers.found": "~FoundServer",
	"custom.list": "CustomToolList",
	"custom.add": "CustomToolSaved",
	"custom.update": "CustomToolSaved",
	"custom.test": "CustomResult",
	"custom.call": "CustomAnswer",
	"chat.send": "ChatStarted",
	"chat.list": "~ConversationInfo",
	"chat.read": "Conversation",
	"chat.export": "(ToolResult|PendingCall)",
	"chat.models": "ChatModels",
	"chat.allow": "ChatModels",
} as const;

/** What each event holds. */
export const EVENTS = {
	"consent.requested": "ConsentRequest",
	"consent.resolved": "ConsentResolved",
	"consent.revised": "ConsentRevised",
	"consent.waiting": "ConsentWaiting",
	"grants.changed": "GrantsChanged",
	"tool.started": "ToolStarted",
	"tool.finished": "ToolFinished",
	"drafts.changed": "DraftsChanged",
	"clients.changed": "ClientsChanged",
	"limits.hit": "LimitHit",
	"versions.noticed": "OutsideNotice",
	"screen.sent": "ScreenSent",
	"screen.show": "ScreenShow",
	"chat.delta": "ChatDelta",
	"chat.tool": "ChatToolEvent",
	"chat.done": "ChatDone",
	"custom.ended": "CustomRunEnded",
} as const;

export const SHAPES = `
ActivityAnswers count:n median:n? p90:n?
ActivityClient calls:n=0 succeeded:n=0 failed:n=0 refused:n=0 allowed:n=0 denied:n=0 timedOut:n=0 withdrawn:n=0 created:n=0 modified:n=0 deleted:n=0 moved:n=0 unlisted:n=0 cacheHits:n=0 cacheMisses:n=0 name:s
ActivityDay calls:n=0 succeeded:n=0 failed:n=0 refused:n=0 allowed:n=0 denied:n=0 timedOut:n=0 withdrawn:n=0 created:n=0 modified:n=0 deleted:n=0 moved:n=0 unlisted:n=0 cacheHits:n=0 cacheMisses:n=0 day:s
ActivityTool tool:s calls:n succeeded:n p50:n? p95:n?
AgentInfo agent:s title:s file:s here:b client:s? fault:s?
AgentOutcome backup:s? then:s
AgentPlan agent:s client:s removes:b files:[FilePreview] kept:[s] digest:s
AllEnded ended:[Grant] text:s
AllowedSite site:s allowedBy:s? client:s? sentence:s lastUsed:s?
AnswerOption who:s what:s tool:s? operation:s? where:[s]=[] mostFiles:n? until:s sentence:s optionId:s decision:Decision label:s suggested:b=false
AuditActivity days:[ActivityDay] clients:[ActivityClient] others:ActivityClient? tools:[ActivityTool] answers:ActivityAnswers zone:s records:n damaged:n complete:b
AuditExport format:<"json","csv"> text:s records:n truncated:b=false
AuditExportFile format:<"json","csv"> path:s records:n
AuditFault kind:s file:s line:n? seq:n? message:s
AuditHead seq:n chain:s total:n
AuditRecord seq:n? timestamp:s kind:s="execution" tool:s? executionId:s? callId:s? client:s? success:b? errorType:s? duration:n? outcome:s? rule:s? decision:s? by:s? event:s? code:s? count:n? files:~AuditedFile=[] sentence:s=""
AuditStats size:n records:n oldest:s? newest:s? fault:s? lost:n chain:AuditHead
AuditVerification whole:b records:n=0 lost:n=0 unverified:n=0 faults:[AuditFault]=[] faultCount:n=0 begins:AuditHead? head:AuditHead?
AuditedFile path:s newPath:s? change:s before:s? after:s?
BrokenLinks plan:s? text:s files:[FilePreview] warnings:[s]
CacheState entries:n size:n hits:n
CallPlan tool:s operation:Operation riskLevel:RiskLevel riskReasons:[s]=[] summary:s targets:[s]
CallPreview plan:(WritePlan|RequestPlan|CallPlan)
Capability <"call","answer","administer">
ChainCall name:s tool:s arguments:o={} each:o?
ChangeDiff files:[FilePreview] lost:[s]=[]
ChangeEntry executionId:s tool:s client:s time:s state:s files:[s] added:n removed:n canUndo:b clientId:s who:s="" summary:s="" grant:s? outside:b=false origin:s? brokenLinks:n=0 left:[LeftFile]=[]
ChatDelta conversationId:s turnId:s kind:s text:s
ChatDone conversationId:s turnId:s end:s message:s?
ChatMessage role:s text:s time:t thinking:s="" calls:[ChatToolCall]=[] callId:s? tool:s? summary:s="" state:s? executionId:s?
ChatModel name:s size:n=0
ChatModels endpoint:s allowed:b sentence:s? model:s? models:[ChatModel]=[]
ChatStarted conversationId:s turnId:s model:s
ChatToolCall callId:s tool:s arguments:o={} fault:s?
ChatToolEvent conversationId:s turnId:s callId:s tool:s summary:s state:s text:s="" executionId:s?
ClientInfo clientId:s name:s callsItself:s? capabilities:~Capability preset:s? elicitation:b=false drafts:b=false added:s lastSeen:s? connected:n=0 looking:s? showing:s?
ClientsChanged message:s
ConsentMode <"always_ask","session_allow","always_allow","never_allow">
ConsentReply accepted:b outcome:Outcome? by:s? reason:s? planDigest:s? grant:Grant?
ConsentRequest requestId:s client:s clientId:s="" callsItself:s? verified:b=false sessionId:s tool:ToolFace riskLevel:RiskLevel riskReasons:[s]=[] operation:Operation summary:s reason:s? parameters:o targets:[s] options:~AnswerOption=[] choices:~Decision preview:Preview? planDigest:s? hunksSupported:b=false editable:b=false revised:b=false createdAt:s expiresAt:s scope:Scope? brief:b=false waiting:b=false draft:s?
ConsentResolved requestId:s decision:s? outcome:s? by:s?
ConsentRevised ConsentRequest
ConsentWaiting requestId:s expiresAt:s
Conversation ConversationInfo history:[ChatMessage]=[]
ConversationInfo conversationId:s title:s model:s created:t updated:t messages:n running:b=false
CustomAnswer success:b result:a error:s? code:s?
CustomResult success:b result:a error:s? executionTime:n output:s=""
CustomRunEnded run:s
CustomToolInfo name:s description:s code:s parameters:o returns:s? timeout:n=30000 environment:s="node" enabled:b=true createdAt:s change:s?
CustomToolList tools:[CustomToolInfo] environments:[EnvironmentInfo] allowed:b file:s fault:s?
CustomToolSaved tool:CustomToolInfo unchecked:s?
DataPart type:<"data">="data" data:a
Decision <"allow_once","allow_session","allow_always","deny_once","deny_session","deny_always">
DirtyQuestion paths:[s]
Discovery url:s http:s pid:n version:s runDir:s
DraftInfo draftId:s client:s clientId:s created:s touched:s steps:[DraftStep] files:[s] state:s="open" since:s? words:s? comments:[ReviewComment]=[] keptUntil:s?
DraftPreview files:[FilePreview]=[] warnings:[s]=[] conflicts:[MergePlace]=[]
DraftStep tool:s summary:s time:s
DraftsChanged
Endpoint url:s http:s token:s pid:n version:s vault:s=""
EnvironmentInfo environment:s available:b sentence:s
Faults faults:[s] unprotected:[s]=[]
FilePreview path:s change:<"create","modify","move","delete","mkdir","rmdir"> newPath:s? added:n=0 removed:n=0 diff:s="" truncated:b=false follows:b=false note:s="" facts:[[s]]=[] links:n=0 unit:s="" yours:b=false since:<"","same","changed","new">="" newer:s="" picture:ShownPicture?
FoundServer agent:s program:s name:s told:[s] fault:s? known:b
Grant who:s what:s tool:s? operation:s? where:[s]=[] mostFiles:n? until:s sentence:s grantId:s kind:s client:s? clientId:s? sessionId:s? decision:s feedback:s? usedFiles:n? since:s?
GrantsChanged bounded:[Grant]=[]
HostWrite path:s expected:s content:s
ImagePart type:<"image">="image" mimeType:s data:s
InboxLine kind:s client:s clientId:s="" count:n=1 since:t files:n=0 summary:s reason:s? keptUntil:t? ids:[s] questions:[s]=[]
IndexComparison compared:n links:n tags:n differences:[IndexDifference] more:n uncompared:[UncomparedNote]
IndexDifference path:s kind:<"link","unresolved","tag","tag_order","note"> target:s="" obsidian:n bridge:n
KeyStatus provider:s title:s server:s isSet:b keptIn:s? fault:s?
KeyTest provider:s outcome:s message:s
LeftFile path:s why:s
LimitHit tool:s message:s client:s
LinkPart type:<"link">="link" uri:s name:s mimeType:s?
MergePlace placeId:s path:s why:s line:n? vault:s="" draft:s="" offers:~Take taken:s?
NewClient client:ClientInfo token:s
NotePart type:<"note">="note" path:s title:s
Operation <"read","create","update","delete","network","execute">
Outcome <"allowed","denied","timed_out","cancelled","stale">
OutsideNotice entries:[s]=[] message:s="" began:t? ended:t? unattended:b=false
PendingCall status:<"pending">="pending" callId:s requestId:s? waits:s? state:s="running" expiresAt:s? text:s=""
Preview files:[FilePreview]=[] backup:s? warnings:[s]=[] request:s? conflicts:[MergePlace]=[]
RequestPlan CallPlan request:s warnings:[s]
ReviewComment path:s line:n? quote:s? text:s
Revision accepted:b question:ConsentRequest? reason:s?
RiskLevel <"safe","low","medium","high">
RunToolQuestion run:s tool:s code:s parameters:o timeout:n
SandboxStatus confines:b sentence:s lacks:[s]
Scope kind:<"read_in_scope","read_out_of_scope","write_create","write_update","write_delete","admin"> target:s? hasBacklinks:b? operation:s?
ScreenClients clients:[s]
ScreenSent client:s path:s became:s message:s
ScreenShow client:s path:s part:s="" line:n? unasked:b=false
SearchServiceInfo service:s title:s terms:s link:s missing:s?
SemanticStatus state:<"off","missing","waiting","embedding","paused","ready","failed","not_allowed"> reason:s="" model:s="" done:n=0 total:n=0 size:n=0 endpoint:s? sentence:s?
SentText text:s
ServerInfo name:s description:s told:[s] enabled:b trusted:b state:s reason:s change:s? tools:[ServerToolInfo] faults:[s] log:[s] digest:s
ServerList servers:[ServerInfo] file:s fault:s? allowed:b
ServerToolInfo name:s call:s title:s description:s takes:s readOnly:b destructive:b change:s?
SessionInfo role:s client:s clientId:s="" capabilities:~Capability=[] sessionId:s vault:s version:s protocol:n=5 tools:[s] sent:b=false
SettingsSection id:s title:s description:s
SettingsUpdated settings:o warnings:[s]=[]
ShownPicture mimeType:s data:s width:n height:n
Take <"vault","draft","both">
Template name:s title:s description:s="" parameters:[TemplateParameter]=[] calls:[ChainCall]
TemplateInfo template:Template shipped:b
TemplateParameter name:s type:<"text","number","boolean","list","date">="text" title:s="" description:s="" optional:b=false default:a choices:[s]=[]
TextPart type:<"text">="text" text:s
ToolFace name:s title:s description:s icon:s
ToolFinished ToolStarted success:b durationMs:n
ToolResult success:b data:a text:s="" error:s? errorType:s? executionId:s? parts:[(TextPart|DataPart|ImagePart|NotePart|LinkPart)]=[]
ToolSetting name:s title:s description:s risk:RiskLevel group:s enabled:b mode:ConsentMode modes:[ConsentMode] defaultRate:n
ToolStarted executionId:s tool:s client:s callId:s?
TrashQuestion paths:[s]
UncomparedNote path:s reason:<"unsaved","changed","unread">
UndoneAll changes:[UndoneChange] undone:n files:n text:s
UndoneChange ChangeEntry undone:b=false why:s?
VaultStatus notes:n files:n semantic:SemanticStatus={"state":"off","reason":"","model":"","done":0,"total":0,"passages":0,"size":0,"endpoint":null,"sentence":null}
WebReaderInfo clientId:s client:s since:s sites:[s]
WritePlan CallPlan digest:s files:[FilePreview] warnings:[s]
WriteQuestion changes:[HostWrite] expiresAt:t
`;
