"""A refusal that names a command is one that the command takes back: it is typed as it stands, and the call works."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client.errors import ProtocolFailure
from bridge.own_commands import own_command
from scripts.lib.replay_jobs import page_served
from tests.chat.ollama_server import OllamaStandIn, tells
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at

pytestmark = pytest.mark.slow

NAME = "Night robot"
COMMAND = re.compile(r"`(vault-bridge [^`]+)`")
MOST_STEPS = 3
"""How often a call may be refused for yet another reason."""
STRANGER = Path(__file__).parents[1] / "servers" / "stranger.py"
SMALL = 4096
"""Tokens that have no room for the tools of `agent`, and some for those of `minimal`."""
WEB = "(the address of the page)"


@dataclass(frozen=True)
class Case:
    """A call that is refused.

    Attributes:
        tool: The tool.
        arguments: With what.
        settings: What the person has set.
        preset: The client's preset.
        denied: What the person has answered to the same call before.
        commands: How the commands begin that are needed, in order.
    """

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    preset: str = "agent"
    denied: str | None = None
    commands: tuple[str, ...] = ()


APPEND = {"path": "Ideas.md", "append": "More.\n"}
PRESET = f"clients update '{NAME}' --preset agent" if sys.platform != "win32" else f'clients update "{NAME}"'
CASES = {
    "a tool that is not in the list": Case(
        "tasks", {}, {"enabledTools": ["read"]}, commands=("settings enable tasks",)
    ),
    "the work of a tool that is not in the list": Case(
        "create_note",
        {"path": "New", "kind": "folder"},
        {"enabledTools": ["create_note"]},
        commands=("settings enable create_folder",),
    ),
    "a client that may only find and read": Case("tasks", preset="minimal", commands=(PRESET,)),
    "both": Case("tasks", {}, {"enabledTools": ["read"]}, "minimal", commands=("settings enable tasks", PRESET)),
    "the web that is not in the list": Case(
        "create_note",
        {"url": WEB},
        {"enabledTools": ["create_note"]},
        commands=("settings enable web_fetch",),
    ),
    "a tool that is never allowed": Case(
        "edit", APPEND, {"consentMode": {"edit": "never_allow"}}, commands=("settings set consentMode.edit",)
    ),
    "the work of a tool that is never allowed": Case(
        "edit", APPEND, {"consentMode": {"modify_note": "never_allow"}}, commands=("settings set consentMode.modify",)
    ),
    "the terminal": Case("run_terminal_command", {"command": "echo hi"}, commands=("settings set allowTerminal",)),
    "a call that was denied before": Case("edit", APPEND, denied="deny_once", commands=("policy revoke ",)),
    "what was denied for the session": Case("edit", APPEND, denied="deny_session", commands=("policy revoke ",)),
    "what was denied for good": Case(
        "edit", {"path": "It's mine.md", "append": "x"}, denied="deny_always", commands=("policy revoke ",)
    ),
    "reading that was denied for good": Case(
        "read", {"path": "It's mine.md"}, denied="deny_always", commands=("policy revoke ",)
    ),
}


@dataclass(frozen=True)
class Worked:
    """The outcome of something that is no call of a tool, with the members of a call's."""

    ok: bool = True
    error: str | None = None


async def typed(command: str, vault: Path, answer: str = "") -> None:
    """Type a command into a shell, in the vault's folder, and what it asks for."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=vault,
        env=os.environ | {"PATH": path},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(PATIENCE):
        said, _ = await process.communicate(answer.encode())
    assert process.returncode == 0, f"{command}: {said.decode()}"


async def until_it_works(call: Callable[[], Awaitable[Any]], vault: Path, answer: str = "") -> list[str]:
    """Do what each refusal says until the call works; returns the commands.

    Args:
        call: Makes the call.
        vault: The vault.
        answer: What is typed where a command asks for something.
    """
    done: list[str] = []
    for _ in range(MOST_STEPS):
        refused = await call()
        named_here = [
            command
            for command in COMMAND.findall(refused.error or "")
            if command not in done and command != "vault-bridge doctor"
        ]
        assert named_here, f"after {done}: {refused.error}"
        for command in named_here:
            await typed(command, vault, answer)
        done += named_here
        if (await call()).ok:
            return done
    raise AssertionError(done)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_the_commands_of_a_refusal_make_the_call_work(vault: Path, case: Case) -> None:
    (vault / "It's mine.md").write_bytes(b"Mine.\n")
    async with page_served() as url, Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]} | case.settings, confirms=True)
        added = await add_client(person, vault, NAME)
        await person.host.request("clients.update", clientId=added["client"]["clientId"], preset=case.preset)
        arguments = {name: url if value == WEB else value for name, value in case.arguments.items()}
        async with named(vault, NAME) as robot:

            async def call() -> Any:
                return await robot.call(case.tool, **arguments)

            if case.denied is not None:
                await deny(person, call, case.denied)
            person.answer = "allow_once"
            done = await until_it_works(call, vault)
    assert len(done) >= len(case.commands)
    for command, begins in zip(done, case.commands, strict=False):
        assert command.removeprefix("vault-bridge ").startswith(begins)


async def deny(person: Person, call: Callable[[], Awaitable[Any]], decision: str) -> None:
    """The person says no to a call, for as long as the decision says."""
    person.answer = decision
    assert not (await call()).ok
    person.asked.clear()
    assert not (await call()).ok
    assert not person.asked, "it is refused without a question"


def begins(done: list[str], *commands: str) -> bool:
    """Return whether the commands that were needed are these, and perhaps the one for a system without a sandbox."""
    needed = [one.removeprefix("vault-bridge ") for one in done if "requireSandbox" not in one]
    return needed == list(commands)


async def test_a_tool_of_ones_own_is_allowed_and_switched_on(configuration: Path, vault: Path) -> None:
    del configuration
    async with Bridge(vault), person_at(vault) as person:
        await person.host.request(
            "custom.add",
            name="words",
            code="return 2",
            description="Counts",
            parameters={"type": "object", "properties": {}},
            environment="python",
            enabled=False,
        )
        await add_client(person, vault, NAME)
        person.answer = "allow_once"
        async with named(vault, NAME) as robot:
            done = await until_it_works(lambda: robot.call("words"), vault)
    assert begins(done, "settings set allowCustomTools=true", "custom enable words")


async def test_other_servers_are_allowed_and_one_is_loaded(configuration: Path, vault: Path) -> None:
    entry = {"command": sys.executable, "args": [str(STRANGER), "good"]}
    (configuration / "mcp.json").write_text(json.dumps({"mcp_servers": {"greeter": entry}}), encoding="utf-8")
    async with Bridge(vault), person_at(vault) as person:
        await add_client(person, vault, NAME)
        person.answer = "allow_once"
        async with named(vault, NAME) as robot:
            unknown = await robot.call("mcp__greeter__greet", name="Ada")
            done = await until_it_works(lambda: robot.call("mcp_loader"), vault)
            assert "allowMcpServers=true" in (unknown.error or "")
            assert (await robot.call("mcp__greeter__greet", name="Ada")).ok
    assert begins(done, "settings set allowMcpServers=true")


async def test_a_web_search_gets_a_service_and_its_key(vault: Path) -> None:
    """Until it is asked about: nothing is sent to the service, which is a real one."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]}, confirms=True)
        await add_client(person, vault, NAME)
        async with named(vault, NAME) as robot:

            async def search() -> Any:
                answer = await robot.call("web_search", query="tea")
                return answer if not person.asked else Worked()

            done = await until_it_works(search, vault, answer="a-key-of-nobody")
    assert "with Brave Search" in person.asked[-1]["summary"]
    services = own_command("settings", "set", 'webSearchProviders=["brave"]').strip("`")
    assert done == [services, "vault-bridge keys set brave"]


async def test_the_chat_gets_a_model_and_room_for_its_tools(vault: Path) -> None:
    ollama = OllamaStandIn(models=("one", "it's two"), script=lambda _asked: tells("Hello."))
    async with ollama.serve(), Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"chatEndpoint": ollama.url, "chatContextLength": SMALL}, confirms=True)
        ended: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        person.host.on("chat.done", ended.put_nowait)

        async def send() -> Any:
            try:
                await person.host.request("chat.send", text="Hello")
            except ProtocolFailure as failure:
                return Worked(ok=False, error=str(failure))
            async with asyncio.timeout(PATIENCE):
                done = await ended.get()
            return Worked(ok=done["end"] == "answered", error=done["message"])

        done = await until_it_works(send, vault)
    assert begins(done, "settings set chatModel=one", "settings set chatTools=minimal")


async def test_a_program_is_let_see_what_the_person_looks_at(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person:
        await add_client(person, vault, NAME)
        person.answer = "allow_once"
        async with named(vault, NAME) as robot:
            done = await until_it_works(lambda: robot.call("read", path="@screen"), vault)
    assert begins(done, f"{PRESET.partition(' --')[0]} --looking session")
