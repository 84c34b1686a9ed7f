"""The programs, as npm has them: how each is told of a model on this machine, and started without a terminal."""

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import platformdirs

from tests.mcp.clients import node

HERE: Final = Path(__file__).resolve().parent
_CACHE: Final = platformdirs.user_cache_path("vault-bridge-tests") / "programs"
"""Outside the checkout, which may be a fresh clone each time: they are more than a gigabyte."""
PACKAGES: Final[dict[str, str]] = json.loads((HERE / "package.json").read_bytes())["optionalDependencies"]
"""The packages and their versions. npm goes on without one that it does not have."""
PROMPT: Final = "Tidy my notes."
_MODEL: Final = "scripted"
PATCHES: Final = "gpt-5-scripted"
"""A model that OpenCode has edit by patches, as it says of all whose names begin so."""


@functools.cache
def folder() -> Path:
    """Return the folder whose `node_modules` has the programs.

    There is no lock file: npm makes one only of packages for all systems, which not every registry has. Each program
    is one package, or one and that of the system, whose versions are pinned.
    """
    return node.installed(HERE, _CACHE)


@dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        id: Its name for `install-client`.
        package: Its package, whose version is pinned.
        command: The name of its command.
        arguments: What makes it do one piece of work, without a terminal.
        configure: Writes what it needs to know of the model, before `install-client`: the home and the model's URL.
        variables: What it is told by the environment, given the model's URL.
        finds: Whether it may leave our tools to a search of its own, which finds them.
        alone: What makes it do that with its own permissions as they are, except what `lets` says.
        lets: What lets it call our tools then, as the table says it.
        trusts: The same, as fields of our entry in its configuration.
        adds: The parameters, true or false, that it adds to every tool.
    """

    id: str
    package: str
    command: str
    arguments: tuple[str, ...]
    alone: tuple[str, ...]
    variables: Callable[[str], dict[str, str]]
    lets: str = "nothing is needed"
    trusts: tuple[tuple[str, Any], ...] = ()
    configure: Callable[[Path, str], None] = field(default=lambda _home, _url: None)
    finds: bool = False
    adds: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The version that is pinned."""
        return PACKAGES[self.package]

    @property
    def path(self) -> Path:
        """Where its command is."""
        return folder() / "node_modules" / ".bin" / self.command


@functools.cache
def why_not(program: Program) -> str:
    """Return why a program cannot be run here; empty where it can."""
    if sys.platform != "linux":
        return "elsewhere a program does not keep everything in the home that its environment names"
    if not program.path.exists():
        return f"npm has no {program.package} {program.version} for this machine"
    try:
        done = node.run(str(program.path), "--version", PATH=search_path())
    except OSError as error:
        return f"{program.command} does not start here: {error}"
    return "" if program.version in done.stdout else f"{program.command} does not start here: {done.stderr.strip()}"


def search_path() -> str:
    """Return where commands are found: Node, and those of the system."""
    return os.pathsep.join([str(Path(node.node()).parent), "/usr/local/bin", "/usr/bin", "/bin"])


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _claude(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(home: Path, url: str) -> None:
    _write(
        home / ".codex" / "config.toml",
        f"""# The user's own
model = "{_MODEL}"
model_provider = "local"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.local]
name = "local"
base_url = "{url}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
""",
    )


def _gemini(home: Path, _url: str) -> None:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    _write(home / ".gemini" / "settings.json", json.dumps(settings, indent=2))


def _opencode(home: Path, url: str) -> None:
    limit = {"context": 100_000, "output": 10_000}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {name: {"name": name, "tool_call": True, "limit": limit} for name in (_MODEL, PATCHES)},
    }
    model = f"local/{_MODEL}"
    settings: dict[str, Any] = {"model": model, "small_model": model, "autoupdate": False, "share": "disabled"}
    _write(home / ".config" / "opencode" / "opencode.json", json.dumps(settings | {"provider": {"local": provider}}))


CLAUDE_CODE: Final = Program(
    "claude-code",
    "@anthropic-ai/claude-code",
    "claude",
    ("-p", PROMPT, "--allowedTools", "mcp__vault-bridge", "--output-format", "json"),
    ("-p", PROMPT, "--allowedTools", "mcp__vault-bridge"),
    _claude,
    lets="`--allowedTools mcp__vault-bridge`",
    finds=True,
)
CODEX: Final = Program(
    "codex",
    "@openai/codex",
    "codex",
    ("exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", PROMPT),
    ("exec", "--skip-git-repo-check", PROMPT),
    lambda _url: {"LOCAL_KEY": "none"},
    lets='`default_tools_approval_mode = "approve"` in the entry',
    trusts=(("default_tools_approval_mode", "approve"),),
    configure=_codex,
)
GEMINI: Final = Program(
    "gemini",
    "@google/gemini-cli",
    "gemini",
    ("-p", PROMPT, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"),
    ("-p", PROMPT, "-m", "gemini-2.5-flash"),
    lambda url: {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    },
    lets='`"trust": true` in the entry',
    trusts=(("trust", True),),
    configure=_gemini,
    adds=("wait_for_previous",),
)
OPENCODE: Final = Program(
    "opencode",
    "opencode-ai",
    "opencode",
    ("run", PROMPT),
    ("run", PROMPT),
    lambda _url: {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    configure=_opencode,
)
PROGRAMS: Final = (CLAUDE_CODE, CODEX, GEMINI, OPENCODE)
WRITES_PROGRAMS: Final = "gpt-6-astra"
"""A model of whose kind Codex says that it calls tools from JavaScript."""
