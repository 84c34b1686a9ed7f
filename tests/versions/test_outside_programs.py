"""Real programs change the vault of a bridge that serves it, or is down, or is killed: all of it is taken back."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from tests.patience import PATIENCE
from tests.versions.recorded_vault import all_bytes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs are those of a POSIX shell")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Six hundred notes and an attachment."""
    vault = tmp_path / "Vault"
    for number in range(600):
        place = vault / f"Folder {number % 6}" / f"note {number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(f"\ufeff# Note {number}\r\n[[note {number + 1}]] fox".encode())
    (vault / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(50_000))
    return vault


async def until(found: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not await found():  # noqa: ASYNC110 - asked over a socket, which tells nobody of this
            await asyncio.sleep(0.02)


async def recording(host: Any) -> None:
    async def whole() -> bool:
        status = await host.request("versions.status")
        return status["since"] is not None and status["files"] == status["whole"]

    await until(whole)


def shell(vault: Path, script: str) -> None:
    subprocess.run(["sh", "-euc", script], cwd=vault, check=True, capture_output=True)  # noqa: S603, S607


GIT = "git -c user.name=Ada -c user.email=ada@example.org -c init.defaultBranch=main"
SCRIPTS = {
    "sed -i": "sed -i 's/fox/hare/' 'Folder 1'/*.md",
    "mv": "mv 'Folder 1' Elsewhere; mv 'Folder 2/note 2.md' note.md",
    "cp": "cp 'Folder 1/note 1.md' copy.md; cp copy.md 'Folder 1/note 7.md'",
    "rm -rf": "rm -rf 'Folder 0' 'Folder 1' 'Folder 2' 'Folder 3' 'Folder 4' picture.png",
    "truncate": "for f in 'Folder 3'/*.md; do : > \"$f\"; done",
    "saved by rename": "for f in 'Folder 4'/*.md; do printf 'new' > .tmp; mv .tmp \"$f\"; done",
    "conflict copies": "mv 'Folder 5/note 5.md' 'Folder 5/note 5 (conflict).md'; printf theirs > 'Folder 5/note 5.md'",
    "git checkout": (
        f"{GIT} init -q; {GIT} add -A; {GIT} commit -qm one; {GIT} checkout -q -b other;"
        f" rm -r 'Folder 1'; printf x > 'Folder 2/note 2.md'; {GIT} add -A; {GIT} commit -qm two;"
        f" {GIT} checkout -q main; {GIT} checkout -q other"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("down", [False, True], ids=["while it runs", "while it is down"])
@pytest.mark.parametrize("script", SCRIPTS)
async def test_what_a_program_did_is_taken_back_byte_for_byte(notes: Path, script: str, *, down: bool) -> None:
    if "git" in script and shutil.which("git") is None:
        pytest.skip("there is no git")
    before = all_bytes(notes)
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
        if not down:
            shell(notes, SCRIPTS[script])
            await until_listed(host, notes, before)
            await undo_all(host)
            assert all_bytes(notes) == before
    if down:
        shell(notes, SCRIPTS[script])
        async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
            await until_listed(host, notes, before)
            await undo_all(host)
            assert all_bytes(notes) == before


async def until_listed(host: Any, vault: Path, before: dict[str, bytes]) -> None:
    """Wait until the history names every file that is not as it was."""
    after = all_bytes(vault)
    differ = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}

    async def listed() -> bool:
        entries = await host.request("history.list", outside=True, limit=1000)
        status = await host.request("versions.status")
        named = {path for entry in entries for path in entry["files"]}
        return differ <= named and status["files"] == len(after) == status["whole"]

    await until(listed)


async def undo_all(host: Any) -> None:
    """Take back every entry, the newest first."""
    for entry in await host.request("history.list", outside=True, limit=1000):
        undone = await host.request("history.undo", executionId=entry["executionId"])
        assert undone["success"], undone
        assert undone["data"]["left"] == []


async def test_a_note_that_is_written_fifty_times_a_second_is_one_entry(notes: Path) -> None:
    note = notes / "Folder 1" / "note 1.md"
    first = note.read_bytes()
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
        program = "import sys, time\nfor n in range(150):\n open(sys.argv[1], 'w').write(f'{n}'); time.sleep(0.02)"
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", program, str(note)], check=True)

        async def last() -> bool:
            found = await host.request("versions.list", path="Folder 1/note 1.md")
            return bool(found["versions"][0]["size"] == 3)

        await until(last)
        (entry,) = await host.request("history.list", outside=True)
        assert len((await host.request("versions.list", path="Folder 1/note 1.md"))["versions"]) <= 3
        assert (await host.request("history.undo", executionId=entry["executionId"]))["success"]
    assert note.read_bytes() == first


SERVE = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from bridge.app import Bridge

async def main():
    async with Bridge(Path(sys.argv[1])):
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.1, 0.3])
async def test_a_kill_while_it_records_loses_nothing_that_it_had_read(notes: Path, delay: float) -> None:
    before = all_bytes(notes)
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE, str(notes), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        await process.stdout.readline()
    shell(notes, SCRIPTS["sed -i"] + "; rm -rf 'Folder 2'; mv 'Folder 3' Moved")
    await asyncio.sleep(delay)  # the kill comes somewhere in the middle of it
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    shell(notes, "rm -rf 'Folder 4'")
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await until_listed(host, notes, before)
        await undo_all(host)
    assert all_bytes(notes) == before


async def test_some_files_of_an_entry_are_taken_back_and_an_edited_one_is_refused(notes: Path) -> None:
    before = all_bytes(notes)
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
        shell(notes, 'for n in 1 7 13; do printf gone > "Folder 1/note $n.md"; done')
        await until_listed(host, notes, before)
        (entry,) = await host.request("history.list", outside=True)
        first = await host.request("history.undo", executionId=entry["executionId"], paths=["Folder 1/note 7.md"])
        assert first["data"]["files"] == ["Folder 1/note 7.md"]
        (notes / "Folder 1" / "note 13.md").write_text("mine now")
        second = await host.request("history.undo", executionId=entry["executionId"])
        assert second["data"]["files"] == ["Folder 1/note 1.md"]
        assert "note 13.md" in second["data"]["left"][0]
        third = await host.request("history.undo", executionId=entry["executionId"])
        assert third["errorType"] == "conflict"
        back = await host.request("history.undo")
        assert back["success"]
        assert (notes / "Folder 1" / "note 1.md").read_bytes() == b"gone"
    assert (notes / "Folder 1" / "note 7.md").read_bytes() == before["Folder 1/note 7.md"]


async def test_undo_without_an_id_never_means_what_another_program_did(notes: Path) -> None:
    before = all_bytes(notes)
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
        shell(notes, SCRIPTS["sed -i"])
        await until_listed(host, notes, before)
        undone = await host.request("history.undo")
        assert undone["errorType"] == "not_found"


@pytest.mark.slow
async def test_all_since_a_time_is_taken_back_as_it_was_shown_or_not_at_all(notes: Path) -> None:
    before = all_bytes(notes)
    async with Bridge(notes), connect(notes, name="Ada", role="host") as host:
        await recording(host)
        since = {"at": datetime.now(UTC).isoformat()}
        shell(notes, "rm -rf 'Folder 0'; mv 'Folder 2/note 2.md' moved.md; mv 'Folder 1' Elsewhere")
        await until_listed(host, notes, before)
        shown = await host.request("versions.compare", **since)
        shell(notes, SCRIPTS["saved by rename"])
        await until_listed(host, notes, before)
        stale = await host.request("versions.restoreAll", **since, plan=shown["plan"])
        assert (stale["errorType"], "look at it again" in stale["error"]) == ("conflict", True)
        shown = await host.request("versions.compare", **since)
        assert (shown["left"], shown["nearest"]) == ([], [])
        assert {file["path"] for file in shown["files"] if file["change"] == "move"} >= {"moved.md"}
        done = await host.request("versions.restoreAll", **since, plan=shown["plan"])
        assert done["success"], done
        assert all_bytes(notes) == before
        assert (await host.request("versions.compare", **since))["plan"] is None
        assert (await host.request("history.undo"))["success"]
        assert (notes / "moved.md").read_bytes() == before["Folder 2/note 2.md"]
