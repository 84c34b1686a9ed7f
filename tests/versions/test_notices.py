"""What the person is told of what real programs did to a real vault: on their own screens, and nobody else."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.contract.every_event import EVENTS
from bridge.versions.notices import Notices
from tests.patience import PATIENCE
from tests.people import add_client, named, person_at
from tests.versions.recorded_vault import RecordedVault, all_bytes

LINES = "".join(f"line {number}\n" for number in range(20))


class Watched:
    """A vault of thirty notes that is recorded, and what the person is told of it, from five files on."""

    def __init__(self, folder: Path) -> None:
        self.vault = RecordedVault(folder / "Vault", folder / "store")
        for number in range(30):
            self.vault.write(f"Notes/{number}.md", f"# Note {number}\n{LINES}")
        self.vault.look()
        self.threshold: int | None = 5
        self.watch()

    def watch(self) -> None:
        self.told: list[str | None] = []
        self.notices = Notices(
            self.vault.recorder,
            self.vault.restoring,
            self.vault.clock,
            threshold=lambda: self.threshold,
            tell=lambda notice: self.told.append(notice.message if notice else None),
        )
        self.notices.look()

    def restart(self) -> None:
        self.vault.restart()
        self.watch()

    def look(self) -> list[str | None]:
        """Everything is seen and has settled; returns what was told."""
        self.vault.look()
        self.notices.look()
        self.vault.clock.move(60)
        self.notices.look()
        told, self.told = self.told, []
        return told

    def change(self, *numbers: int, text: str = LINES + "more\n") -> None:
        for number in numbers:
            self.vault.write(f"Notes/{number}.md", text)

    def delete(self, *numbers: int) -> None:
        for number in numbers:
            (self.vault.folder / f"Notes/{number}.md").unlink()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path)
    assert watched.look() == []
    yield watched
    watched.vault.stop()


def test_what_was_there_before_is_not_told(watched: Watched) -> None:
    assert watched.notices.current is None


def test_what_a_program_did_is_told_once_and_counts_on(watched: Watched) -> None:
    watched.change(*range(5))
    watched.delete(5)
    assert watched.look() == ["5 notes changed, 1 deleted"]
    assert watched.look() == []
    watched.change(*range(10, 16))
    assert watched.look() == ["11 notes changed, 1 deleted"]
    watched.notices.answered()
    assert (watched.told, watched.notices.current) == ([None], None)


def test_a_folder_that_was_moved_is_not_told_as_deleted(watched: Watched) -> None:
    (watched.vault.folder / "Notes").rename(watched.vault.folder / "Elsewhere")
    assert watched.look() == ["30 notes moved"]


def test_a_note_that_lost_its_lines_is_named(watched: Watched) -> None:
    watched.change(3, text="")
    assert watched.look() == ["Notes/3.md lost most of its lines"]


def test_it_is_over_when_the_change_is_undone_and_when_its_diff_was_looked_at(watched: Watched) -> None:
    watched.delete(*range(10))
    assert watched.look() == ["10 notes deleted"]
    watched.vault.undo(watched.vault.entries[0])
    assert watched.look() == [None]
    watched.delete(*range(20, 30))
    assert watched.look() == ["10 notes deleted"]
    watched.notices.reviewed("outside-99")
    assert watched.told == []
    watched.notices.reviewed(watched.vault.entries[0].id)
    assert watched.told == [None]


def test_what_came_while_the_bridge_was_down_is_told_after_the_start(watched: Watched) -> None:
    watched.vault.stop()
    shutil.rmtree(watched.vault.folder / "Notes")
    watched.vault.start()
    watched.watch()
    assert watched.look() == ["30 notes deleted"]
    current = watched.notices.current
    assert current is not None
    assert [one.unattended for one in current.tallies] == [True]


def test_what_nobody_answered_is_told_again_after_a_restart_and_what_somebody_did_is_not(watched: Watched) -> None:
    watched.change(*range(6))
    assert watched.look() == ["6 notes changed"]
    watched.restart()
    assert watched.notices.current is not None
    watched.notices.answered()
    watched.restart()
    assert watched.look() == []
    watched.delete(*range(6))
    assert watched.look() == ["6 notes deleted"]


def test_what_passed_in_the_quiet_after_an_answer_is_not_told_after_a_restart(watched: Watched) -> None:
    watched.change(*range(6))
    watched.look()
    watched.notices.answered()
    watched.told.clear()
    watched.change(*range(10, 20))
    assert watched.look() == []
    watched.vault.clock.move(700)
    watched.vault.write("another.md", "something happens\n")
    assert watched.look() == []
    watched.restart()
    assert watched.look() == []


def test_the_number_of_files_is_the_settings_at_once(watched: Watched) -> None:
    watched.change(*range(4))
    assert watched.look() == []
    watched.threshold = 4
    assert watched.look() == ["4 notes changed"]
    watched.threshold = None
    assert watched.look() == [None]


def test_the_bridges_own_changes_are_not_told(watched: Watched) -> None:
    watched.delete(*range(10))
    watched.look()
    watched.vault.undo(watched.vault.entries[0])
    assert watched.look() == [None]


# -- a bridge that serves --------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    vault = tmp_path / "Vault"
    vault.mkdir()
    for number in range(40):
        (vault / f"note {number}.md").write_text(f"# {number}\n{LINES}", encoding="utf-8")
    return vault


def hear(heard: list[tuple[str, Any]], name: str, what: Any) -> None:
    heard.append((name, what))


async def recorded(host: Any) -> None:
    """Wait until the beginning is over: what is done before it is no change."""
    async with asyncio.timeout(PATIENCE):
        while (await host.request("versions.status"))["since"] is None:  # noqa: ASYNC110 - nobody is told of this
            await asyncio.sleep(0.02)


async def test_the_persons_screens_are_told_of_a_deletion_and_no_client_is(notes: Path) -> None:
    async with Bridge(notes), person_at(notes) as person:
        await recorded(person.host)
        person.answer = "allow_once"
        added = await add_client(person, notes, "Robot")
        for capability in ("answer", "administer"):
            await person.host.request("clients.allow", clientId=added["client"]["clientId"], capability=capability)
        told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        person.host.on("versions.noticed", told.put)
        async with named(notes, "Robot") as robot, connect(notes, name="Anon") as nobody:
            heard: list[tuple[str, Any]] = []
            for client in (robot, nobody):
                for event in EVENTS:
                    client.on(event.event_name, partial(hear, heard, event.event_name))
                await client.request("events.subscribe", kinds=["vault.changed"])
            for number in range(25):
                (notes / f"note {number}.md").unlink()
            async with asyncio.timeout(PATIENCE):
                notice = await told.get()
                while notice["message"] != "25 notes deleted":  # they may be seen to go one by one
                    notice = await told.get()
                (entry,) = await person.host.request("history.list", outside=True)
                assert notice["entries"] == [entry["executionId"]]
                assert notice["ended"] == entry["time"]
                assert await person.host.request("versions.notice") == notice
                for client in (robot, nobody):
                    await client.request("session.info")  # whatever was sent before has come
                assert not [what for what in heard if "versions" in what[0] or "outside" in repr(what)]
                assert (await person.host.request("history.undo", executionId=entry["executionId"]))["success"]
                while notice["entries"]:
                    notice = await told.get()
            assert len(all_bytes(notes)) == 40
            for client in (robot, nobody):
                await client.request("session.info")
            assert not [what for what in heard if "versions" in what[0]]


async def test_a_change_is_told_with_its_entry_to_the_person_and_without_to_everybody_else(notes: Path) -> None:
    async with Bridge(notes), person_at(notes) as person, connect(notes, name="Anon") as agent:
        await recorded(person.host)
        told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        person.host.on("vault.changed", told.put)
        agent.on("vault.changed", heard.put)
        for client in (person.host, agent):
            await client.request("events.subscribe", kinds=["vault.changed"])
        note, new = notes / "note 1.md", notes / "new.md"
        acts: list[tuple[Callable[[], object], str]] = [
            (partial(note.write_text, "new\n"), "modified"),
            (note.unlink, "deleted"),
            (partial(new.write_text, "new\n"), "created"),
        ]
        async with asyncio.timeout(PATIENCE):
            for number, (act, change) in enumerate(acts, 1):
                act()
                event = await told.get()
                while event["change"] != change:  # the end of writing is a change of its own
                    event = await told.get()
                (entry, *others) = await person.host.request("history.list", outside=True)
                assert (event["entry"], len(others)) == (entry["executionId"], number - 1)
                assert event["path"] in entry["files"]
                await person.host.request("history.diff", executionId=entry["executionId"])  # it does not grow any more
            undone = await person.host.request("history.undo", executionId="outside-3")
            assert undone["success"]
            event = await told.get()
            while event["change"] != "deleted":
                event = await told.get()
            assert event == {"path": "new.md", "change": "deleted"}
            while (event := await heard.get()) != {"path": "new.md", "change": "deleted"}:
                assert event.keys() == {"path", "change"}


async def test_fine_ends_it_on_every_screen(notes: Path) -> None:
    async with Bridge(notes), person_at(notes) as here, person_at(notes, "Grace") as there:
        await recorded(here.host)
        told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        there.host.on("versions.noticed", told.put)
        (notes / "note 7.md").write_text("", encoding="utf-8")
        async with asyncio.timeout(PATIENCE):
            notice = await told.get()
            assert notice["message"] == "note 7.md lost most of its lines"
            assert (await here.host.request("versions.fine"))["entries"] == []
            assert (await told.get())["entries"] == []
