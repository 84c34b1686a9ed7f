/** The plugin: builds what its parts share, lists them, and lets Obsidian load and unload them. */

import { Plugin } from "obsidian";
import { ChatSession } from "./core/chat/session";
import { clock } from "./core/clock";
import { Questions } from "./core/consent/questions";
import { Choices } from "./core/diff/selection";
import { History } from "./core/history";
import { Listing } from "./core/listing";
import { Connection } from "./core/rpc/connection";
import { Device } from "./core/settings/device";
import { SettingsStore } from "./core/settings/store";
import { ask } from "./core/wire/reading";
import { Activity } from "./features/activity";
import { Changes } from "./features/changes";
import { Chatting } from "./features/chatting";
import { CheckIndex } from "./features/checkIndex";
import { ConsentPrompts } from "./features/consentPrompts";
import { Drafting } from "./features/drafting";
import { FirstRun, START } from "./features/firstRun";
import { GrantCounter } from "./features/grantCounter";
import { ABILITIES, hostRequests } from "./features/hostRequests";
import { Inbox } from "./features/inbox";
import { InNote } from "./features/inNote";
import { Looking } from "./features/looking";
import { OutsideChanges } from "./features/outsideChanges";
import { OwnTools } from "./features/ownTools";
import { Saves } from "./features/saves";
import { Sending } from "./features/sending";
import { openSettings, SettingsTab } from "./features/settingsTab";
import { SidecarProcess } from "./features/sidecarProcess";
import { StartView } from "./features/startView";
import { StatusBar } from "./features/statusBar";
import { locateBridge } from "./platform/discovery";
import { Presence } from "./platform/presence";
import { openSocket } from "./platform/socket";
import { ToolRuns } from "./platform/toolRuns";
import type { Context, Opening } from "./ui/context";
import { ACTIVITY, ActivityView } from "./ui/views/activityView";
import { CHAT, ChatView } from "./ui/views/chatView";
import { DRAFTS, DraftsView } from "./ui/views/draftsView";
import { CHANGES, HistoryView } from "./ui/views/historyView";
import { LOG, LogView } from "./ui/views/logView";
import { addPane } from "./ui/views/pane";
import { TEMPLATES, TemplatesView } from "./ui/views/templatesView";

/** How the bridge names us to other screens. */
const OUR_NAME = "Obsidian";

export default class VaultBridgePlugin extends Plugin {
	override onload(): void {
		const runs = new ToolRuns(this.app, async (params) => ask(context.request, "custom.call", params));
		const context = this.build(runs, {
			activity: () => void activity(),
			changes: () => void changes(),
			chat: () => void chat(),
			drafts: () => void drafts(),
			inbox: () => { inbox.open(); },
			log: () => void log(),
			settings: () => { openSettings(context); },
			start: () => void start(),
			templates: () => void templates(),
			change: (executionId) => void changes().then(async (view) => { if (view instanceof HistoryView) await view.reveal(executionId); }),
			message: (text) => void chat().then((view) => { if (view instanceof ChatView) view.begin(text); }),
			question: (requestId) => { prompts.open(requestId); },
		});
		const activity = addPane(context, ACTIVITY, (leaf) => new ActivityView(leaf, ACTIVITY, context));
		const changes = addPane(context, CHANGES, (leaf) => new HistoryView(leaf, CHANGES, context));
		const chat = addPane(context, CHAT, (leaf) => new ChatView(leaf, CHAT, context));
		const drafts = addPane(context, DRAFTS, (leaf) => new DraftsView(leaf, DRAFTS, context));
		const log = addPane(context, LOG, (leaf) => new LogView(leaf, LOG, context));
		const templates = addPane(context, TEMPLATES, (leaf) => new TemplatesView(leaf, TEMPLATES, context), () => { if (context.connection.connected) context.templates.catchUp(); });
		const sidecar = new SidecarProcess(context);
		const firstRun = new FirstRun(context, sidecar);
		const startFace = { ...START, title: `${this.manifest.name}: getting started` };
		const start = addPane(context, startFace, (leaf) => new StartView(leaf, startFace, context, firstRun), () => { firstRun.look(); });
		const prompts: ConsentPrompts = new ConsentPrompts(context, (request) => inNote.covers(request));
		const inNote: InNote = new InNote(context, (...given) => { prompts.answerOnce(...given); });
		const running = new Activity(context);
		const inbox = new Inbox(context);
		const tab = new SettingsTab(context, sidecar);
		this.addSettingTab(tab);
		this.register(tab.follow());
		this.register(context.templates.follow(context.connection));
		for (const feature of [running, new Looking(context), new GrantCounter(context), new OutsideChanges(context), new Saves(context), new Drafting(context), new Chatting(context), new Sending(context), new OwnTools(context, runs), inbox, new StatusBar(context, running, sidecar), inNote, prompts, new Changes(context), new CheckIndex(context), firstRun, sidecar]) this.addChild(feature);
		this.app.workspace.onLayoutReady(() => {
			context.connection.start();
			sidecar.startIfWanted();
			firstRun.welcome();
		});
		this.register(() => { context.connection.stop(); });
	}

	private build(runs: ToolRuns, open: Opening): Context {
		const { app } = this;
		const connection = new Connection(
			{ clock, random: () => Math.random(), locate: async () => locateBridge(app.vault), open: openSocket },
			OUR_NAME,
			hostRequests(app, clock, runs),
			ABILITIES,
		);
		const request: Context["request"] = async (method, params) => connection.request(method, params);
		return {
			open,
			plugin: this,
			app,
			clock,
			connection,
			questions: new Questions(clock),
			choices: new Choices(),
			chat: new ChatSession(request),
			drafts: new Listing(request, "drafts.list"),
			history: new History(request, () => clock.now()),
			inbox: new Listing(request, "inbox.list"),
			settings: new SettingsStore(request),
			templates: new Listing(request, "templates.list"),
			device: new Device(app),
			presence: this.addChild(new Presence(app, clock)),
			request,
		};
	}
}
