"""Links that broke because another program moved files: counted, mended as one change, and nothing else touched."""

from pathlib import Path

import pytest

from bridge.errors import NotFound
from bridge.index.losses import broken_links
from bridge.tools.history import LinkMender
from bridge.tools.storage import VaultStorage
from bridge.vault.plan import ChangePlan
from bridge.versions.grouping import followed
from tests.versions.recorded_vault import RecordedVault, all_bytes

NOTES: dict[str, bytes | str] = {
    "Plans.md": "# Plans\n\nSee [[b]] and ![[pictures/p.png]].\n",
    "pictures/p.png": b"\x89PNG\r\n\x1a\n",
    "Diary/today.md": "\ufeffFollow [[Plans#Plans|the plans]]\r\nand [plans](../Plans.md)\r\n[[Elsewhere]] [[b]]",
    "board.canvas": '{"nodes":[{"id":"1","type":"file","file":"Plans.md","x":0,"y":0}],"edges":[]}',
    "prop.md": '---\nup: "[[Plans]]"\n---\n',
}


@pytest.fixture
def linked(recorded: RecordedVault) -> RecordedVault:
    """A vault with links, known since a minute."""
    for path, text in NOTES.items():
        recorded.write(path, text)
    recorded.look()
    recorded.recorder.end_entry()
    recorded.clock.move(60)
    return recorded


def move(linked: RecordedVault, old: str, new: str) -> None:
    """What `mv` does, a minute after whatever was before."""
    linked.clock.move(60)
    place = linked.folder / new
    place.parent.mkdir(parents=True, exist_ok=True)
    (linked.folder / old).rename(place)
    linked.look()


def broken(linked: RecordedVault, entry: int = 0) -> int:
    return broken_links(followed(linked.entries[entry], linked.entries), linked.index).links


def mend(linked: RecordedVault, entry: int = 0) -> ChangePlan:
    mender = LinkMender(VaultStorage(linked.files, linked.index), linked.clock, linked.recorder)
    plan = mender.plan(linked.entries[entry].id)
    linked.apply(plan, f"mend-{len(linked.ledger.history())}")
    return plan


def test_every_kind_of_link_is_mended_and_no_other_byte_changes(linked: RecordedVault) -> None:
    move(linked, "Plans.md", "Archive/Old plans.md")
    before = all_bytes(linked.folder)
    assert broken(linked) == 4
    plan = mend(linked)
    assert plan.warnings == ()
    after = all_bytes(linked.folder)
    assert after["Diary/today.md"].decode() == (
        "\ufeffFollow [[Old plans#Plans|the plans]]\r\nand [plans](Old%20plans.md)\r\n[[Elsewhere]] [[b]]"
    )
    assert b'"file":"Archive/Old plans.md"' in after["board.canvas"]
    assert after["prop.md"] == b'---\nup: "[[Old plans]]"\n---\n'
    assert {path for path in after if after[path] != before[path]} == {"Diary/today.md", "board.canvas", "prop.md"}
    assert broken(linked) == 0
    with pytest.raises(NotFound, match="are left to mend"):
        mend(linked)
    (change,) = linked.ledger.history()
    linked.apply(linked.ledger.undo_plan(change.execution_id)[1], "undo-1")
    assert all_bytes(linked.folder) == before


def test_what_is_written_in_the_moved_note_itself_follows_too(linked: RecordedVault) -> None:
    move(linked, "Diary/today.md", "today.md")
    assert broken(linked) == 1
    mend(linked)
    assert "[plans](Plans.md)" in (linked.folder / "today.md").read_text()


def test_a_move_that_breaks_nothing_has_nothing_to_mend(linked: RecordedVault) -> None:
    move(linked, "b.md", "Archive/b.md")
    assert broken(linked) == 0
    with pytest.raises(NotFound):
        mend(linked)


def test_a_folder_that_was_moved_breaks_the_links_with_folders_in_them(linked: RecordedVault) -> None:
    linked.clock.move(60)
    (linked.folder / "pictures").rename(linked.folder / "images")
    linked.look()
    assert broken(linked) == 1
    mend(linked)
    assert "![[p.png]]" in (linked.folder / "Plans.md").read_text()


def test_a_file_that_was_moved_on_is_followed_to_where_it_is(linked: RecordedVault) -> None:
    move(linked, "Plans.md", "First.md")
    linked.recorder.end_entry()
    move(linked, "First.md", "Archive/Second.md")
    assert len(linked.entries) == 3
    assert (broken(linked, 0), broken(linked, 1)) == (0, 4)
    mend(linked, 1)
    assert (linked.folder / "prop.md").read_text() == '---\nup: "[[Second]]"\n---\n'


def test_links_to_what_was_deleted_are_left(linked: RecordedVault) -> None:
    (linked.folder / "b.md").unlink()
    move(linked, "Plans.md", "New.md")
    mend(linked)
    assert "[[b]]" in (linked.folder / "Diary" / "today.md").read_text()
    assert "[[b]]" in (linked.folder / "New.md").read_text()


def test_links_that_the_program_mended_itself_are_not_broken(linked: RecordedVault) -> None:
    for path in ("Diary/today.md", "board.canvas", "prop.md"):
        file = Path(linked.folder / path)
        file.write_bytes(file.read_bytes().replace(b"Plans#", b"New#").replace(b"Plans.md", b"New.md"))
    (linked.folder / "prop.md").write_text('---\nup: "[[New]]"\n---\n')
    move(linked, "Plans.md", "New.md")
    assert broken(linked) == 0


def test_after_an_undo_nothing_is_broken(linked: RecordedVault) -> None:
    move(linked, "Plans.md", "New.md")
    linked.undo(linked.entries[0])
    assert broken(linked) == 0
