/**
 * What runs inside the sandboxed frame of one run of a tool. The sources of these two functions are sent there, so they
 * refer to nothing outside themselves.
 *
 * The frame's sandbox and policy are what confines the code. What is deleted and kept here makes faults speak, and
 * keeps the code from sending more messages than the run may.
 */

export interface RunBounds {
	/** Calls at a time; the others wait. */
	calls: number;
	/** Characters of one call. */
	call: number;
	/** Characters of the result, as JSON. */
	result: number;
	/** Characters written to the console. */
	output: number;
}

/** What a frame is sent to start a run. */
export interface RunStart {
	worker: string;
	code: string;
	/** JSON. */
	parameters: string;
	bounds: RunBounds;
}

/** What a Worker is sent: the answer to a call, as JSON. */
export interface ToWorker {
	call: number;
	answer: string;
}

/** The program of the frame: starts the Worker, gives it its port, and says when that fails. */
export function frameProgram(): void {
	window.addEventListener("message", ({ source, data, ports: [port, faults] }: MessageEvent<RunStart>) => {
		if (source !== window.parent || !port || !faults) return;
		try {
			const worker = new Worker(URL.createObjectURL(new Blob([data.worker], { type: "text/javascript" })));
			worker.addEventListener("error", (event) => {
				event.preventDefault();
				faults.postMessage(event.message === "" ? "it was refused" : event.message);
			});
			worker.postMessage(data, [port]);
		} catch (error) {
			faults.postMessage(String(error));
		}
	});
}

/**
 * The program of the Worker: gives the code what it may use, runs it, and sends what it came to.
 *
 * @param scope - The Worker's globals.
 */
export function workerProgram(scope: Record<string, unknown> & Pick<Window, "addEventListener">): void {
	// Taken before the code could change them, so that it never gets at the port.
	const { parse, stringify } = JSON;
	const prevent = Function.prototype.call.bind(Reflect.get(Event.prototype, "preventDefault")) as (event: Event) => void;
	const dataOf = Function.prototype.call.bind(Reflect.getOwnPropertyDescriptor(MessageEvent.prototype, "data")?.get ?? Object) as (event: Event) => unknown;
	type Functions = new (...names: string[]) => (...values: unknown[]) => Promise<unknown>;
	const AsyncFunction = (async () => Promise.resolve()).constructor as Functions;

	const describe = (error: unknown): string => {
		try {
			return String(error);
		} catch {
			return "an error that cannot be shown";
		}
	};

	const begin = (port: MessagePort, { code, parameters, bounds }: RunStart): void => {
		const post = port.postMessage.bind(port);
		const waiting = new Map<number, (answer: unknown) => void>();
		const queue: (() => void)[] = [];
		let [calls, open, printed] = [0, 0, 0];

		port.onmessage = (event) => {
			const { call, answer } = dataOf(event) as ToWorker;
			waiting.get(call)?.(parse(answer));
			waiting.delete(call);
		};

		/** Ask the bridge. Throws what it says instead of an answer. */
		const ask = async (what: object): Promise<unknown> => {
			const text = stringify(what);
			if (text.length > bounds.call) throw new RangeError("This is too long to be sent");
			if (open >= bounds.calls) await new Promise<void>((go) => { queue.push(go); });
			open += 1;
			const call = (calls += 1);
			const answer = await new Promise((resolve) => {
				waiting.set(call, resolve);
				post({ call, ask: text });
			});
			open -= 1;
			queue.shift()?.();
			const { success, result, error, code: why } = answer as { success: boolean; result: unknown; error: string | null; code: string | null };
			if (!success) throw Object.assign(new Error(error ?? "The bridge did not do it"), { code: why });
			return result;
		};

		const print = (...values: unknown[]): void => {
			const shown = values.map((value) => {
				if (typeof value === "string") return value;
				try {
					return value instanceof Error ? describe(value) : (value === undefined ? "undefined" : stringify(value));
				} catch {
					return describe(value);
				}
			});
			const text = `${shown.join(" ")}\n`.slice(0, bounds.output - printed);
			printed += text.length;
			if (text !== "") post({ print: text });
		};

		/** A storage like the web's, which tells of each change. */
		const storageOf = (held: Map<string, string>, change: (what: { operation: string; key?: string; value?: string }) => void): object => {
			const methods = {
				get length() {
					return held.size;
				},
				key: (index: number) => [...held.keys()][index] ?? null,
				getItem: (key: unknown) => held.get(String(key)) ?? null,
				setItem: (key: unknown, value: unknown) => {
					held.set(String(key), String(value));
					change({ operation: "set", key: String(key), value: String(value) });
				},
				removeItem: (key: unknown) => {
					if (held.delete(String(key))) change({ operation: "remove", key: String(key) });
				},
				clear: () => {
					held.clear();
					change({ operation: "clear" });
				},
			};
			return new Proxy(methods, {
				get: (target, name) => (name in target ? (Reflect.get(target, name) as unknown) : held.get(String(name))),
				set: (_, name, value) => {
					methods.setItem(name, value);
					return true;
				},
				deleteProperty: (_, name) => {
					methods.removeItem(name);
					return true;
				},
				has: (target, name) => name in target || held.has(String(name)),
				ownKeys: () => [...held.keys()],
				getOwnPropertyDescriptor: (_, name) => (held.has(String(name)) ? { value: held.get(String(name)), writable: true, enumerable: true, configurable: true } : undefined),
			});
		};

		const fetchThrough = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
			const request = new Request(input, init);
			const { method, url } = request;
			if (method !== "GET" && method !== "POST") throw new TypeError(`Tools can GET and POST, not ${method}`);
			for (const name of request.headers.keys()) {
				if (name !== "accept" && name !== "content-type") throw new TypeError(`Tools cannot send the header ${name}`);
			}
			const sent = method === "POST" ? { body: await request.text() } : {};
			const got = (await ask({ kind: "fetch", url, method, ...sent })) as { url: string; status: number; contentType: string; body: string };
			const bytes = Uint8Array.from(atob(got.body), (character) => character.charCodeAt(0));
			const empty = [101, 204, 205, 304].includes(got.status);
			const response = new Response(empty ? null : bytes, { status: got.status, headers: { "content-type": got.contentType } });
			return Object.defineProperty(response, "url", { value: got.url });
		};

		let turn: Promise<unknown> = Promise.resolve();
		/** What is stored is stored in the order in which the code says so. */
		const store = async (operation: string, more: object = {}): Promise<unknown> => {
			const mine = turn.catch(() => undefined).then(async () => ask({ kind: "storage", operation, ...more }));
			turn = mine;
			return mine;
		};
		const bridge = Object.freeze({ call: async (name: string, given: object = {}) => ask({ kind: "tool", name, arguments: given }) });

		/** What was stored, loaded before the code runs: the web's storage answers at once. */
		const load = async (): Promise<[local: object, saved: () => Promise<void>]> => {
			const keys = (await store("keys")) as string[];
			const values = await Promise.all(keys.map(async (key) => store("get", { key })));
			const faults: unknown[] = [];
			const local = storageOf(new Map(keys.map((key, index) => [key, String(values[index])])), ({ operation, ...more }) => {
				void store(operation, more).catch((error: unknown) => { faults.push(error); });
			});
			const saved = async (): Promise<void> => {
				await turn.catch(() => undefined);
				if (faults.length > 0) throw faults[0];
			};
			return [local, saved];
		};

		const run = async (): Promise<unknown> => {
			const [local, saved] = await load();
			const session = storageOf(new Map(), () => undefined);
			const found = { fetch: fetchThrough, localStorage: local, sessionStorage: session };
			for (const [name, value] of Object.entries(found)) Object.defineProperty(scope, name, { value, writable: true, configurable: true });
			const given: unknown = parse(parameters);
			const result = await new AsyncFunction("parameters", "params", "bridge", code)(given, given, bridge);
			await saved();
			return result;
		};

		// What does nothing here is not there, so that code that tries it is told.
		const dead = ["close", "postMessage", "importScripts", "BroadcastChannel", "caches", "EventSource", "indexedDB", "Notification", "WebSocket", "WebSocketStream", "WebTransport", "Worker", "XMLHttpRequest"];
		for (let place: object | null = scope; place !== null; place = Reflect.getPrototypeOf(place)) {
			for (const name of dead) Reflect.deleteProperty(place, name);
		}
		const printing = ["log", "info", "debug", "warn", "error", "trace", "dir"];
		const names = Object.keys(console);
		scope["console"] = Object.fromEntries(names.map((name) => [name, printing.includes(name) ? print : () => undefined]));
		scope.addEventListener("error", (event) => {
			prevent(event);
			print(`Uncaught ${event.message}`);
		});
		scope.addEventListener("unhandledrejection", (event) => {
			prevent(event);
			print(`Uncaught (in a promise) ${describe(event.reason)}`);
		});
		void run().then(
			(result) => {
				let text: string;
				try {
					text = stringify({ success: true, result: result ?? null });
				} catch (error) {
					text = stringify({ success: false, error: `What the tool returned is no JSON: ${describe(error)}` });
				}
				post({ end: text.length > bounds.result ? stringify({ success: false, error: "What the tool returned is too long" }) : text });
			},
			(error: unknown) => { post({ end: stringify({ success: false, error: describe(error).slice(0, bounds.output) }) }); },
		);
	};

	const start = (event: Event): void => {
		const { data, ports } = event as MessageEvent<RunStart>;
		if (ports[0]) begin(ports[0], data);
	};
	scope.addEventListener("message", start, { once: true });
}
