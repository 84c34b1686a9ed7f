/** Programs of a machine, as the bridge lists them, and what connecting one of them would change. */

export const agents = [
	{ agent: "claude-code", title: "Claude Code", file: "/home/ada/.claude.json", here: true, client: "Claude Code", fault: null },
	{ agent: "claude-desktop", title: "Claude Desktop", file: "/home/ada/.config/Claude/claude_desktop_config.json", here: false, client: null, fault: null },
	{ agent: "codex", title: "Codex", file: "/home/ada/.codex/config.toml", here: true, client: null, fault: null },
	{ agent: "vscode", title: "VS Code", file: "/home/ada/.config/Code/User/mcp.json", here: false, client: null, fault: null },
	{ agent: "gemini", title: "Gemini CLI", file: "/home/ada/.gemini/settings.json", here: true, client: null, fault: "/home/ada/.gemini/settings.json cannot be understood: line 3, column 5: Expecting ',' delimiter. Nothing was changed; correct the file, then try again" },
];

const PATH = "/home/ada/.codex/config.toml";
const DIFF = `--- ${PATH}
+++ ${PATH}
@@ -3,3 +3,7 @@
 # notes
 [tui]
 notifications = true
+
+[mcp_servers.vault-bridge]
+command = "/home/ada/.local/bin/vault-bridge"
+args = ["mcp", "--vault", "/home/ada/Notes", "--client", "Codex"]
`;

export const connecting = {
	agent: "codex",
	client: "Codex",
	removes: false,
	files: [{ path: PATH, change: "modify", newPath: null, added: 4, removed: 0, diff: DIFF, truncated: false, follows: false, note: "" }],
	kept: ["/home/ada/.codex/skills/vault-bridge/SKILL.md is there already and is not as this command writes it, so it stays."],
	digest: "sha256:0a1b",
};
