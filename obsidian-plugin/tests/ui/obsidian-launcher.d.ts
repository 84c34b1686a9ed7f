/** What is used of a package that only the workflow with the app installs: its own needs are large, and it downloads the app. */
declare module "obsidian-launcher" {
	import type { ChildProcess } from "node:child_process";

	export interface Launched {
		proc: ChildProcess;
		configDir: string;
	}

	export default class ObsidianLauncher {
		launch(wishes: { appVersion: string; installerVersion: string; vault: string; args: string[] }): Promise<Launched>;
	}
}
