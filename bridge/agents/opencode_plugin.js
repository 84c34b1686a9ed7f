// Written by `vault-bridge protect opencode`, which also takes it away.
// Before OpenCode changes a file, this asks Vault Bridge's hook. Whatever goes wrong refuses the change.
import { spawn } from "node:child_process";

const WORDS = $words;
const MILLISECONDS = $milliseconds;
const EDITORS = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);

function ask(tool, input, folder) {
	return new Promise((resolve, reject) => {
		const hook = spawn(WORDS[0], WORDS.slice(1), { stdio: ["pipe", "ignore", "pipe"], windowsHide: true });
		const late = setTimeout(() => {
			hook.kill();
			reject(new Error("Vault Bridge did not answer in time, so this change is refused. Try again"));
		}, MILLISECONDS);
		let reason = "";
		hook.stderr.setEncoding("utf8");
		hook.stderr.on("data", (text) => { reason += text; });
		hook.on("error", (error) => {
			clearTimeout(late);
			reject(new Error("Vault Bridge's hook cannot be started, so this change is refused: " + error.message));
		});
		hook.on("close", (code) => {
			clearTimeout(late);
			if (code === 0) resolve();
			else reject(new Error(reason.trim() || "Vault Bridge's hook failed, so this change is refused"));
		});
		hook.stdin.on("error", () => {});
		hook.stdin.end(JSON.stringify({ tool_name: tool, tool_input: input, cwd: folder }));
	});
}

export default {
	id: $name,
	// OpenCode 2
	async setup(context) {
		const here = context.location?.directory ?? process.cwd();
		await context.tool.hook("execute.before", async (event) => {
			if (!EDITORS.has(event.tool)) return;
			let folder = here;
			try {
				const session = await context.session.get({ sessionID: event.sessionID });
				folder = session.location?.directory ?? here;
			} catch { /* then it is the plugin's own folder */ }
			await ask(event.tool, event.input ?? {}, folder);
		});
		return () => {};
	},
	// OpenCode 1
	async server({ directory }) {
		return {
			"tool.execute.before": async (input, output) => {
				if (EDITORS.has(input.tool)) await ask(input.tool, output.args ?? {}, directory ?? process.cwd());
			},
		};
	},
};
