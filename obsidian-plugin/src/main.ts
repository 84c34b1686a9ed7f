/** The plugin: builds the services, lists the features, and lets Obsidian load and unload them. */

import { Plugin } from "obsidian";
import { Questions } from "./core/consent/questions";
import { Connection } from "./core/rpc/connection";
import { SettingsStore } from "./core/settings/store";
import { readCustomAnswer } from "./core/wire/readers";
import { Activity } from "./features/activity";
import { AuditLog } from "./features/auditLog";
import { Changes } from "./features/changes";
import { Chatting } from "./features/chatting";
import { CheckIndex } from "./features/checkIndex";
import { ConsentPrompts } from "./features/consentPrompts";
import type { Context } from "./features/context";
import { Drafting } from "./features/drafting";
import { FirstRun } from "./features/firstRun";
import { ABILITIES, hostRequests } from "./features/hostRequests";
import { GrantCounter } from "./features/grantCounter";
import { Inbox } from "./features/inbox";
import { InNote } from "./features/inNote";
import { Looking } from "./features/looking";
import { OutsideChanges } from "./features/outsideChanges";
import { OwnTools } from "./features/ownTools";
import { Protection } from "./features/protection";
import { Saves } from "./features/saves";
import { openSettings, SettingsTab } from "./features/settingsTab";
import { SidecarProcess } from "./features/sidecarProcess";
import { Statistics } from "./features/statistics";
import { StatusBar } from "./features/statusBar";
import { RunTemplates } from "./features/templates";
import { clock } from "./platform/clock";
import { Device } from "./platform/device";
import { locateBridge } from "./platform/discovery";
import { openSocket } from "./platform/socket";
import { ToolRuns } from "./platform/toolRuns";

/** How the bridge names us to other screens. */
const OUR_NAME = "Obsidian";

export default class VaultBridgePlugin extends Plugin {
	override onload(): void {
		const runs = new ToolRuns(this.app, async (params) => readCustomAnswer(await context.request("custom.call", params), "custom.call"));
		const context = this.build(runs);
		const settings = (): void => {
			openSettings(context);
		};
		const sidecar = new SidecarProcess(context);
		const changes = new Changes(context);
		const log = new AuditLog(context, {
			undo: (executionId) => { changes.reverse("undo", executionId); },
			diff: async (executionId) => changes.diff(executionId),
			activity: () => { statistics.open(); },
		});
		const statistics = new Statistics(context, () => { log.open(); });
		const prompts: ConsentPrompts = new ConsentPrompts(context, {
			settings,
			log: () => { log.open(); },
			inNote: (request) => inNote.covers(request),
		});
		const inNote: InNote = new InNote(context, prompts.choices, {
			answer: (...given) => { prompts.answerOnce(...given); },
			open: (requestId) => { prompts.showOne(requestId); },
			undo: (path) => { changes.reverseLast(path); },
		});
		const firstRun = new FirstRun(context, sidecar, {
			settings,
			log: () => { log.open(); },
			changes: () => { changes.open(); },
			undo: (executionId) => { changes.reverse("undo", executionId); },
			showQuestion: (requestId) => { prompts.showOne(requestId); },
		});
		const tab = new SettingsTab(context, {
			openLog: () => { log.open(); },
			openStart: () => { firstRun.open(); },
			openActivity: () => { statistics.open(); },
			sidecar,
		});
		const saves = new Saves(context);
		const activity = new Activity(context);
		const check = new CheckIndex(context);
		const drafting = new Drafting(context, (question) => { prompts.showOne(question.requestId); });
		const templates = new RunTemplates(context);
		const chatting = new Chatting(context);
		const ownTools = new OwnTools(context, runs);
		const inbox = new Inbox(context, {
			question: (requestId) => {
				if (requestId === null) prompts.showAll();
				else prompts.showOne(requestId);
			},
			drafts: () => { drafting.open(); },
			change: (entryId) => { changes.openAt(entryId); },
			inFront: () => prompts.presence.inFront,
		});
		const status = new StatusBar(context, {
			inbox: () => { inbox.open(); },
			answer: () => { prompts.showAll(); },
			log: () => { log.open(); },
			changes: () => { changes.open(); },
			chat: () => { chatting.open(); },
			drafts: () => { drafting.open(); },
			templates: () => { templates.open(); },
			start: () => { firstRun.open(); },
			settings,
		}, activity.changed, sidecar, inbox.lines);
		const outside = new OutsideChanges(context, {
			review: (entryId) => { changes.openAt(entryId); },
			undo: (entryId) => { changes.reverse("undo", entryId); },
		});
		const counter = new GrantCounter(context, { undoAll: (grant, first) => { changes.undoAll({ clientId: "", hours: null, grant }, first); } });
		this.addSettingTab(tab);
		this.register(tab.follow());
		for (const feature of [activity, new Protection(context), new Looking(context, settings), counter, outside, saves, drafting, templates, chatting, ownTools, inbox, status, inNote, prompts, log, statistics, changes, check, firstRun, sidecar]) this.addChild(feature);
		this.app.workspace.onLayoutReady(() => {
			context.connection.start();
			sidecar.startIfWanted();
			firstRun.welcome();
		});
		this.register(() => { context.connection.stop(); });
	}

	private build(runs: ToolRuns): Context {
		const { app } = this;
		const connection = new Connection(
			{ clock, random: () => Math.random(), locate: async () => locateBridge(app.vault), open: openSocket },
			OUR_NAME,
			hostRequests(app, clock, runs),
			ABILITIES,
		);
		const request: Context["request"] = async (method, params) => connection.request(method, params);
		return {
			plugin: this,
			app,
			clock,
			connection,
			questions: new Questions(clock),
			settings: new SettingsStore(request),
			device: new Device(app),
			request,
		};
	}
}
