"""A refusal that names a command is one that the command takes back: it is typed as it stands, and the call works."""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from scripts.lib.replay_jobs import page_served
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at

pytestmark = pytest.mark.slow

NAME = "Night robot"
COMMAND = re.compile(r"`(vault-bridge [^`]+)`")
MOST_STEPS = 3
"""How often a call may be refused for yet another reason."""
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


async def typed(command: str, vault: Path) -> None:
    """Type a command into a shell, in the vault's folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=vault,
        env=os.environ | {"PATH": path},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(PATIENCE):
        said, _ = await process.communicate()
    assert process.returncode == 0, f"{command}: {said.decode()}"


async def until_it_works(call: Callable[[], Awaitable[Any]], vault: Path) -> list[str]:
    """Do what each refusal says until the call works; returns the commands."""
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
            await typed(command, vault)
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
