"""The programs that can be connected, one row each: where its configuration is, in which form, and under which key.

A program that keeps its configuration in another way is added here and nowhere else.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from bridge.agents.machine import Machine

Form = Literal["json", "commented", "jsonc", "toml"]
"""`commented` is JSON in which the program allows comments; in `jsonc` also a comma after the last member."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """The command with which a program reaches the bridge.

    Attributes:
        command: The absolute path of a program.
        args: Its arguments.
    """

    command: str
    args: tuple[str, ...]


def _plain(server: ServerCommand) -> dict[str, Any]:
    return {"command": server.command, "args": list(server.args)}


def _typed(server: ServerCommand) -> dict[str, Any]:
    return {"type": "stdio", **_plain(server)}


def _one_list(server: ServerCommand) -> dict[str, Any]:
    return {"type": "local", "command": [server.command, *server.args], "enabled": True}


def words_of(entry: Any) -> list[str]:
    """Return the command of an entry, in whichever form the program has it."""
    if not isinstance(entry, dict):
        return []
    command, args = entry.get("command"), entry.get("args", [])
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    return [word for word in words if isinstance(word, str)]


@dataclass(frozen=True, slots=True)
class Agent:
    """One program.

    Attributes:
        id: Its name on the command line.
        title: What people call it; the client that it becomes in the bridge has this name.
        file: The user's own configuration file, which holds for every project.
        form: The form of that file.
        key: Where in it the servers are.
        entry: A server as this program writes it down.
        defaults: What an entry gets besides, unless the user has written something else there.
        marks: Files and folders that are there where the program is.
        program: Its command, if it has one.
        skills: The folder of the user's skills, where it knows skills.
        shared: Its configuration file in a project's folder, where it knows one, from there. Those who work on the
            project share it.
        project: The project that this is the program in; empty: all of them.
        then: The person's next steps.
    """

    id: str
    title: str
    file: Callable[[Machine], Path]
    form: Form
    key: str
    then: str
    entry: Callable[[ServerCommand], dict[str, Any]] = _plain
    defaults: dict[str, Any] = field(default_factory=dict)
    marks: Callable[[Machine], tuple[Path, ...]] = field(default=lambda _machine: ())
    program: str | None = None
    skills: Callable[[Machine], Path] | None = None
    shared: str | None = None
    project: str = ""

    @property
    def key_of_record(self) -> str:
        """Return the key under which its connection is recorded."""
        return f"{self.id}:{self.project}" if self.project else self.id

    def in_project(self, folder: Path) -> "Agent | None":
        """Return the program in one project; None if it has no configuration there. A skill is the user's own."""
        if self.shared is None:
            return None
        file = folder / self.shared
        return replace(self, file=lambda _machine: file, skills=None, project=str(folder))

    def is_here(self, machine: Machine) -> bool:
        """Return whether the program seems to be on this machine."""
        has_command = self.program is not None and machine.has_program(self.program)
        return has_command or any(place.exists() for place in (self.file(machine), *self.marks(machine)))


def claude_folder(machine: Machine) -> Path:
    """Return where Claude Code keeps the user's settings."""
    return machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")


def _claude_desktop(machine: Machine) -> Path:
    """Return its folder; on Windows the one of the packaged program where that is installed, which sees no other."""
    folders = [machine.config / "Claude"]
    if machine.system == "windows":
        packages = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
        folders = [*sorted(packages.glob("Claude_*/LocalCache/Roaming/Claude")), *folders]
    return folders[0] / "claude_desktop_config.json"


def codex_folder(machine: Machine) -> Path:
    """Return where Codex keeps the user's settings."""
    return machine.folder("CODEX_HOME", machine.home / ".codex")


def _opencode(machine: Machine) -> Path:
    """Return the file with comments if it exists: of the two it has precedence."""
    folder = machine.xdg_config / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


AGENTS: Final = (
    Agent(
        id="claude-code",
        title="Claude Code",
        file=lambda machine: machine.folder("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",
        form="json",
        key="mcpServers",
        entry=_typed,
        marks=lambda machine: (claude_folder(machine),),
        program="claude",
        shared=".mcp.json",
        skills=lambda machine: claude_folder(machine) / "skills",
        then="Start Claude Code again; `/mcp` in it lists the vault's tools.",
    ),
    Agent(
        id="claude-desktop",
        title="Claude Desktop",
        file=_claude_desktop,
        form="json",
        key="mcpServers",
        marks=lambda machine: (_claude_desktop(machine).parent,),
        then="Quit Claude Desktop, not only its window, and start it again.",
    ),
    Agent(
        id="codex",
        title="Codex",
        file=lambda machine: codex_folder(machine) / "config.toml",
        form="toml",
        key="mcp_servers",
        # Else its model's first request goes out while the server starts, without our tools.
        defaults={"required": True, "startup_timeout_sec": 60},
        marks=lambda machine: (codex_folder(machine),),
        program="codex",
        skills=lambda machine: codex_folder(machine) / "skills",
        then="Start Codex again; `/mcp` in it lists the vault's tools.",
    ),
    Agent(
        id="cursor",
        title="Cursor",
        file=lambda machine: machine.home / ".cursor" / "mcp.json",
        form="jsonc",
        key="mcpServers",
        marks=lambda machine: (machine.home / ".cursor",),
        program="cursor",
        shared=".cursor/mcp.json",
        then="Look at Cursor's settings under MCP: the server is listed there and may have to be switched on.",
    ),
    Agent(
        id="vscode",
        title="VS Code",
        file=lambda machine: machine.config / "Code" / "User" / "mcp.json",
        form="jsonc",
        key="servers",
        entry=_typed,
        marks=lambda machine: (machine.config / "Code" / "User",),
        program="code",
        shared=".vscode/mcp.json",
        then="Run `MCP: List Servers` in VS Code and start the server; VS Code asks once whether you trust it.",
    ),
    Agent(
        id="gemini",
        title="Gemini CLI",
        file=lambda machine: machine.home / ".gemini" / "settings.json",
        form="commented",
        key="mcpServers",
        marks=lambda machine: (machine.home / ".gemini",),
        program="gemini",
        shared=".gemini/settings.json",
        then="Start Gemini CLI again; `/mcp` in it lists the vault's tools.",
    ),
    Agent(
        id="opencode",
        title="OpenCode",
        file=_opencode,
        form="jsonc",
        key="mcp",
        entry=_one_list,
        marks=lambda machine: (machine.xdg_config / "opencode",),
        program="opencode",
        then="Start OpenCode again; `opencode mcp list` shows the server.",
    ),
)

BY_ID: Final = {agent.id: agent for agent in AGENTS}


LINKED: Final = ("cursor", "vscode")


def install_link(agent: str, name: str, server: ServerCommand) -> str | None:
    """Return the link, which the program opens and asks about; None for a program that has none.

    Args:
        agent: The program's id.
        name: The name of the server.
        server: What the program starts.
    """
    config = {"command": server.command, "args": list(server.args)}
    if agent == "cursor":
        packed = base64.b64encode(_compact(config).encode()).decode()
        return f"cursor://anysphere.cursor-deeplink/mcp/install?name={quote(name)}&config={quote(packed, safe='')}"
    if agent == "vscode":
        return f"vscode:mcp/install?{quote(_compact({'name': name, **config}), safe='')}"
    return None


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
