// Runs one tool of the user's own, in a process of its own, and ends. It is given to `node -e`.
//
// A line of JSON comes in: {type: "execute", code, parameters, timeout}, or {type: "check", code}, which only reads the
// code. What goes out has a descriptor of its own, since the code prints where it likes: {type: "started"} when its time
// begins, and at last {success, result?, error?, executionTime}. Between them, {type: "call", id, name, arguments} asks
// the bridge for a call of one of its tools, and {id, success, result?, error?, code?} comes back.
"use strict";
(() => {
	const { writeSync } = require("node:fs");
	const { performance } = require("node:perf_hooks");
	const { Script } = require("node:vm");
	const channel = Number(process.argv[1]);
	const input = process.stdin;
	const stringify = JSON.stringify;
	const AsyncFunction = (async () => {}).constructor;
	const waiting = new Map();
	let started = 0;
	let calls = 0;

	if (channel === 1) process.stdout.write = process.stderr.write.bind(process.stderr);

	const send = (message) => {
		const data = Buffer.from(`${stringify(message)}\n`);
		for (let at = 0; at < data.length; ) at += writeSync(channel, data, at);
	};

	const finish = (message) => {
		try {
			send({ ...message, executionTime: performance.now() - started });
		} finally {
			process.exit(0);
		}
	};

	const fail = (error) => {
		const isError = error instanceof Error;
		if (isError && error.stack) process.stderr.write(`${error.stack}\n`);
		finish({ success: false, error: isError ? `${error.name}: ${error.message}` : String(error) });
	};

	const succeed = (result) => {
		let text;
		try {
			text = stringify(result);
		} catch (error) {
			fail(new TypeError(`what the tool returned is no JSON: ${error.message}`));
			return;
		}
		finish(text === undefined ? { success: true } : { success: true, result });
	};

	const compile = (code) => new AsyncFunction("parameters", "params", "bridge", "require", code);

	// The constructor does not say in which line a mistake is; a script does.
	const lineOf = (code) => {
		try {
			new Script(`(async (parameters, params, bridge, require) => {\n${code}\n})`, { filename: "tool", lineOffset: -1 });
		} catch (error) {
			const found = /^tool:(\d+)/.exec(error.stack ?? "");
			if (found !== null) return ` (line ${found[1]})`;
		}
		return "";
	};

	const bridge = Object.freeze({
		call(name, given = {}) {
			return new Promise((resolve, reject) => {
				const id = ++calls;
				send({ type: "call", id, name: String(name), arguments: given });
				waiting.set(id, { resolve, reject });
				input.ref();
			});
		},
	});

	const answered = ({ id, success, result, error, code }) => {
		const asked = waiting.get(id);
		if (asked === undefined) return;
		waiting.delete(id);
		if (waiting.size === 0) input.unref();
		if (success) asked.resolve(result);
		else asked.reject(Object.assign(new Error(error), { code }));
	};

	const begin = ({ type, code, parameters }) => {
		started = performance.now();
		let run;
		try {
			run = compile(code);
		} catch (error) {
			finish({ success: false, error: `${error.name}: ${error.message}${lineOf(code)}` });
			return;
		}
		if (type === "check") {
			finish({ success: true });
			return;
		}
		send({ type: "started" });
		process.on("uncaughtException", fail);
		process.on("unhandledRejection", fail);
		process.on("beforeExit", () => fail("the tool ended without returning: what it waited for never came"));
		run(parameters, parameters, bridge, require).then(succeed, fail);
	};

	let held = "";
	let begun = false;
	input.setEncoding("utf8");
	input.on("data", (text) => {
		held += text;
		for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
			const message = JSON.parse(held.slice(0, end));
			held = held.slice(end + 1);
			if (begun) answered(message);
			else {
				begun = true;
				input.unref();
				begin(message);
			}
		}
	});
	input.on("end", () => process.exit(1)); // the bridge wants no more
})();
