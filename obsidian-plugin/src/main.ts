/** The plugin: builds the services, lists the features, and lets Obsidian load and unload them. */

import { Plugin } from "obsidian";
import { Questions } from "./core/consent/questions";
import { Connection } from "./core/rpc/connection";
import { SettingsStore } from "./core/settings/store";
import { Activity } from "./features/activity";
import { AuditLog } from "./features/auditLog";
import { Changes } from "./features/changes";
import { CheckIndex } from "./features/checkIndex";
import { ConsentPrompts } from "./features/consentPrompts";
import type { Context } from "./features/context";
import { FirstRun } from "./features/firstRun";
import { ABILITIES, hostRequests } from "./features/hostRequests";
import { openSettings, SettingsTab } from "./features/settingsTab";
import { SidecarProcess } from "./features/sidecarProcess";
import { StatusBar } from "./features/statusBar";
import { clock } from "./platform/clock";
import { Device } from "./platform/device";
import { locateBridge } from "./platform/discovery";
import { openSocket } from "./platform/socket";

/** How the bridge names us to other screens. */
const OUR_NAME = "Obsidian";

export default class VaultBridgePlugin extends Plugin {
	override onload(): void {
		const context = this.build();
		const settings = (): void => {
			openSettings(context);
		};
		const sidecar = new SidecarProcess(context);
		const changes = new Changes(context);
		const log = new AuditLog(context, {
			undo: (executionId) => { changes.reverse("undo", executionId); },
			changeOf: async (executionId) => changes.changeOf(executionId),
		});
		const prompts = new ConsentPrompts(context, {
			settings,
			log: () => { log.open(); },
		});
		const firstRun = new FirstRun(context, settings);
		const tab = new SettingsTab(context, {
			openLog: () => { log.open(); },
			openStart: () => { firstRun.open(); },
			startBridge: () => { sidecar.start(); },
			stopBridge: () => { sidecar.stop(); },
		});
		const activity = new Activity(context);
		const check = new CheckIndex(context);
		const status = new StatusBar(context, {
			answer: () => { prompts.showAll(); },
			log: () => { log.open(); },
			changes: () => { changes.open(); },
			start: () => { firstRun.open(); },
			settings,
		}, activity.changed);
		this.addSettingTab(tab);
		this.register(tab.follow());
		for (const feature of [activity, status, prompts, log, changes, check, firstRun]) this.addChild(feature);
		this.app.workspace.onLayoutReady(() => {
			context.connection.start();
			this.addChild(sidecar);
			firstRun.welcome();
		});
		this.register(() => { context.connection.stop(); });
	}

	private build(): Context {
		const { app } = this;
		const connection = new Connection(
			{ clock, random: () => Math.random(), locate: async () => locateBridge(app.vault), open: openSocket },
			OUR_NAME,
			hostRequests(app, clock),
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
