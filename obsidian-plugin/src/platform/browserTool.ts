/**
 * Runs a user's own tool where it can do no harm: a worker inside a frame that has no origin, no network and no way to
 * the app. The code never meets the plugin's own JavaScript; both only exchange messages.
 */

import type { BrowserToolParams } from "../core/wire/browserTool";
import { isObject } from "../core/json";

export interface BrowserToolAnswer {
	success: boolean;
	result?: unknown;
	error?: string;
}

const LONGEST_SECONDS = 300;
const POLICY = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:";

/** In the frame: start the worker from the code that comes, and hand on what it says. */
const FRAME_SCRIPT = `
addEventListener("message", (event) => {
  if (event.source !== parent || !event.ports[0]) return;
  const port = event.ports[0];
  const answer = (message) => port.postMessage(message);
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([event.data.source], { type: "text/javascript" })));
    worker.onmessage = (said) => answer(said.data);
    worker.onerror = (fault) => { fault.preventDefault(); answer({ success: false, error: String(fault.message) }); };
    worker.postMessage(event.data.parameters);
  } catch (fault) { answer({ success: false, error: String(fault) }); }
}, { once: true });
parent.postMessage("vault-bridge-frame-ready", "*");
`;

/** In the worker: the user's code is the body of an async function with `parameters`; what it returns is the result. */
function workerSource(code: string): string {
	return `onmessage = async (event) => {
  const run = async (parameters) => {
${code}
  };
  let answer;
  try { answer = { success: true, result: (await run(event.data)) ?? null }; }
  catch (fault) { answer = { success: false, error: String(fault && fault.message || fault) }; }
  try { postMessage(answer); }
  catch { postMessage({ success: false, error: "The result cannot be sent; return plain data." }); }
};`;
}

/** Run it and end it, whatever it does: after `timeout` seconds the frame is removed and its worker with it. */
export async function runBrowserTool({ code, parameters, timeout }: BrowserToolParams): Promise<BrowserToolAnswer> {
	const frame = activeDocument.body.createEl("iframe", {
		cls: "vault-bridge-sandbox",
		attr: { sandbox: "allow-scripts", "aria-hidden": "true", srcdoc: frameDocument() },
	});
	const channel = new MessageChannel();
	const answer = new Promise<BrowserToolAnswer>((resolve) => {
		channel.port1.onmessage = (event: MessageEvent<unknown>) => {
			resolve(readAnswer(event.data));
		};
		window.setTimeout(
			() => {
				resolve({ success: false, error: `The tool did not finish within ${timeout} s.` });
			},
			Math.min(Math.max(timeout, 0), LONGEST_SECONDS) * 1000,
		);
	});
	const start = (event: MessageEvent<unknown>): void => {
		if (event.source !== frame.contentWindow || event.data !== "vault-bridge-frame-ready") return;
		frame.contentWindow?.postMessage({ source: workerSource(code), parameters }, "*", [channel.port2]);
	};
	window.addEventListener("message", start);
	try {
		return await answer;
	} finally {
		window.removeEventListener("message", start);
		channel.port1.close();
		frame.remove();
	}
}

function frameDocument(): string {
	return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${FRAME_SCRIPT}</script>`;
}

function readAnswer(value: unknown): BrowserToolAnswer {
	if (!isObject(value) || typeof value["success"] !== "boolean") return { success: false, error: "The tool gave no answer." };
	if (value["success"]) return { success: true, result: value["result"] ?? null };
	return { success: false, error: typeof value["error"] === "string" ? value["error"] : "The tool failed." };
}
