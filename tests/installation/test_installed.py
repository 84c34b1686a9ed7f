"""Vault Bridge as a user installs it: every tool, every process and every command of the README works there."""

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bridge import __version__
from bridge.agents.table import BY_ID
from tests.installation.cases import CASES, NOTES
from tests.installation.environments import EXTRAS, Installed, install
from tests.installation.servers import network
from tests.patience import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(1500)]

AGENT = Path(__file__).with_name("agent.py")
STRANGER = Path(__file__).parents[1] / "servers" / "stranger.py"
CLIENT = "Tester"
EVERY_WAY = "VAULT_BRIDGE_EVERY_INSTALLATION"
"""The variable with which the other two ways to install are tried as well, which takes twice as long."""
OWN_TOOLS = {
    "words": ("python", "return len(parameters['text'].split())"),
    "letters": ("node", "return parameters.text.length"),
}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def make_vault(folder: Path) -> Path:
    """A vault that Obsidian has opened, with a trash of its own: the system's is not there to be tested."""
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian" / "app.json").write_text('{"trashOption": "local"}', encoding="utf-8")
    for name, text in NOTES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


_ALL = pytest.mark.skipif(not os.environ.get(EVERY_WAY), reason=f"{EVERY_WAY} asks for every way to install")


@pytest.mark.parametrize(
    ("wheel", "extras"),
    [
        pytest.param(False, (), id="checkout, without extras"),
        pytest.param(True, EXTRAS, id="wheel, with extras"),
        pytest.param(False, EXTRAS, id="checkout, with extras", marks=_ALL),
        pytest.param(True, (), id="wheel, without extras", marks=_ALL),
    ],
)
async def test_everything_works_that_was_installed(tmp_path: Path, *, wheel: bool, extras: tuple[str, ...]) -> None:
    installed = await asyncio.to_thread(install, tmp_path / "user", wheel=wheel, extras=extras, old_pip=not wheel)
    vault = make_vault(installed.place / "Notes")
    check_version(installed)
    check_doctor(installed, vault)
    async with network() as (web, model):
        with installed.serving(vault, "--preset", "everything"):
            await asyncio.to_thread(allow, installed, vault, web, model)
            if "semantic" in installed.extras:
                await asyncio.to_thread(wait_for_vectors, installed, vault)
            await asyncio.to_thread(check_tools, installed, vault, web)
            await asyncio.to_thread(check_chat, installed, vault)
            await asyncio.to_thread(check_mcp, installed, vault)
            await asyncio.to_thread(check_programs, installed, vault)
            check_doctor(installed, vault)
        assert "Traceback" not in installed.log, installed.log
    check_plugin(installed, vault)


def check_version(installed: Installed) -> None:
    """The command is there, and is what was installed."""
    assert installed.run("--version").stdout.startswith(f"vault-bridge {__version__} ")
    assert installed.start(installed.python, "-I", "-m", "bridge", "--version").stdout.startswith("vault-bridge ")


def check_doctor(installed: Installed, vault: Path) -> None:
    """Nothing is wrong, and every worker has been started."""
    found = installed.json("doctor", "--vault", str(vault))
    assert [check for check in found["checks"] if check["level"] == "fail"] == []
    (workers,) = (check["what"] for check in found["checks"] if check["name"] == "workers")
    kinds = "search, page, PDF, picture" + (", embedding" if "semantic" in installed.extras else "")
    kinds += ", recognition" if "drawn-text" in installed.extras else ""
    assert workers.endswith(f"({kinds})")


def allow(installed: Installed, vault: Path, web: str, model: str) -> None:
    """What a user sets who wants to use everything, with tools and a server of their own."""
    here = ["--vault", str(vault)]
    values = {
        **{f"allow{what}": "true" for what in ("CustomTools", "McpServers", "Terminal")},
        "searxngEndpoint": web,
        "webSearchProviders": '["searxng"]',
        "chatEndpoint": model,
        "chatModel": "scripted",
        "requireSandbox": "never",  # some machines have none, and what a sandbox holds is tested elsewhere
    }
    installed.run("settings", "set", *(f"{key}={value}" for key, value in values.items()), *here)
    installed.run("clients", "add", CLIENT, "--save", "--preset", "everything", *here)
    (installed.place / "text.json").write_text(json.dumps(TEXT), encoding="utf-8")
    for name, (where, code) in OWN_TOOLS.items():
        (installed.place / name).write_text(code, encoding="utf-8")
        told = ["--description", "Counts.", "--parameters", "text.json", "--environment", where]
        installed.run("custom", "add", name, name, *told, *here)
    server = installed.place / "server"
    server.mkdir()
    shutil.copy(STRANGER, server)
    installed.run(
        "servers", "add", "greeter", "--folder", str(server), *here, installed.python, "--", str(server / STRANGER.name)
    )


def wait_for_vectors(installed: Installed, vault: Path) -> None:
    """Search by meaning is ready when both models have read every note: their workers have done that."""
    for _ in range(PATIENCE * 4):
        semantic = installed.json("status", "--vault", str(vault))
        if "ready" in json.dumps(semantic):
            return
    pytest.fail(f"{semantic}\n{installed.log}")


def check_tools(installed: Installed, vault: Path, web: str) -> None:
    """Every tool that there is does its work."""
    cases = [
        (tool, json.loads(json.dumps(arguments).replace("{web}", web)))
        for tool, arguments in CASES
        if tool != "letters" or shutil.which("node")
    ]
    asked = "".join(json.dumps(line) + "\n" for line in [*cases, ("tools.list", {})])
    done = installed.start(installed.python, "-I", str(AGENT), str(vault), CLIENT, typed=asked)
    place, *answers, listed = map(json.loads, done.stdout.splitlines())
    assert Path(place["bridge"]).is_relative_to(installed.folder), "the installed package is meant"
    assert [answer for answer in answers if not answer["ok"]] == [], installed.log
    assert {answer["tool"] for answer in answers} == set(listed), "each tool that is listed has its case"
    texts = {answer["tool"]: answer["text"] for answer in answers}
    assert "# Growing tomatoes" in texts["web_fetch"]
    assert "water the plants" in texts["grep"]
    assert "order soil" in texts["tasks"]
    assert "\n3\n" in texts["words"]
    by_meaning = "no model for search by meaning is installed" not in texts["search_vectors"]
    assert by_meaning is ("semantic" in installed.extras)


def check_chat(installed: Installed, vault: Path) -> None:
    """The local model answers."""
    said = installed.run("chat", "--once", "When do I water tomatoes?", "--vault", str(vault))
    assert "Water them in the morning." in said.stdout


def check_mcp(installed: Installed, vault: Path) -> None:
    """The server for MCP clients has the tools of the bridge."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "read", "arguments": {"path": "Ideas.md"}}},
    ]
    with subprocess.Popen(  # noqa: S603 - of this installation
        [installed.program, "mcp", "--vault", str(vault), "--client", CLIENT],
        cwd=installed.place,
        env=installed.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        answers: dict[int, Any] = {}
        for request in requests:
            server.stdin.write(json.dumps({"jsonrpc": "2.0"} | request) + "\n")
            server.stdin.flush()
            while "id" in request and request["id"] not in answers:
                answer = json.loads(server.stdout.readline())
                if "id" in answer and "method" not in answer:
                    answers[answer["id"]] = answer
        server.stdin.close()
        server.wait(PATIENCE)
    assert {"read", "web_fetch"} <= {tool["name"] for tool in answers[2]["result"]["tools"]}


def check_programs(installed: Installed, vault: Path) -> None:
    """Each program is connected by one command, which leaves nothing when it is taken back."""
    assert list(files(installed.home)) == []
    for program in BY_ID:
        installed.run("install-client", program, "--yes", "--vault", str(vault))
        written = "".join(file.read_text(encoding="utf-8") for file in files(installed.home))
        assert json.dumps(installed.program) in written
        installed.run("install-client", program, "--remove", "--yes", "--vault", str(vault))
        assert list(files(installed.home)) == [], program
    listed = installed.json("clients", "list", "--vault", str(vault))
    assert [client["name"] for client in listed] == [CLIENT]


def check_plugin(installed: Installed, vault: Path) -> None:
    """The plugin comes along where it was built before; else the command says what to do."""
    if installed.has_plugin:
        installed.run("install", "--vault", str(vault))
        assert (vault / ".obsidian" / "plugins" / "vault-bridge-consent" / "main.js").is_file()
    else:
        assert "scripts/build-plugin" in installed.run("install", "--vault", str(vault), code=1).stderr


def files(folder: Path) -> list[Path]:
    """The files of the user's that no system makes by itself."""
    return [path for path in folder.rglob("*") if path.is_file() and ".cache" not in path.parts]
