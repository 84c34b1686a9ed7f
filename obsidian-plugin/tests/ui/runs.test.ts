/** Tools of the user's own that run in this window, in a real browser: what their code can do, and what it cannot. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PATIENCE } from "../patience";
import { bridge, eachTestHasAWindow, page } from "./eachTest";

const stored = new Map<string, string>();
const asked: Record<string, unknown>[] = [];
const answers = {
	tool: ({ name, arguments: given }: Record<string, unknown>): object => (name === "read" ? { success: true, result: { text: `of ${JSON.stringify(given)}` } } : { success: false, error: `There is no tool ${String(name)}`, code: "unknown_tool" }),
	fetch: ({ url }: Record<string, unknown>): object => ({ success: true, result: { url, status: 200, contentType: "application/json", body: Buffer.from('{"ä": [1, 2]}').toString("base64") } }),
	storage: ({ operation, key, value }: Record<string, unknown>): object => {
		const name = String(key);
		if (operation === "set") stored.set(name, String(value));
		if (operation === "remove") stored.delete(name);
		if (operation === "clear") stored.clear();
		return { success: true, result: operation === "keys" ? [...stored.keys()] : operation === "get" ? (stored.get(name) ?? null) : null };
	},
};

/** Where nothing may arrive. */
let outside: Server;
let reached: string[] = [];
let address = "";
beforeAll(async () => {
	outside = createServer((request, response) => {
		reached.push(request.url ?? "");
		response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" });
		response.end("globalThis.reached = true;");
	});
	outside.on("upgrade", (request, socket) => {
		reached.push(request.url ?? "");
		socket.destroy();
	});
	await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
	const place = outside.address();
	address = `127.0.0.1:${typeof place === "object" && place ? place.port : 0}`;
});
afterAll(() => { outside.close(); });

eachTestHasAWindow({
	prepare: () => {
		bridge.answers.set("custom.call", (params) => {
			asked.push(params);
			return answers[params["kind"] as keyof typeof answers](params);
		});
	},
});
beforeEach(() => {
	stored.clear();
	asked.length = 0;
	reached = [];
});

/** Bytes of the largest of the browser's processes that show pages. */
function memoryOfRenderers(): number {
	const read = (pid: string, name: string): string => {
		try {
			return readFileSync(`/proc/${pid}/${name}`, "utf8");
		} catch {
			return "";
		}
	};
	const number = (pid: string, what: string): number => Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(read(pid, "status"))?.[1] ?? 0);
	const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(number(String(pid), "PPid")));
	const renderers = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && read(pid, "cmdline").includes("--type=renderer") && isOurs(Number(pid)));
	return Math.max(0, ...renderers.map((pid) => number(pid, "VmRSS") * 1024));
}

interface Answer {
	success: boolean;
	result: unknown;
	error: string | null;
	executionTime: number;
	output: string;
}
let runs = 0;
const run = async (code: string, { parameters = {}, timeout = PATIENCE, name = `r-${++runs}` } = {}): Promise<Answer> =>
	(await bridge.request("host.runTool", { run: name, tool: "mine", code, parameters, timeout })) as Answer;
const frames = async (): Promise<number> => page.locator("iframe").count();
const calls = (kind: string) => asked.filter((one) => one["kind"] === kind);

describe("the code of a tool", () => {
	it("is the body of an async function of its parameters, and is gone afterwards", async () => {
		const answer = await run("await null; const { a, b } = parameters; return { sum: a + b, text: 'ä' };", { parameters: { a: 40, b: 2 } });
		expect(answer).toMatchObject({ success: true, result: { sum: 42, text: "ä" }, error: null, output: "" });
		expect(answer.executionTime).toBeGreaterThan(0);
		expect(await frames()).toBe(0);
	});

	it.each([
		["nothing", "", null],
		["what is no JSON of its own", "return new Date(0);", "1970-01-01T00:00:00.000Z"],
		["a part that is undefined", "return [undefined];", [null]],
	])("returns %s", async (_name, code, result) => {
		expect(await run(code)).toMatchObject({ success: true, result });
	});

	it.each([
		["throws", "throw new TypeError('no tea');", "TypeError: no tea"],
		["rejects", "await Promise.reject(new Error('no milk'));", "Error: no milk"],
		["is no code", "return return;", "SyntaxError"],
		["closes its function", "} }); fetch('https://example.org/'); ({ x() {", "SyntaxError"],
		["throws what cannot be shown", "throw { toString() { throw 1; } };", "cannot be shown"],
		["returns a circle", "const a = {}; a.a = a; return a;", "returned is no JSON"],
		["returns too much", "return 'x'.repeat(5e6);", "too long"],
	])("that %s fails with a sentence", async (_name, code, error) => {
		const answer = await run(code);
		expect(answer).toMatchObject({ success: false, result: null });
		expect(answer.error).toContain(error);
		expect(calls("fetch")).toEqual([]);
	});

	it("prints, up to a bound", async () => {
		const answer = await run("console.log('tea', { a: 1 }, new Error('x')); console.table([]); setTimeout(() => { throw new Error('late'); }); await new Promise((go) => setTimeout(go, 50)); return 1;");
		expect(answer.success).toBe(true);
		expect(answer.output).toContain('tea {"a":1} Error: x\n');
		expect(answer.output).toContain("Uncaught Error: late");
		const flood = await run("for (let i = 0; i < 1e6; i++) console.log('x'.repeat(100)); return 1;");
		expect([flood.result, flood.output.length]).toEqual([1, 64_000]);
	});

	it("is new each time", async () => {
		await run("globalThis.kept = 1; Array.prototype.kept = 1; localStorage.kept = 1; sessionStorage.kept = 1;");
		expect(await run("return [typeof kept, typeof [].kept, localStorage.kept, sessionStorage.getItem('kept')];")).toMatchObject({ result: ["undefined", "undefined", "1", null] });
	});
});

describe("through the bridge, and as this run alone, the code", () => {
	it("calls tools, and is told why it may not", async () => {
		const name = "r-tools";
		expect(await run("const read = await bridge.call('read', { path: 'Tea.md' }); const refused = await bridge.call('burn').catch((error) => [error.message, error.code]); return [read, refused];", { name })).toMatchObject({
			result: [{ text: 'of {"path":"Tea.md"}' }, ["There is no tool burn", "unknown_tool"]],
		});
		await expect.poll(() => calls("tool")).toEqual([expect.objectContaining({ run: name, name: "read", arguments: { path: "Tea.md" } }), expect.objectContaining({ run: name, name: "burn" })]);
	});

	it("fetches, with what the web's function takes and returns", async () => {
		const code = "const got = await fetch('https://example.org/a?b', { method: 'post', body: 'tea', headers: { Accept: 'application/json' } }); return [got.ok, got.url, got.headers.get('content-type'), await got.json()];";
		expect(await run(code)).toMatchObject({ result: [true, "https://example.org/a?b", "application/json", { ä: [1, 2] }] });
		await expect.poll(() => calls("fetch")).toEqual([expect.objectContaining({ url: "https://example.org/a?b", method: "POST", body: "tea" })]);
	});

	it.each([
		["another method", "fetch('https://example.org/', { method: 'DELETE' })", "Tools can GET and POST, not DELETE"],
		["a header", "fetch('https://example.org/', { headers: { Authorization: 'x' } })", "Tools cannot send the header authorization"],
		["no address", "fetch('/a')", "Failed to"],
	])("is told that it cannot fetch with %s", async (_name, code, error) => {
		const answer = await run(`await ${code};`);
		expect(answer.error).toContain(error);
		expect(calls("fetch")).toEqual([]);
	});

	it("keeps what it stores, as the web's storage does", async () => {
		stored.set("count", "41");
		const code = "localStorage.setItem('count', Number(localStorage.getItem('count')) + 1); localStorage.tea = 'green'; delete localStorage.gone; const { length } = localStorage; const keys = Object.keys(localStorage); localStorage.setItem('x', 1); localStorage.removeItem('x'); return [length, keys, localStorage.key(0), 'tea' in localStorage, localStorage.none ?? null];";
		expect(await run(code)).toMatchObject({ success: true, result: [2, ["count", "tea"], "count", true, null] });
		expect(Object.fromEntries(stored)).toEqual({ count: "42", tea: "green" });
		expect(await run("localStorage.clear(); localStorage.setItem('a', 'b'); return Object.entries(localStorage);")).toMatchObject({ result: [["a", "b"]] });
		expect(Object.fromEntries(stored)).toEqual({ a: "b" });
	});

	it("is told when what it stored was not kept", async () => {
		bridge.answers.set("custom.call", ({ operation }) => (operation === "set" ? { success: false, error: "The storage of this tool is full" } : { success: true, result: [] }));
		expect(await run("localStorage.a = 1; return 1;")).toMatchObject({ success: false, error: "Error: The storage of this tool is full" });
	});

	it("asks many things at once, and they are passed on some at a time", async () => {
		expect(await run("return (await Promise.all(Array.from({ length: 200 }, (_, index) => bridge.call('read', { index })))).length;")).toMatchObject({ result: 200 });
		await expect.poll(() => calls("tool")).toHaveLength(200);
	});
});

describe("the code of a tool does not reach", () => {
	it.each([
		["this window", "return [typeof window, typeof document, typeof parent, typeof top, typeof opener, typeof frameElement];", ["undefined", "undefined", "undefined", "undefined", "undefined", "undefined"]],
		["the plugin, Node or the app", "return [typeof require, typeof process, typeof app, typeof localStorage.getItem('vault-bridge'), typeof electron];", ["undefined", "undefined", "undefined", "object", "undefined"]],
		["cookies, databases and caches", "return [typeof cookieStore, typeof indexedDB, typeof caches, navigator.cookieEnabled ?? null];", ["undefined", "undefined", "undefined", null]],
		["windows, to open or to lead elsewhere", "const before = location.href; try { location.href = 'https://example.org/'; } catch {} return [typeof open, typeof alert, location.href === before, location.origin];", ["undefined", "undefined", true, "null"]],
		["other workers and channels", "return [typeof Worker, typeof SharedWorker, typeof BroadcastChannel, typeof RTCPeerConnection, typeof navigator.serviceWorker];", ["undefined", "undefined", "undefined", "undefined", "undefined"]],
		["its own port", "const seen = []; const { postMessage } = MessagePort.prototype; MessagePort.prototype.postMessage = function (...all) { seen.push(this); return postMessage.apply(this, all); }; const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data'); Object.defineProperty(MessageEvent.prototype, 'data', { get() { seen.push(this.target); return get.call(this); } }); await bridge.call('read'); return seen.length;", 0],
	])("%s", async (_name, code, result) => {
		expect(await run(code)).toMatchObject({ success: true, result });
	});

	it.each([
		["a script", "await import('http://PLACE/script');"],
		["a script in an address", "await import('data:text/javascript,export default 1');"],
		["a request, with a function that it finds again", "for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'importScripts']) { delete globalThis[name]; for (let place = globalThis; place; place = Object.getPrototypeOf(place)) if (Object.hasOwn(place, name)) throw new Error('found ' + name); } await import('http://PLACE/again');"],
		["a font", "const font = new FontFace('f', 'url(http://PLACE/font)'); await font.load();"],
	])("the network with %s", async (_name, code) => {
		expect(await run(code.replaceAll("PLACE", address))).toMatchObject({ success: false });
		expect(reached).toEqual([]);
	});

	it("the network from its frame either, whatever is in that", async () => {
		// What the frame's own program never does: the policy holds for the frame too.
		await page.evaluate((place) => {
			// Let the frame hold from its beginning what an attacker would want in it.
			HTMLIFrameElement.prototype.setAttribute = function (name, value) {
				Element.prototype.setAttribute.call(this, name, name === "srcdoc" ? value.replace("</script>", `;const socket = () => { try { new WebSocket("ws://${place}/socket"); } catch {} }; socket(); fetch("http://${place}/fetch").catch(() => 0); new Image().src = "http://${place}/image"; document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "http://${place}/style" })); document.head.append(Object.assign(document.createElement("script"), { src: "http://${place}/script" })); document.head.append(Object.assign(document.createElement("iframe"), { src: "http://${place}/frame" })); navigator.sendBeacon("http://${place}/beacon"); try { top.location = "http://${place}/top"; } catch {} try { parent.document.body.dataset.hacked = "1"; } catch {} try { open("http://${place}/popup"); } catch {} try { document.cookie = "a=b"; } catch {} try { localStorage.a = 1; } catch {}</script>`) : value);
			};
		}, address);
		expect(await run("return 7;")).toMatchObject({ success: true, result: 7 });
		expect(reached).toEqual([]);
		expect(await page.evaluate(() => [document.body.dataset["hacked"] ?? null, location.pathname])).toEqual([null, "/"]);
		expect(page.context().pages().filter((one) => one.url().includes(address))).toEqual([]);
	});

	it("other runs: what it names as its run does not count", async () => {
		await run("await bridge.call('read', { run: 'r-other' });", { name: "r-mine" });
		expect(new Set(asked.map((one) => one["run"]))).toEqual(new Set(["r-mine"]));
	});
});

describe("a run that does not end by itself", () => {
	const heavy = [
		["computes", "for (;;) {}"],
		["waits", "await new Promise(() => {});"],
		["fills its memory", "const held = []; for (;;) held.push(new Uint8Array(1e6).fill(1)); "],
		["prints", "for (;;) console.log('x'.repeat(1000));"],
		["fails all the time", "for (;;) { Promise.reject(new Error('x')); await new Promise((go) => setTimeout(go)); }"],
	] as const;

	it.each(heavy)("because it %s is ended when its time is over, and holds up nobody", async (_name, code) => {
		const going = run(code, { timeout: 1_000 });
		await page.waitForSelector("iframe", { state: "attached" });
		// The app answers meanwhile.
		expect(await bridge.request("host.dirty", { paths: [] })).toEqual({ open: [], unsaved: [] });
		expect(await going).toMatchObject({ success: false, result: null, error: "Tool execution timed out after 1000 ms" });
		expect(await frames()).toBe(0);
		expect(await run("return 1;")).toMatchObject({ result: 1 });
	});

	it.skipIf(process.platform !== "linux")("because it fills the memory of the app is ended before that is full", async () => {
		const going = run("const held = []; for (;;) held.push(new Uint8Array(1e7).fill(1));", { timeout: 600_000 });
		const told = async (): Promise<null> => page.evaluate((bytes) => {
			window.hostMemory = bytes;
			return null;
		}, memoryOfRenderers());
		while ((await Promise.race([going, told()])) === null);
		expect(await going).toMatchObject({ success: false, error: "It took more than 1 GB of memory" });
		expect(await run("return 1;")).toMatchObject({ result: 1 });
	});

	it("has its time while a person is asked, and is ended in it all the same", async () => {
		let answer = (): void => undefined;
		bridge.answers.set("custom.call", ({ kind }) => (kind === "storage" ? { success: true, result: [] } : new Promise((resolve) => { answer = () => { resolve({ success: true, result: "yes" }); }; })));
		const going = run("return bridge.call('read');", { timeout: 2_000 });
		await bridge.untilAsked(({ method, params }) => method === "custom.call" && params["kind"] === "tool");
		// Another run of the same time is over while this one waits.
		expect(await run("for (;;) {}", { timeout: 2_000 })).toMatchObject({ success: false });
		answer();
		expect(await going).toMatchObject({ success: true, result: "yes" });
		void run("await bridge.call('read'); for (;;) {}", { timeout: 2_000, name: "r-after" });
		await bridge.untilAsked(({ params }) => params["run"] === "r-after" && params["kind"] === "tool");
		answer();
		await page.waitForSelector("iframe", { state: "detached" });
	});

	it("is ended when the bridge says so, and is heard no more", async () => {
		const going = run("for (;;) {}", { name: "r-long", timeout: 600_000 });
		await page.waitForSelector("iframe", { state: "attached" });
		bridge.notify("custom.ended", { run: "r-another" });
		expect(await run("return 1;")).toMatchObject({ result: 1 });
		expect(await frames()).toBe(1);
		bridge.notify("custom.ended", { run: "r-long" });
		expect(await going).toMatchObject({ success: false, error: "It was ended" });
		expect(await frames()).toBe(0);
	});

	it("ends with the connection, and with the plugin", async () => {
		void run("for (;;) {}", { timeout: 600_000 });
		await page.waitForSelector("iframe", { state: "attached" });
		await page.evaluate(() => { window.host.plugin.unload(); });
		expect(await frames()).toBe(0);
		await page.evaluate(() => { window.host.plugin.load(); });
		await page.waitForSelector(".vault-bridge-status.is-connected");
		void run("for (;;) {}", { timeout: 600_000 });
		await page.waitForSelector("iframe", { state: "attached" });
		bridge.stop();
		await page.waitForSelector("iframe", { state: "detached" });
	});

	it("leaves room for some others and not for any number", async () => {
		const going = Array.from({ length: 8 }, async () => run("for (;;) {}", { timeout: 5_000 }));
		await page.waitForFunction(() => document.querySelectorAll("iframe").length === 8);
		expect((await run("return 1;")).error).toContain("8 tools run in Obsidian already");
		for (const one of await Promise.all(going)) expect(one.error).toBe("Tool execution timed out after 5000 ms");
	});
});

it("needs all that a run is made of", async () => {
	expect(await bridge.request("host.runTool", { code: "return 1;", parameters: {}, timeout: 5 })).toMatchObject({ code: -32602 });
	expect(await frames()).toBe(0);
});
