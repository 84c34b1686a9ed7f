"""After notes and folders are renamed without a pause, each is there, once and with its own text."""

import asyncio
import threading
from pathlib import Path

import pytest

from bridge.app import Bridge
from tests.patience import PATIENCE
from tests.people import Person, add_client, named

pytestmark = pytest.mark.slow

NOTES = 60
ROUNDS = 25


def text_of(number: int) -> str:
    """What one note says, and no other."""
    return f"# Note {number}\n\nwordof{number}x\n"


def change_places(vault: Path) -> None:
    """Every sixth note takes the place of another one in its folder, and that its."""
    for number in range(0, NOTES, 6):
        one, other = (vault / f"A{number % 3}" / f"{each}.tmp.md" for each in (number, number + 3))
        between = one.with_name("between.md")
        one.rename(between)
        other.rename(one)
        between.rename(other)


def storm(vault: Path, over: threading.Event) -> None:
    """Rename every note and every folder, round after round; notes change places, and folders go into others.

    Nothing is ever away, and at the end everything has the name that it had.
    """
    for _ in range(ROUNDS):
        for number in range(NOTES):
            note = vault / f"A{number % 3}" / f"{number}.md"
            note.rename(note.with_suffix(".tmp.md"))
        change_places(vault)
        for folder in range(3):
            (vault / f"A{folder}").rename(vault / f"B{folder}")
        (vault / "B2").rename(vault / "B1" / "inner")
        (vault / "B0").rename(vault / "B1" / "inner" / "deep")
        (vault / "B1" / "inner" / "deep").rename(vault / "A0")
        (vault / "B1" / "inner").rename(vault / "A2")
        (vault / "B1").rename(vault / "A1")
        change_places(vault)
        for number in range(NOTES):
            note = vault / f"A{number % 3}" / f"{number}.tmp.md"
            note.rename(note.with_name(f"{number}.md"))
    over.set()


@pytest.fixture
def notes(vault: Path) -> Path:
    """The vault, with notes in three folders."""
    for folder in range(3):
        (vault / f"A{folder}").mkdir()
    for number in range(NOTES):
        (vault / f"A{number % 3}" / f"{number}.md").write_text(text_of(number), encoding="utf-8")
    return vault


def files(vault: Path) -> dict[str, str]:
    """Every note of the storm, by its place."""
    return {
        str(path.relative_to(vault)): path.read_text(encoding="utf-8")
        for folder in range(3)
        for path in (vault / f"A{folder}").iterdir()
    }


async def test_nothing_is_lost_doubled_or_mixed_and_writes_in_between_hit_only_what_was_shown(
    notes: Path, bridge: Bridge, person: Person
) -> None:
    del bridge
    vault = notes
    await add_client(person, vault, "Robot")
    before = files(vault)
    over = threading.Event()
    async with named(vault, "Robot") as robot:
        person.answer = "allow_session"
        assert (await robot.call("read", path="Ideas.md")).ok
        person.answer = "allow_once"
        storming = asyncio.create_task(asyncio.to_thread(storm, vault, over))
        wrong: list[str] = []
        made: dict[str, bool] = {}
        number = 0
        while not over.is_set():
            number = (number + 7) % NOTES
            place = f"A{number % 3}/{number}.md"
            read = await robot.call("read", path=place)
            if read.ok and f"wordof{number}x" not in read.text:
                wrong.append(read.text)
            if number % 5 == 0 and not made:
                written = await robot.call("edit_file", path=place, oldText=f"wordof{number}x", newText="edited")
                made = {place: True} if written.ok else {}
        await storming
        expected = before | {place: before[place].replace(f"wordof{place[3:-3]}x", "edited") for place in made}
        assert wrong == []
        assert files(vault) == expected
        listed: list[str] = []
        async with asyncio.timeout(PATIENCE):
            while sorted(listed) != sorted(expected):
                found = await robot.call("find", pattern="[AB]*/**", maxResults=10 * NOTES)
                listed = [one["path"] for one in found.raw["data"]]
        for number in range(0, NOTES, 9):
            found = await robot.call("grep", pattern=f"wordof{number}x")
            place = f"A{number % 3}/{number}.md"
            assert (place in found.text) is (place not in made)
            assert found.text.count(".md") <= 1
