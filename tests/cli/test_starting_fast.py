"""What makes a command slow to start is what it imports. These say what each of them leaves out."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bridge.cli.main import COMMANDS, app, keep_blocks
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

HEAVY = {
    *("aiohttp", "asyncio", "hyperscan", "jsonrpcserver", "jsonschema", "orjson", "pcre2", "prompt_toolkit"),
    *("pydantic", "rapidfuzz", "re2", "rich", "ruamel", "send2trash", "sqlite3", "watchfiles", "wcmatch"),
}
OURS = {"bridge", "bridge.__main__", "bridge.cli", "bridge.cli.main", "bridge.cli.options", "bridge.leaving_out"}


def imported(*command: str) -> set[str]:
    """The modules that Python imports for a command, by name."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-X", "importtime", *command],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_version_and_the_help_load_nothing_of_what_the_commands_need(option: str) -> None:
    modules = imported("-m", "bridge", option)
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()
    assert {module for module in modules if module.partition(".")[0] == "bridge"} <= OURS


def test_a_command_that_asks_a_running_bridge_loads_no_bridge_of_its_own() -> None:
    modules = imported("-c", "import bridge.cli.history, bridge.cli.log, bridge.cli.call")
    assert {"bridge.app", "bridge.index", "bridge.server", "bridge.journal", "prompt_toolkit"} & modules == set()


@pytest.mark.slow
def test_a_bridge_starts_without_what_only_some_calls_need() -> None:
    modules = imported("-c", "import bridge.app")
    assert {"jsonschema", "rapidfuzz", "watchfiles", "prompt_toolkit", "rich", "typer"} & modules == set()


SPEAK = """
import sys
import bridge.cli.main
from bridge.cli.mcp import load
load("bridge.client", "bridge.client.token_storage", "bridge.cli.speaking")
from bridge.cli.speaking import _load
_load()
from mcp_types import CreateTaskResult
assert not CreateTaskResult.__pydantic_complete__
print(*[name for name, module in sys.modules.items() if module], sep="\\n")
"""


def test_a_process_that_speaks_mcp_leaves_out_what_it_has_no_use_for() -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", SPEAK], capture_output=True, encoding="utf-8", timeout=PATIENCE, check=True
    )
    heavy = {"ssl", "_ssl", "_hashlib", "brotli", "re2", "uvicorn", "watchfiles", "python_multipart", "psutil"}
    heavy |= {"rich", "starlette", "bridge.contract.consent", "bridge.contract.events", "bridge.contract.hosts"}
    assert set(done.stdout.split()) & heavy == set()


SERVE = """
import asyncio, ssl, sys
from pathlib import Path
ssl.create_default_context = None  # it reads all certificates of the system
import bridge.cli.main, bridge.cli.serve
from bridge.app import Bridge
async def main():
    async with Bridge(Path(sys.argv[1])):
        from http.client import HTTPSConnection  # others may need it
        print(*sys.modules, sep="\\n")
asyncio.run(main())
"""
LIBRARIES = {
    *("aiohappyeyeballs", "aiohttp", "aiosignal", "annotated_doc", "annotated_types", "anyio", "attr", "backports"),
    *("bracex", "brotli", "brotlicffi", "filelock", "frozenlist", "hyperscan", "idna", "jsonrpcserver", "multidict"),
    *("orjson", "oslash", "platformdirs", "propcache", "pydantic", "pydantic_core", "re2", "rich", "send2trash"),
    *("shellingham", "typer", "typing_extensions", "typing_inspection", "watchfiles", "yaml12", "yarl"),
}
"""What a bridge may have imported when it listens, besides the standard library."""
ROOMS = {
    *("app", "audit", "capabilities", "chat", "cli", "client", "clock", "consent", "contract", "custom", "drafts"),
    *(
        "errors",
        "identity",
        "index",
        "journal",
        "json_values",
        "keys",
        "leaving_out",
        "mapped_files",
        "memory",
        "notes",
        "own_commands",
        "pdf",
        "pictures",
        "policy",
        "ports",
        "records",
    ),
    *(
        "mcp",
        "rpc",
        "sandbox",
        "server",
        "servers",
        "settings",
        "toolkit",
        "tools",
        "vault",
        "versions",
        "web",
        "workers",
    ),
}
"""The same of our own rooms."""
PARTS = {
    "audit": {"sentences", "service"},
    "chat": {"chats", "context", "ollama", "turn"},
    "contract": {"agents", "audit", "chat", "every_event", "servers", "web"},
    "index": {"texts.pattern_translation"},
    "web": {"transport"},
}
"""Of rooms of which a start imports a part: what it leaves out."""


def test_a_bridge_that_listens_has_imported_nothing_but_this(vault: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", SERVE, str(vault)], capture_output=True, encoding="utf-8", timeout=PATIENCE, check=True
    )
    modules = set(done.stdout.split())
    tops = {module.partition(".")[0] for module in modules}
    internal = {module for module in tops if module.startswith("_") or module == "cython_runtime"}
    assert tops - internal - set(sys.stdlib_module_names) - {"bridge"} <= LIBRARIES
    assert {module.split(".")[1] for module in modules if module.startswith("bridge.")} <= ROOMS
    assert {f"bridge.{room}.{part}" for room, parts in PARTS.items() for part in parts} & modules == set()
    assert {module for module in modules if module.startswith("bridge.rpc.methods.")} <= {
        "bridge.rpc.methods.outside_changes"
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_of_each_what_it_says_of_itself(name: str) -> None:
    group: Any = get_command(app)
    command = group.commands[name]
    assert str(command.help).splitlines()[0] == COMMANDS[name][1]


def test_examples_keep_their_lines_in_the_help() -> None:
    assert keep_blocks("Do it.\n\n    Text that\n    is wrapped: always.\n\n    Examples:\n      one\n      two\n") == (
        "Do it.\n\nText that\nis wrapped: always.\n\n\b\nExamples:\n  one\n  two"
    )
