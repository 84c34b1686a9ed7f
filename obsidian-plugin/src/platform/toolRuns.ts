/**
 * Runs the code of the user's own tools that are made for a browser, each run in a frame of its own: without an origin,
 * without the network, without anything of this window. The code is in a Worker there, so that it holds up nobody. All
 * that comes out is its answer, what it prints, and what it asks of the bridge, which decides about that.
 */

import type { App } from "obsidian";
import { boolean, isObject, number, object, optional, record, ShapeError, string, type JsonObject } from "../core/json";
import type { CustomAnswer, CustomCallParams, RunToolAnswer, RunToolQuestion } from "../core/wire/contract";
import { memoryOfWindow } from "./machine";
import { frameProgram, workerProgram, type RunBounds, type RunStart, type ToWorker } from "./toolWorker";

export type CustomCall = (params: CustomCallParams) => Promise<CustomAnswer>;

const MOST_RUNS = 8;
const SHORTEST = 100;
const LONGEST = 600_000;
/** Bytes by which this window may grow during a run, and how often that is looked at: a window that is full ends. */
const MOST_MEMORY = 2 ** 30;
const LOOK = 100;
/** A frame has the bridge's answers, too; what leaves fits into one frame of the socket. */
const BOUNDS: RunBounds = { calls: 16, call: 1_000_000, result: 4_000_000, output: 64_000 };
/** Scripts of the frame's own and nothing else: no network in any form, no pictures, no styles, no frames, no forms. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; base-uri 'none'; form-action 'none'";

const readCall = record({ call: number, ask: string });
const readPrint = record({ print: string });
const readEnd = record({ end: string });
const readEnding = record({ success: boolean, error: optional(string, null) });

export class ToolRuns {
	private readonly running = new Map<string, Run>();

	constructor(
		private readonly app: App,
		private readonly call: CustomCall,
	) {}

	/** Run code once. What goes wrong in it is an answer, too. */
	async run(question: RunToolQuestion): Promise<RunToolAnswer> {
		if (this.running.has(question.run)) return failure("This run is going on already");
		if (this.running.size >= MOST_RUNS) return failure(`${MOST_RUNS} tools run in Obsidian already; try again when one has ended`);
		const run = new Run(this.app.workspace.containerEl.doc, question, this.call);
		this.running.set(question.run, run);
		try {
			return await run.ended;
		} finally {
			this.running.delete(question.run);
		}
	}

	/** End a run that is over for the bridge. */
	end(run: string): void {
		this.running.get(run)?.stop("It was ended");
	}

	/** Nobody is left to take the answers. */
	endAll(): void {
		for (const run of this.running.values()) run.stop("It was ended");
	}
}

function failure(error: string): RunToolAnswer {
	return { success: false, result: null, error, executionTime: 0, output: "" };
}

/** One run, which is over when its frame is gone. */
class Run {
	readonly ended: Promise<RunToolAnswer>;
	private readonly frame: HTMLIFrameElement;
	private readonly answers = new MessageChannel();
	private readonly faults = new MessageChannel();
	private readonly started = performance.now();
	/** Milliseconds that it still may take, and since when they pass. */
	private left: number;
	private since = 0;
	private timer = 0;
	private readonly look: number;
	private resolve: (answer: RunToolAnswer) => void = () => undefined;
	private open = 0;
	private over = false;
	private output = "";

	constructor(
		doc: Document,
		private readonly question: RunToolQuestion,
		private readonly call: CustomCall,
	) {
		this.ended = new Promise((resolve) => { this.resolve = resolve; });
		this.left = Math.min(Math.max(question.timeout, SHORTEST), LONGEST);
		this.count();
		const before = memoryOfWindow();
		this.look = window.setInterval(() => {
			if (memoryOfWindow() - before > MOST_MEMORY) this.stop("It took more than 1 GB of memory");
		}, LOOK);
		this.answers.port1.onmessage = ({ data }: MessageEvent<unknown>) => { this.hear(data); };
		this.faults.port1.onmessage = ({ data }: MessageEvent<unknown>) => { this.stop(`It cannot run in this version of Obsidian: ${String(data)}`); };
		const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>(${frameProgram.toString()})()</script>`;
		this.frame = doc.body.createEl("iframe", { cls: "vault-bridge-run", attr: { sandbox: "allow-scripts", allow: "", referrerpolicy: "no-referrer", "aria-hidden": "true", tabindex: "-1", srcdoc: page } });
		this.frame.addEventListener("load", () => { this.start(); }, { once: true });
	}

	/** End it at once, with the frame and everything in it. */
	stop(error: string): void {
		this.finish({ success: false, result: null, error });
	}

	/** Let its time pass. While the bridge answers, and a person may be asked, none does. */
	private count(): void {
		this.since = performance.now();
		this.timer = window.setTimeout(() => { this.stop(`Tool execution timed out after ${this.question.timeout} ms`); }, this.left);
	}

	private pause(): void {
		window.clearTimeout(this.timer);
		this.left -= performance.now() - this.since;
	}

	private start(): void {
		const { code, parameters } = this.question;
		const start: RunStart = { worker: `(${workerProgram.toString()})(self)`, code, parameters: JSON.stringify(parameters), bounds: BOUNDS };
		// Without an origin the frame has no name to be sent to; the ports reach nobody but what was put into it.
		this.frame.contentWindow?.postMessage(start, "*", [this.answers.port2, this.faults.port2]);
	}

	private hear(data: unknown): void {
		if (this.over) return;
		try {
			if (!isObject(data)) throw new ShapeError("", "an object");
			if ("end" in data) this.take(readEnd(data, "").end);
			else if ("print" in data) this.output = (this.output + readPrint(data, "").print).slice(0, BOUNDS.output);
			else this.pass(data);
		} catch (error) {
			this.stop(error instanceof ShapeError ? "It sent something that is no message" : String(error));
		}
	}

	private take(text: string): void {
		if (text.length > BOUNDS.result) throw new ShapeError("end", "shorter");
		const ending: unknown = JSON.parse(text);
		const { success, error } = readEnding(ending, "end");
		const result = success ? ((ending as JsonObject)["result"] ?? null) : null;
		this.finish({ success, result, error: success ? null : (error ?? "It failed") });
	}

	/** Pass a call on, as one of this run and of no other. */
	private pass(data: JsonObject): void {
		const { call, ask } = readCall(data, "");
		if (this.open >= BOUNDS.calls || ask.length > BOUNDS.call) throw new ShapeError("call", "fewer and shorter");
		// What it may be, the bridge says; only whose run it is, is not the code's to say.
		const asked = { ...object(JSON.parse(ask), "call"), run: this.question.run } as CustomCallParams;
		if (this.open === 0) this.pause();
		this.open += 1;
		const refused = (error: unknown): CustomAnswer => ({ success: false, result: null, error: error instanceof Error ? error.message : String(error), code: null });
		void this.call(asked).catch(refused).then((answer) => {
			this.open -= 1;
			if (this.over) return;
			if (this.open === 0) this.count();
			const reply: ToWorker = { call, answer: JSON.stringify(answer) };
			this.answers.port1.postMessage(reply);
		});
	}

	private finish(ending: Pick<RunToolAnswer, "success" | "result" | "error">): void {
		if (this.over) return;
		this.over = true;
		window.clearTimeout(this.timer);
		window.clearInterval(this.look);
		this.frame.remove();
		this.answers.port1.close();
		this.faults.port1.close();
		this.resolve({ ...ending, executionTime: performance.now() - this.started, output: this.output });
	}
}
