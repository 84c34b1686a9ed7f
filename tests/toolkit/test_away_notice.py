"""What the system says while no screen is connected: once, in numbers and names, and through its own program."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from bridge.app import Bridge
from bridge.client import find_vault
from bridge.client.token_storage import save_to_file
from bridge.clock import stamp
from bridge.toolkit import handing_in
from bridge.toolkit.handing_in import LONGEST_NAME, QUIET_SECONDS, REMEDY, AwayNotice, system_command
from tests.consent.test_broker import question
from tests.patience import PATIENCE
from tests.people import named, person_at
from tests.setting_forward import Moment

if TYPE_CHECKING:
    from bridge.consent.broker import Broker
    from bridge.contract.consent import ConsentRequest
    from bridge.drafts.draft import Draft
    from bridge.drafts.store import Drafts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no program that takes the text as it is")

ROBOT = "Night robot"
SECRET = "a-token-of-somebody"
HANGS = "import time\ntime.sleep(3600)\n"
RECORDS = """
import json, os, sys
with open(__file__ + ".told", "a", encoding="utf-8") as told:
    told.write(json.dumps([sys.argv[1:], dict(os.environ)]) + "\\n")
"""


class Desktop:
    """A folder on PATH with the system's program, which writes down what it is given."""

    def __init__(self, folder: Path, program: str) -> None:
        self._programs = [folder / name for name in ("notify-send", "osascript")]
        for file in self._programs:
            file.write_text(f"#!{sys.executable}\n{RECORDS}\n{program}", encoding="utf-8")
            file.chmod(0o755)

    def told(self) -> list[tuple[list[str], dict[str, str]]]:
        """What it was given, each with the environment it had."""
        files = [file.with_name(f"{file.name}.told") for file in self._programs]
        lines = [line for file in files if file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
        return [(arguments[-2:], environment) for arguments, environment in map(json.loads, lines)]

    def titles(self) -> list[str]:
        return [arguments[0] for arguments, _environment in self.told()]

    async def until_told(self) -> tuple[list[str], dict[str, str]]:
        async with asyncio.timeout(PATIENCE):
            while not self.told():  # noqa: ASYNC110 - a file does not say when it grows
                await asyncio.sleep(0.01)
        return self.told()[0]


def desktop_in(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str = "") -> Desktop:
    monkeypatch.setattr(handing_in, "system_command", system_command)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={folder}/bus")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SOMEBODYS_TOKEN", SECRET)
    return Desktop(folder, program)


@pytest.fixture
def desktop(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    return desktop_in(tmp_path_factory.mktemp("desktop"), monkeypatch)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """The bridge looks often; each look that has ended is one more here."""
    ended: list[None] = []
    look = AwayNotice.look

    async def counted(notice: AwayNotice) -> None:
        await look(notice)
        ended.append(None)

    monkeypatch.setattr(handing_in, "SCREEN_SECONDS", 0.01)
    monkeypatch.setattr(AwayNotice, "look", counted)
    return ended


async def three_more(looks: list[None]) -> None:
    """Wait until it was looked three times from now on: what waits has then been told, if it ever is."""
    enough = len(looks) + 4
    async with asyncio.timeout(PATIENCE):
        while len(looks) < enough:  # noqa: ASYNC110 - the looks are on the same loop
            await asyncio.sleep(0.01)


async def done(call: Awaitable[Any]) -> None:
    result = await call
    assert result.ok, result.raw


async def add_robot(vault: Path) -> None:
    async with person_at(vault) as person:
        added = await person.host.request("clients.add", name=ROBOT, preset="everything", drafts=True)
        save_to_file(find_vault(vault), ROBOT, added["token"])
        await person.host.request("consent.allowReading", client=ROBOT, where=["/"])


async def hand_in(vault: Path, *names: str) -> None:
    async with named(vault, ROBOT) as robot:
        for name in names:
            await done(robot.call("create_note", path=f"Secret plans/{name}.md", content="Nobody knows\n"))
        await done(robot.call("draft", action="submit"))


@pytest.mark.slow
async def test_a_draft_that_is_handed_in_is_told_once_while_nobody_is_connected(
    vault: Path, desktop: Desktop, looks: list[None]
) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        await add_robot(vault)
        await hand_in(vault, "One", "Two")
        arguments, environment = await desktop.until_told()
        assert arguments == [f"Vault Bridge: {ROBOT} handed in 2 files", REMEDY]
        assert SECRET not in environment.values()
        assert not any(name.startswith("VAULT_BRIDGE") for name in environment)
        await hand_in(vault, "Three")
        await three_more(looks)
        assert len(desktop.told()) == 1
    async with Bridge(vault):  # what waited before was told before
        await three_more(looks)
    assert len(desktop.told()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [True, False])
async def test_nothing_is_told_with_a_screen_or_with_the_setting_off(
    vault: Path, desktop: Desktop, looks: list[None], is_on: bool
) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"], "notifyAway": is_on})
        await add_robot(vault)
        if is_on:
            async with person_at(vault) as person:
                person.answer = None
                await hand_in(vault, "One")
                await three_more(looks)
        else:
            await hand_in(vault, "One")
        await three_more(looks)  # what a screen has shown is known when it has gone, too
        assert desktop.told() == []


@pytest.mark.slow
async def test_a_program_that_hangs_holds_up_nothing_and_is_ended(
    vault: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, looks: list[None]
) -> None:
    desktop = desktop_in(tmp_path_factory.mktemp("desktop"), monkeypatch, HANGS)
    monkeypatch.setattr(handing_in, "MOST_SECONDS", PATIENCE)
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        await add_robot(vault)
        await hand_in(vault, "One")
        await desktop.until_told()
        hanging = len(looks)
        await hand_in(vault, "Two")  # calls are answered meanwhile
        assert len(looks) == hanging
    monkeypatch.setattr(handing_in, "MOST_SECONDS", 0.01)
    monkeypatch.setattr(handing_in, "QUIET_SECONDS", 0.0)
    async with Bridge(vault):
        await hand_in(vault, "Three")
        await three_more(looks)  # it was ended, and it is looked again


class Ahead(Moment):
    """A clock that is set forward, for what is measured too."""

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead.total_seconds()


class Away:
    """Questions that wait, and the time."""

    def __init__(self) -> None:
        self.clock = Ahead()
        self.questions: list[ConsentRequest] = []
        self.connected = False
        self.notice = AwayNotice(
            cast("Drafts", self),
            cast("Broker", self),
            client_name=str,
            is_on=lambda: True,
            clock=self.clock,
        )

    def worked_on(self) -> "list[Draft]":
        return []

    def pending(self) -> "list[ConsentRequest]":
        return self.questions

    def ask(self, client: str, count: int = 1) -> None:
        for _ in range(count):
            members = {
                "request_id": f"c-{len(self.questions)}",
                "client": client,
                "created_at": stamp(self.clock.now()),
            }
            self.questions.append(question().model_copy(update=members))

    async def look(self) -> None:
        for _ in range(2):
            await self.notice.look()


async def test_a_flood_is_one_notification_and_what_comes_later_is_counted_in_the_next(desktop: Desktop) -> None:
    away = Away()
    away.ask(ROBOT)
    await away.notice.look()
    assert desktop.titles() == []  # a screen may just reconnect
    for _ in range(20):
        await away.look()
        away.ask(ROBOT, 50)
    first = f"Vault Bridge: {ROBOT} asked 1 question"
    assert desktop.titles() == [first]
    away.ask("Other")
    away.clock.ahead += timedelta(seconds=QUIET_SECONDS)
    await away.look()
    assert desktop.titles() == [first, "Vault Bridge: 2 programs asked 1,001 questions"]
    away.clock.ahead += timedelta(seconds=QUIET_SECONDS)
    await away.look()
    assert len(desktop.titles()) == 2


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("--help\n\n\x1b[31m\u202e$(id) `id`", "--help <U+001B>[31m<U+202E>$(id) `id`"),
        ("\0\ud800 & <b>", "<U+0000>? & <b>"),
        ("x" * 10_000, "x" * (LONGEST_NAME - 1) + "…"),
    ],
)
async def test_a_name_stays_text_whatever_is_in_it(desktop: Desktop, name: str, shown: str) -> None:
    away = Away()
    away.ask(name)
    await away.look()
    assert [arguments for arguments, _environment in desktop.told()] == [
        [f"Vault Bridge: {shown} asked 1 question", REMEDY]
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has always a desktop and its program")
def test_without_a_desktop_or_its_program_nothing_is_started(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert system_command() == [str(desktop._programs[0])]
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    assert system_command() is None
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert system_command() is None
