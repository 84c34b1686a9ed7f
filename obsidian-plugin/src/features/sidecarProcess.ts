/** Starts, stops and restarts the bridge of this vault, if the person wants that. It never installs or updates anything. */

import { Emitter } from "../core/emitter";
import { Supervisor, type Status } from "../core/program/supervisor";
import type { Test, Trouble } from "../core/program/trouble";
import { conditionOf, type Condition } from "../core/program/wording";
import { folderOf } from "../platform/discovery";
import { thisMachine } from "../platform/machine";
import { isFile } from "../platform/outside";
import { serve } from "../platform/sidecar";
import type { Context } from "../ui/context";
import { tell } from "../ui/notice";
import { confirm } from "../ui/window";
import { Feature } from "./feature";
import { ProgramFinder } from "./programFinder";

/** Milliseconds in which a bridge that was started by someone else answers. */
const GRACE = 1_500;

/** Characters of a program's last words that a notice shows; the getting-started view shows more. */
const LONGEST_NOTICE = 200;

/** Which program there is; undefined while nobody has looked. */
export type Found = string | null | undefined;

export class SidecarProcess extends Feature {
	/** The process, or what is known of the program, has changed. */
	readonly changed = new Emitter<undefined>();
	readonly finder: ProgramFinder;
	private readonly supervisor: Supervisor;
	private foundProgram: Found;
	/** What the last test or an attempt to start said, while nothing runs. */
	private lastTrouble: Trouble | null = null;

	constructor(context: Context) {
		super(context);
		this.finder = new ProgramFinder(context, thisMachine());
		this.supervisor = new Supervisor(context.clock, {
			start: (program, ended) => serve(program, folderOf(context.app.vault), ended),
			isFile,
		});
	}

	override onload(): void {
		const { connection, app } = this.context;
		// Obsidian does not unload its plugins when it is closed.
		this.registerEvent(app.workspace.on("quit", () => { this.supervisor.stop(); }));
		this.registerDomEvent(window, "beforeunload", () => { this.supervisor.stop(); });
		this.on(this.supervisor.changed, (status) => { this.take(status); });
		this.on(connection.changed, ({ kind }) => {
			if (kind === "connected") this.supervisor.connected();
			this.changed.emit(undefined);
		});
		this.command("start-bridge", "Start the bridge", () => void this.start(), () => this.canStart);
		this.command("stop-bridge", "Stop the bridge", () => { this.stop(); }, () => this.canStop);
		this.command("restart-bridge", "Restart the bridge", () => { this.restart(); }, () => this.canStop);
	}

	/** Obsidian has opened the vault: start the bridge if the person wants that here and nobody else has started it. */
	startIfWanted(): void {
		void this.look();
		this.register(
			this.context.clock.after(GRACE, () => {
				const { startBridge, confirmed, program } = this.context.device.settings;
				if (startBridge && confirmed && program !== null && this.canStart) this.supervisor.start(program);
			}),
		);
	}

	override onunload(): void {
		this.supervisor.stop();
	}

	/** The process alone has changed. */
	get processChanged(): Emitter<Status> {
		return this.supervisor.changed;
	}

	get status(): Status {
		return this.supervisor.status;
	}

	/** Why the bridge is not there, as far as its program has to do with it. */
	get trouble(): Trouble | null {
		const { status } = this;
		if (status.kind === "failed" || status.kind === "waiting") return status.trouble;
		const isGone = this.foundProgram === null && this.context.device.settings.program !== null;
		return this.lastTrouble ?? (isGone ? this.finder.missing() : null);
	}

	get condition(): Condition {
		return conditionOf(this.context.connection.state, this.status, this.trouble, this.context.plugin.manifest.version);
	}

	/** The program that was found when somebody last looked. */
	get found(): Found {
		return this.foundProgram;
	}

	get canStart(): boolean {
		return !this.context.connection.connected && !["starting", "running", "stopping"].includes(this.status.kind);
	}

	/** A bridge that someone else started is not ours to stop. */
	get canStop(): boolean {
		return this.supervisor.active && this.status.kind !== "stopping";
	}

	/** Look where the program is, without starting it. */
	async look(): Promise<void> {
		this.foundProgram = await this.finder.find();
		this.changed.emit(undefined);
	}

	/** Look again, with nothing known. */
	async lookAgain(): Promise<void> {
		this.lastTrouble = null;
		this.finder.forget();
		await this.look();
	}

	/** Start the program, after the person has said yes to it once. */
	async start(): Promise<void> {
		await this.look();
		const program = this.foundProgram ?? null;
		if (program === null) {
			this.say(this.finder.missing());
			return;
		}
		if (!(await this.mayStart(program)) || !this.canStart) return;
		this.lastTrouble = null;
		this.supervisor.start(program);
	}

	stop(): void {
		this.supervisor.stop();
	}

	restart(): void {
		this.supervisor.restart();
	}

	/** Start the program that was found whenever this vault opens here, or no longer. The person has confirmed it. */
	startWithObsidian(wanted: boolean): void {
		const program = this.foundProgram ?? null;
		if (program === null) return;
		this.context.device.change({ startBridge: wanted, program, confirmed: true });
		this.changed.emit(undefined);
		if (wanted && this.canStart) this.supervisor.start(program);
		else if (!wanted) this.stop();
	}

	/** Ask the program for its version, on the person's word. */
	async test(): Promise<Test> {
		const program = await this.finder.find();
		const test: Test = program === null ? { ok: false, trouble: this.finder.missing() } : await this.finder.test(program);
		this.lastTrouble = test.ok ? null : test.trouble;
		await this.look();
		return test;
	}

	/** Take another program. See `ProgramFinder.choose`. */
	async choose(typed: string): Promise<string | null> {
		const refusal = await this.finder.choose(typed);
		if (refusal === null) this.lastTrouble = null;
		await this.look();
		return refusal;
	}

	/** Whether the program may be started: it was confirmed before, or it is now, and then it is what it should be. */
	private async mayStart(program: string): Promise<boolean> {
		const { device, app } = this.context;
		if (device.settings.confirmed && device.settings.program === program) return true;
		const text = `Obsidian starts ${program} on this computer, for this vault. It first asks the program for its version. This is remembered for this computer only.`;
		if (!(await confirm(app, { title: "Start this program?", text, action: "Start" }))) return false;
		const test = await this.finder.test(program);
		if (test.ok) device.change({ program, confirmed: true });
		else this.say(test.trouble);
		await this.look();
		return test.ok;
	}

	private take(status: Status): void {
		if (status.kind === "starting") this.context.connection.retryNow();
		if (status.kind === "failed") {
			// Somebody else was quicker, and this window has what it wants.
			if (this.context.connection.connected && status.trouble.kind === "served") this.supervisor.stop();
			else this.say(status.trouble);
		}
		this.changed.emit(undefined);
	}

	private say(trouble: Trouble): void {
		this.lastTrouble = trouble;
		this.changed.emit(undefined);
		const said = trouble.said === "" ? "" : ` It said: ${trouble.said.slice(-LONGEST_NOTICE)}`;
		tell(`Vault Bridge: ${trouble.text}${said}`, 15_000);
	}
}
